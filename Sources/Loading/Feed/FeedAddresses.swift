import FoundationEssentials

/// The rule for addresses in a list.
///
/// A list on this machine may contain any address with a scheme. A list from the network may contain only http, https
/// and data URLs, so that its server cannot choose files of this machine to show. The scheme is checked after the
/// address has been resolved against the list's URL, as the loader does.
struct FeedAddresses {
  /// The reason why an address is refused.
  enum Refusal: Error, Equatable {
    case noURL
    case scheme(String)

    var reason: String {
      switch self {
      case .noURL: "is no URL"
      case .scheme(let scheme): "is a \(scheme.prefix(20)) URL, which a list from the network may not name"
      }
    }
  }

  static let schemesFromTheNetwork: Set<String> = ["http", "https", "data"]

  private let base: URL
  private let isLocal: Bool

  /// Creates the rule for a list.
  ///
  /// - Parameter base: The URL of the list, after redirects.
  init(base: URL) {
    self.base = base
    isLocal = base.isFileURL
  }

  func check(_ address: ArraySlice<UInt8>) throws(Refusal) {
    if Self.isPlain(address) { return }
    // An HTML page instead of a list would otherwise be read as many odd file names.
    guard address.first != UInt8(ascii: "<"),
      let url = URL(string: String(decoding: address, as: UTF8.self), relativeTo: base)?.absoluteURL,
      let scheme = url.scheme?.lowercased(), !scheme.isEmpty
    else { throw .noURL }
    guard isLocal || Self.schemesFromTheNetwork.contains(scheme) else { throw .scheme(scheme) }
  }

  /// Returns true if an address is a relative path or an http(s) URL of characters that need no parsing. Most addresses
  /// of a long list are, so that a million of them can be checked quickly.
  static func isPlain(_ address: ArraySlice<UInt8>) -> Bool {
    var remaining = address
    for prefix in [Array("http://".utf8), Array("https://".utf8)] where remaining.starts(with: prefix) {
      remaining = remaining.dropFirst(prefix.count)
      let host = remaining.prefix(while: isHostByte)
      guard !host.isEmpty else { return false }
      remaining = remaining.dropFirst(host.count)
      if let next = remaining.first, next != UInt8(ascii: "/") { return false }
      return remaining.allSatisfy(isPathByte)
    }
    let slash = UInt8(ascii: "/")
    if remaining.first == slash, remaining.dropFirst().first == slash { return false }
    return !remaining.isEmpty && remaining.allSatisfy(isPathByte)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Returns true for a byte that needs no escaping and no parsing. A colon is excluded because it may end a scheme.
  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}
