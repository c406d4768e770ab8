import FoundationEssentials
import VitrineLoading

/// The keys that servers may have, by host as libcurl reads it.
struct KeyPins: Sendable {
  /// A list for each way in which the host's name was written.
  private let lists: [String: [[String]]]

  init(_ pinnedKeys: [String: [String]]) {
    lists = Dictionary(grouping: pinnedKeys) { Self.host($0.key) }.mapValues { $0.map(\.value) }
  }

  /// As libcurl wants them; nil if the host is not pinned.
  ///
  /// Throws where no key could be right. libcurl would take a pin of another form for the name of a file.
  func pins(for origin: WebAddress.Origin) throws(ImageError) -> String? {
    guard !lists.isEmpty, let lists = lists[Self.withoutDot(origin.host)] else { return nil }
    guard origin.scheme == "https" else {
      throw .untrustedServer(
        host: origin.host, cause: .pinUnusable, message: "keys are pinned, and http shows none")
    }
    let pins = lists.flatMap { $0 }
    guard lists.allSatisfy({ !$0.isEmpty }), pins.allSatisfy(Self.isPin) else {
      throw .untrustedServer(
        host: origin.host, cause: .pinUnusable, message: "what is pinned is no sha256// of a key")
    }
    return pins.joined(separator: ";")
  }

  /// The host that is meant, of a URL too, and of an address of IPv6 without its brackets. A pin that is missed for how
  /// its host is written would be none, and nobody would notice.
  private static func host(_ text: String) -> String {
    let isBareAddress =
      text.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !text.contains(where: { "/[".contains($0) })
    let authority = isBareAddress ? "[\(text.prefix { $0 != "%" })]" : text
    let url = URL(string: authority.contains("://") ? authority : "https://\(authority)")
    return withoutDot(url.flatMap { WebAddress($0)?.origin.host } ?? text.lowercased())
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
