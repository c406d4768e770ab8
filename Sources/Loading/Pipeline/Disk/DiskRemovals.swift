/// The removals of single responses that wait for the disk or are under way. Makes decisions only.
///
/// Removals are made in batches, one after the other within a batch. There is one waiting removal for each response. A
/// response that is being removed counts as missing for lookups.
struct DiskRemovals {
  typealias Completion = DiskWrites.Completion

  /// The approximate number of bytes that pending removals may take in memory; about 20,000 removals.
  static let limit = 8 << 20

  private struct Batch {
    /// The completion handlers of each removal.
    var completions: [RequestIdentity: [Completion]] = [:]
    /// The responses in the order of their removal.
    var identities: [RequestIdentity] = []
    /// The index of the next removal.
    var next = 0
    var hasBegun = false
  }

  private var batches: [UInt64: Batch] = [:]
  /// The batch that makes the removal of a response, while nothing newer of the response waits.
  private var waiting: [RequestIdentity: UInt64] = [:]
  private var counts: [RequestIdentity: Int] = [:]
  private var bytes = 0
  /// The number of pending removals of everything.
  var all = 0

  /// True if a response is removed, or will be.
  func contain(_ identity: RequestIdentity) -> Bool { all > 0 || counts[identity] != nil }

  /// True if removals are pending and the removal of `identity` would exceed `limit`.
  func areFull(with identity: RequestIdentity) -> Bool {
    bytes > 0 && bytes.addingSaturated(Self.cost(identity)) > Self.limit
  }

  /// Adds a removal to a batch that waits. Returns false if a new batch is needed.
  ///
  /// - Parameter last: The number of the last change, which a later removal can be part of.
  mutating func join(_ identity: RequestIdentity, _ completion: Completion?, last: UInt64) -> Bool {
    if let number = waiting[identity] {
      if let completion { batches[number]?.completions[identity]?.append(completion) }
      return true
    }
    guard batches[last]?.hasBegun == false, !areFull(with: identity) else { return false }
    add(identity, completion, to: last)
    return true
  }

  /// Adds a removal to the batch with this number, which may be new.
  mutating func add(_ identity: RequestIdentity, _ completion: Completion?, to number: UInt64) {
    batches[number, default: Batch()].completions[identity] = completion.map { [$0] } ?? []
    batches[number]?.identities.append(identity)
    waiting[identity] = number
    counts[identity, default: 0] += 1
    bytes += Self.cost(identity)
  }

  /// Notes that a response is stored after the removals that wait. A later removal must come after the store.
  mutating func noteStore(of identity: RequestIdentity) { waiting[identity] = nil }

  mutating func begin(_ number: UInt64) {
    guard let batch = batches[number] else { return }
    batches[number]?.hasBegun = true
    for identity in batch.identities where waiting[identity] == number { waiting[identity] = nil }
  }

  /// Returns the next response to remove; `nil` at the end of the batch.
  mutating func next(of number: UInt64) -> RequestIdentity? {
    guard let batch = batches[number], batch.next < batch.identities.count else { return nil }
    batches[number]?.next += 1
    return batch.identities[batch.next]
  }

  /// Ends a removal. Returns the completion handlers, unless these have been called already.
  mutating func end(_ identity: RequestIdentity, of number: UInt64) -> [Completion] {
    forget(identity)
    return batches[number]?.completions.removeValue(forKey: identity) ?? []
  }

  mutating func endBatch(_ number: UInt64) { batches[number] = nil }

  /// Takes out the completion handlers of all removals, which will be made later.
  mutating func takeCompletions() -> [Completion] {
    var taken: [Completion] = []
    for number in batches.keys.sorted() {
      for identity in batches[number].map({ Array($0.completions.keys) }) ?? [] {
        taken += batches[number]?.completions.updateValue([], forKey: identity) ?? []
      }
    }
    return taken
  }

  /// Drops the batches that have not begun. Returns their numbers and completion handlers.
  mutating func dropWaiting() -> (numbers: [UInt64], completions: [Completion]) {
    let dropped = batches.filter { !$0.value.hasBegun }
    for (number, batch) in dropped {
      for identity in batch.identities { forget(identity) }
      batches[number] = nil
    }
    waiting = [:]
    return (dropped.keys.sorted(), dropped.values.flatMap { $0.completions.values.flatMap { $0 } })
  }

  private mutating func forget(_ identity: RequestIdentity) {
    guard let count = counts[identity] else { return }
    counts[identity] = count == 1 ? nil : count - 1
    bytes -= Self.cost(identity)
  }

  private static func cost(_ identity: RequestIdentity) -> Int {
    let headers = identity.allHeaders.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return 256 + identity.url.utf8.count + headers
  }
}
