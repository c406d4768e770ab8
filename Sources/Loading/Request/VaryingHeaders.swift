/// Which further headers change the answer of which URL, as servers have named them in `Vary` (RFC 9110, 12.5.5).
struct VaryingHeaders {
  /// URLs that are remembered; beyond that the oldest are forgotten, and learnt again.
  static let limit = 1000

  private var names: [String: Set<String>] = [:]
  /// The same, the oldest first.
  private var order = WaitingList<String>()
  private var lastNumber: UInt64 = 0

  /// Names in lower case; empty for most URLs.
  func names(for url: String) -> Set<String> { names[url] ?? [] }

  /// Reads an answer's `Vary`; whether it has names that were not known for the URL. Those that are part of every
  /// identity, or never sent, do not count; `Cookie` and `Authorization` do, because a transport may add them.
  @discardableResult
  mutating func learn(from headers: HTTPHeaders, for url: String) -> Bool {
    let fields = headers.fields.filter { HTTPHeaders.isSame($0.name, "Vary") }
    guard !fields.isEmpty else { return false }
    let all = fields.flatMap { $0.value.split { ", \t".contains($0) }.map { $0.lowercased() } }
    let new = Set(all).subtracting(Self.unimportant).subtracting(names(for: url))
    guard !new.isEmpty else { return false }
    lastNumber += 1
    order.append(url, priority: .normal, number: lastNumber)
    names[url, default: []].formUnion(new)
    if names.count > Self.limit, let oldest = order.head(.fifo)?.item {
      order.remove(oldest)
      names[oldest] = nil
    }
    return true
  }

  private static let unimportant: Set<String> = ["*", "accept", "accept-language", "accept-encoding"]
}
