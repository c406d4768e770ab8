import Synchronization

/// A token that only the first caller can take.
final class Once: Sendable {
  /// A flag that can be set once and is read from any thread.
  final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private let isTaken = Atomic(false)

  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
