/// The stored responses that are in memory while their servers are asked. Makes decisions only.
struct WaitingCopies {
  private var sizes: [FetchID: Int] = [:]
  /// The number of bytes of all bodies.
  private(set) var bytes = 0
  /// The number of bytes at which further look-ups wait; no limit by default.
  var limit = Int.max
  /// True if a response may have become unnecessary since the last search for such responses.
  private var isChanged = false

  /// True if further look-ups must wait.
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

extension LoadRegistry {
  /// Keeps a stored response in memory while the server is asked; `nil` releases the earlier response.
  mutating func setCopy(_ copy: StoredCopy?, of id: FetchID) {
    guard fetches[id] != nil else { return copies.set(nil, for: id) }
    fetches[id]?.disk.copy = copy
    copies.set(copy?.storedResponse.body.count, for: id)
  }

  /// Returns true if look-ups may begin. Releases stored responses that are not shown after `staleAfter` if there is no
  /// room for more: their servers are asked without a condition, or the disk is read again.
  ///
  /// The other responses are shown after `staleAfter` at the latest and then make room, so that a look-up that waits
  /// here leaves no view without its image for long.
  mutating func fitsMoreCopies() -> Bool {
    for id in copies.takeCandidates() where copies.isFull { releaseCopyIfUnnecessary(id) }
    return !copies.isFull
  }

  private mutating func releaseCopyIfUnnecessary(_ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    switch fetch.phase {
    case .idle where fetch.isHeld:
      setCopy(nil, of: id)
      fetches[id]?.disk.isReleased = true
    case .idle, .running: if !mayServeCopy(id) { setCopy(nil, of: id) }
    case .lookingUp, .received: break
    }
  }
}
