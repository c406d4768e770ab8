import VitrineConcurrency

/// The live streams of a downloader, which follow its offline switch and the network.
final class LiveStreams: Sendable {
  private struct Entry {
    weak var runner: LiveRunner?
  }

  private let entries = Shared<[Entry]>([])

  /// Adds a stream. Released streams are removed. O(n) in the number of streams.
  func add(_ runner: LiveRunner) {
    entries.withLock { entries in
      entries.removeAll { $0.runner == nil }
      entries.append(Entry(runner: runner))
    }
  }

  /// Calls a function for each stream, without a lock held.
  func forEach(_ body: (LiveRunner) -> Void) {
    for runner in entries.withLock({ $0.compactMap(\.runner) }) { body(runner) }
  }
}
