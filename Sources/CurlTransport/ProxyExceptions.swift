import Glibc

/// The hosts that are reached without a proxy. Matched here and not by libcurl, so that a failure can be attributed to
/// the proxy or to the server.
struct ProxyExceptions: Hashable, Sendable {
  private enum Entry: Hashable {
    case all
    /// A host name without leading and trailing dots. Also matches its subdomains.
    case name(String)
    /// A network: the first `bits` bits of an IPv4 address (4 bytes) or IPv6 address (16 bytes).
    case network(bytes: [UInt8], bits: Int)
  }

  private let entries: [Entry]

  /// Parses the entries. Invalid entries are ignored.
  init(_ entries: [String]) { self.entries = entries.compactMap(Self.entry) }

  /// Returns true if `host` is reached without a proxy. `host` has the form that it has in a URL: IPv6 addresses are in
  /// brackets.
  func include(_ host: String) -> Bool {
    guard !entries.isEmpty else { return false }
    let name = Self.bare(host)
    let address = Self.address(name)
    return entries.contains { entry in
      switch entry {
      case .all: true
      case .name(let suffix): address == nil && (name == suffix || name.hasSuffix("." + suffix))
      case .network(let bytes, let bits): address.map { Self.matches($0, bytes, bits) } ?? false
      }
    }
  }

  private static func entry(_ text: String) -> Entry? {
    if text == "*" { return .all }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return nil }
    let name = bare(String(first))
    guard let bytes = address(name) else { return parts.count > 1 || name.isEmpty ? nil : .name(name) }
    guard parts.count > 1 else { return .network(bytes: bytes, bits: bytes.count * 8) }
    guard let bits = Int(parts[1]), (0...bytes.count * 8).contains(bits) else { return nil }
    return .network(bytes: bytes, bits: bits)
  }

  /// Returns the host in lower case, without brackets, zone, leading dots or `*`, and trailing dots.
  private static func bare(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.first == "[" { host = host.dropFirst().prefix { $0 != "]" && $0 != "%" } }
    while host.first == "." || host.first == "*" { host = host.dropFirst() }
    while host.last == "." { host = host.dropLast() }
    return String(host)
  }

  /// Returns the 4 or 16 bytes of a numeric address; `nil` for a host name.
  private static func address(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  /// Returns true if the first `bits` bits of two addresses are equal.
  private static func matches(_ a: [UInt8], _ b: [UInt8], _ bits: Int) -> Bool {
    guard a.count == b.count else { return false }
    let (wholeBytes, remainingBits) = bits.quotientAndRemainder(dividingBy: 8)
    guard a[..<wholeBytes] == b[..<wholeBytes] else { return false }
    return remainingBits == 0 || (a[wholeBytes] ^ b[wholeBytes]) >> (8 - UInt8(remainingBits)) == 0
  }
}
