import CCurl
import VitrineLoading

/// The pinned public keys of servers, by the ASCII host name that libcurl uses.
///
/// A pin whose host name is spelled in another way than libcurl's would silently not be checked, and the connection
/// would lose its protection. If host names cannot be compared, no server is trusted.
struct KeyPins: Sendable {
  /// The pins by host. A host has one list for each spelling in the configuration.
  private let lists: [String: [[String]]]
  /// True if a pinned Unicode name could not be converted to ASCII. Such a name may mean any host with an `xn--` name.
  private let hasUnreadableName: Bool

  init(_ pinnedKeys: [String: [String]], host: (String) -> String? = Self.host) {
    let named = pinnedKeys.map { (host: host($0.key), keys: $0.value) }
    lists = Dictionary(grouping: named.filter { $0.host != nil }) { $0.host ?? "" }.mapValues {
      $0.map(\.keys)
    }
    hasUnreadableName = named.contains { $0.host == nil }
  }

  /// Returns the host's pins in libcurl's format, or `nil` if the host is not pinned.
  ///
  /// Throws `.untrustedServer` with the cause `.pinUnusable` if no key could match: the host names cannot be compared,
  /// the scheme is http, or a pin is malformed. The form of a pin is checked here, because libcurl would take any other
  /// text for a file name.
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

  /// Returns true if the host can be compared with all pinned names: the host is ASCII, and is not an `xn--` name while
  /// a pinned name has an unknown ASCII form.
  private static func isComparable(_ host: String, withUnreadable hasUnreadableName: Bool) -> Bool {
    guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    return !hasUnreadableName || !host.split(separator: ".").contains { $0.hasPrefix("xn--") }
  }

  /// Returns the ASCII host of a host name, a URL, or an IPv6 address without brackets; `nil` if there is no ASCII
  /// form.
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

  /// Returns true if the text is `sha256//` followed by 32 bytes in base64.
  private static func isPin(_ text: String) -> Bool {
    let digest = text.utf8.dropFirst("sha256//".utf8.count)
    return text.hasPrefix("sha256//") && digest.count == 44 && digest.last == UInt8(ascii: "=")
      && digest.dropLast().allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      }
  }
}
