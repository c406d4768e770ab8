import Synchronization

/// The accounting of a loaded image's pixels in a ledger. The pixels count as shown from decoding until the last owner
/// releases them, except while a cache counts them.
///
/// Images that share pixels share this object.
final class ImageMemory: Sendable {
  private let bytes: Int
  let ledger: MemoryLedger
  /// The number of caches that count the pixels. Below 0 while an eviction overtakes the insertion on another thread.
  private let cacheCount = Atomic(0)

  /// Creates the accounting of pixels that the caller has already counted as shown.
  init(counted bytes: Int, in ledger: MemoryLedger) {
    self.bytes = bytes
    self.ledger = ledger
  }

  deinit {
    if cacheCount.load(ordering: .sequentiallyConsistent) <= 0 { ledger.add(-bytes, to: .shown) }
  }

  /// Tells the ledger that a cache counts the pixels from now on.
  func beginCaching() {
    if cacheCount.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1 {
      ledger.add(-bytes, to: .shown)
    }
  }

  /// Tells the ledger that a cache no longer counts the pixels. Never evicts.
  func endCaching() {
    if cacheCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
      _ = ledger.reserve(bytes, for: .shown, force: true)
    }
  }
}

extension Image {
  /// Counts the pixels as shown from now on, unless they are counted already. Moves as many bytes as possible from
  /// `reservation`, the reservation with which the image was made. Never evicts.
  package func countAsShown(movedFrom reservation: MemoryReservation) {
    guard !isCounted else { return }
    reservation.moveToShown(cost)
    setMemory(ImageMemory(counted: cost, in: reservation.ledger))
  }

  /// Called when a memory cache stores the image and counts its pixels. May be called with a lock held.
  package func beginCaching() { memory?.beginCaching() }

  /// Called when a memory cache has removed the image. Never evicts.
  package func endCaching() { memory?.endCaching() }
}
