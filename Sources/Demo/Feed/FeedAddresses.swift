import FoundationEssentials

/// Which addresses a list may name.
///
/// A list on this machine may name anything that has a scheme. One from the network may name only http, https and data
/// URLs: its server must not choose which files of this machine are shown. The scheme counts after the address is resolved
/// against the list, as the loader sees it.
nonisolated struct FeedAddresses {
  /// What is wrong with an address.
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

  /// - Parameter base: the place of the list, after redirects.
  init(base: URL) {
    self.base = base
    isLocal = base.isFileURL
  }

  func check(_ address: ArraySlice<UInt8>) throws(Refusal) {
    if Self.isPlain(address) { return }
    // A page instead of a list would be taken for many odd names.
    guard address.first != UInt8(ascii: "<"),
      let url = URL(string: String(decoding: address, as: UTF8.self), relativeTo: base)?.absoluteURL,
      let scheme = url.scheme?.lowercased()
    else { throw .noURL }
    guard isLocal || Self.schemesFromTheNetwork.contains(scheme) else { throw .scheme(scheme) }
  }

  /// Whether an address is a relative path or an http(s) URL of letters that need no closer look: most of a long list are,
  /// and a million of them are checked in a moment.
  static func isPlain(_ address: ArraySlice<UInt8>) -> Bool {
    var rest = address
    for prefix in [Array("http://".utf8), Array("https://".utf8)] where rest.starts(with: prefix) {
      rest = rest.dropFirst(prefix.count)
      let host = rest.prefix(while: isHostByte)
      guard !host.isEmpty else { return false }
      rest = rest.dropFirst(host.count)
      if let next = rest.first, next != UInt8(ascii: "/") { return false }
      return rest.allSatisfy(isPathByte)
    }
    let slash = UInt8(ascii: "/")
    if rest.first == slash, rest.dropFirst().first == slash { return false }
    return !rest.isEmpty && rest.allSatisfy(isPathByte)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// No colon, which may end a scheme, and nothing that is escaped or has to be.
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
