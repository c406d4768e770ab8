/// The stored responses that are in memory while their servers are asked. Makes decisions only.
struct WaitingCopies {
  private var sizes: [FetchID: Int] = [:]
  /// The number of bytes of all bodies.
  private var bytes = 0
  /// The number of bytes at which further lookups wait.
  private let limit: Int
  /// True if a response may have become unnecessary since the last search for such responses.
  private var isChanged = false

  init(limit: Int = .max) { self.limit = limit }

  /// True if further lookups must wait.
  var isFull: Bool { bytes >= limit }

  /// Sets the number of bytes of the stored response that a fetch holds; `nil` for none.
  mutating func set(_ count: Int?, for id: FetchID) {
    let before = sizes[id]
    guard before != nil || count != nil else { return }
    sizes[id] = count
    bytes += (count ?? 0) - (before ?? 0)
    isChanged = true
  }

  /// Notes that a fetch has lost callers.
  mutating func noteChange() { isChanged = true }

  /// Returns the fetches to search for unnecessary responses, in the order of their start: none if there is room, or if
  /// nothing has changed since the last search.
  mutating func takeCandidates() -> [FetchID] {
    guard isFull, isChanged else { return [] }
    isChanged = false
    return sizes.keys.sorted()
  }
}
