import CCurl
import VitrineLoading

/// The pinned public keys of servers, by the ASCII host name that libcurl uses.
///
/// A pin under a host name that is written differently would not be checked, and the connection would lose its
/// protection unnoticed. If host names cannot be compared, no server is trusted.
struct KeyPins: Sendable {
  /// A list for each way in which the host's name was written.
  private let lists: [String: [[String]]]
  /// True if a pinned Unicode name has no ASCII form, so that it may mean any host whose name has one.
  private let hasUnreadableName: Bool

  init(_ pinnedKeys: [String: [String]], host: (String) -> String? = Self.host) {
    let named = pinnedKeys.map { (host: host($0.key), keys: $0.value) }
    lists = Dictionary(grouping: named.filter { $0.host != nil }) { $0.host ?? "" }.mapValues {
      $0.map(\.keys)
    }
    hasUnreadableName = named.contains { $0.host == nil }
  }

  /// As libcurl wants them; nil if the host is not pinned.
  ///
  /// Throws where no key could be right. libcurl would take a pin of another form for the name of a file.
  func pins(for origin: WebAddress.Origin) throws(ImageError) -> String? {
    guard !lists.isEmpty || hasUnreadableName else { return nil }
    let host = Self.withoutDot(origin.host)
    guard Self.isComparable(host, withUnreadable: hasUnreadableName) else {
      throw Self.unusable("keys are pinned, and its name cannot be compared with theirs", origin)
    }
    guard let lists = lists[host] else { return nil }
    guard origin.scheme == "https" else {
      throw Self.unusable("keys are pinned, and http shows none", origin)
    }
    let pins = lists.flatMap { $0 }
    guard lists.allSatisfy({ !$0.isEmpty }), pins.allSatisfy(Self.isPin) else {
      throw Self.unusable("what is pinned is no sha256// of a key", origin)
    }
    return pins.joined(separator: ";")
  }

  private static func unusable(_ message: String, _ origin: WebAddress.Origin) -> ImageError {
    .untrustedServer(host: origin.host, cause: .pinUnusable, message: message)
  }

  /// True if the host can be compared with all pinned names: it is in ASCII, and it is no `xn--` name while a pinned
  /// name has an unknown ASCII form.
  private static func isComparable(_ host: String, withUnreadable hasUnreadableName: Bool) -> Bool {
    guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    return !hasUnreadableName || !host.split(separator: ".").contains { $0.hasPrefix("xn--") }
  }

  /// Returns the ASCII host of a host name, a URL, or an IPv6 address without brackets; nil if there is no ASCII form.
  private static func host(_ text: String) -> String? {
    let isBareAddress =
      text.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !text.contains(where: { "/[".contains($0) })
    let authority = isBareAddress ? "[\(text.prefix { $0 != "%" })]" : text
    guard let parts = URLParts(),
      parts.set(CURLUPART_URL, authority.contains("://") ? authority : "https://\(authority)")
    else { return text.utf8.allSatisfy { $0 < 0x80 } ? withoutDot(text.lowercased()) : nil }
    return parts.asciiHost.map { withoutDot($0.lowercased()) }
  }

  private static func withoutDot(_ host: String) -> String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// `sha256//` and 32 bytes in base64.
  private static func isPin(_ text: String) -> Bool {
    let digest = text.utf8.dropFirst("sha256//".utf8.count)
    return text.hasPrefix("sha256//") && digest.count == 44 && digest.last == UInt8(ascii: "=")
      && digest.dropLast().allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      }
  }
}
