/// Which further headers change the answer of which URL, as servers have named them in `Vary` (RFC 9110, 12.5.5).
struct VaryingHeaders {
  /// URLs that are remembered; beyond that the oldest are forgotten, and learnt again.
  static let limit = 1000
  /// The maximum number of names of a URL, and their maximum length in bytes. A longer list counts as `*`, so that the
  /// names cannot fill the memory.
  static let maximumNames = 32
  static let longestNames = 1 << 10

  private var names: [String: Set<String>] = [:]
  /// The same, the oldest first.
  private var order = WaitingList<String>()
  private var lastNumber: UInt64 = 0

  /// Names in lower case; empty for most URLs. `*` alone means that every header of a request counts.
  func names(for url: String) -> Set<String> { names[url] ?? [] }

  /// Reads an answer's `Vary`; whether it has names that were not known for the URL. Those that are part of every
  /// identity, or never sent, do not count; `Cookie` and `Authorization` do, because a transport may add them.
  @discardableResult
  mutating func learn(from headers: HTTPHeaders, for url: String) -> Bool {
    let (stated, known) = (Self.names(in: headers), names(for: url))
    guard !stated.isEmpty, known != Self.every else { return false }
    let new = stated.subtracting(Self.unimportant).subtracting(known)
    guard !new.isEmpty else { return false }
    lastNumber += 1
    order.append(url, priority: .normal, number: lastNumber)
    names[url] = Self.bounded(known.union(new))
    if names.count > Self.limit, let oldest = order.head(.fifo)?.item {
      order.remove(oldest)
      names[oldest] = nil
    }
    return true
  }

  private static let unimportant: Set<String> = ["accept", "accept-language", "accept-encoding"]

  /// The set that stands for all headers: `Vary: *`, or more names than are remembered.
  static let every: Set<String> = ["*"]

  /// Returns the names in the `Vary` fields of a response in lower case, or `every`.
  static func names(in headers: HTTPHeaders) -> Set<String> {
    let fields = headers.fields.filter { HTTPHeaders.isSame($0.name, "Vary") }
    guard fields.reduce(0, { $0 + $1.value.utf8.count }) <= longestNames else { return every }
    return bounded(
      Set(fields.flatMap { $0.value.split { ", \t".contains($0) }.map { $0.lowercased() } }))
  }

  private static func bounded(_ names: Set<String>) -> Set<String> {
    let isTooLong = names.count > maximumNames || names.reduce(0) { $0 + $1.utf8.count } > longestNames
    return isTooLong || names.contains("*") ? every : names
  }
}
