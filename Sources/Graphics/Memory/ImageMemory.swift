import Synchronization

/// The pixels of a loaded image in a ledger. They count as shown from decoding until the last owner releases them,
/// except while a cache counts them.
///
/// Images that share pixels share this object.
final class ImageMemory: Sendable {
  private let bytes: Int
  private let ledger: MemoryLedger
  /// The number of caches that count the pixels. Below 0 while an eviction overtakes the insertion on another thread.
  private let cachings = Atomic(0)

  /// The pixels must be counted as shown already.
  init(counted bytes: Int, in ledger: MemoryLedger) {
    self.bytes = bytes
    self.ledger = ledger
  }

  deinit {
    if cachings.load(ordering: .sequentiallyConsistent) <= 0 { ledger.add(-bytes, to: .shown) }
  }

  /// A cache counts the pixels from now on.
  func beginCaching() {
    if cachings.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1 {
      ledger.add(-bytes, to: .shown)
    }
  }

  /// A cache counts the pixels no longer. Never evicts.
  func endCaching() {
    if cachings.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
      _ = ledger.take(bytes, for: .shown, inAnyCase: true)
    }
  }
}

extension Image {
  /// Counts the pixels as shown from now on, unless they are counted already. Moves as many bytes as possible from
  /// `hold`, the reservation with which the image was made. Never evicts.
  package func countAsShown(movedFrom hold: MemoryHold) {
    guard !isCounted else { return }
    hold.moveToShown(cost)
    setMemory(ImageMemory(counted: cost, in: hold.ledger))
  }

  /// A memory cache keeps the image, and counts its pixels, from now on. May be called with a lock held.
  package func beginCaching() { memory?.beginCaching() }

  /// A memory cache keeps the image no longer. Never evicts.
  package func endCaching() { memory?.endCaching() }
}
