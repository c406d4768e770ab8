import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Writes the pixels of new images to the pixel cache, after the images that the screen is waiting for; see
/// `PixelWrites`.
final class PixelWriter: Sendable {
  private struct State {
    var writes: PixelWrites
    /// Functions, each with the number of images that must have been written before it is called.
    var waiting: [(count: UInt64, body: @Sendable () -> Void)] = []

    mutating func takeWaiters() -> [@Sendable () -> Void] {
      let due = waiting.filter { writes.areWritten($0.count) }
      if !due.isEmpty { waiting.removeAll { writes.areWritten($0.count) } }
      return due.map(\.body)
    }
  }

  private let variants: PixelVariants
  private let diskWriter: DiskWriter
  private let clock: any LoadingClock
  private let state: Mutex<State>

  /// - Parameter keepsAll: True to keep all images in memory until they are written; see `PixelWrites`.
  init(
    _ variants: PixelVariants, to diskWriter: DiskWriter, keepsAll: Bool = false, clock: any LoadingClock
  ) {
    state = Mutex(State(writes: PixelWrites(keepsAll: keepsAll)))
    self.variants = variants
    self.diskWriter = diskWriter
    self.clock = clock
  }

  /// Writes pixels that `PixelStoringRule` accepts, later if slots are waiting for images.
  func store(_ pixels: MadePixels) {
    let rule = PixelStoringRule(
      pixelBytes: pixels.image.bitmap.byteCount, bodyBytes: pixels.bytes.body.count,
      secondsToMake: pixels.seconds, readSpeed: diskWriter.pixelReadSpeed)
    guard rule.isWorthStoring,
      let variant = variants.variant(of: pixels.request, pixels.additionalIdentifier)
    else { return }
    let now = clock.now
    let entry = PixelWrites.Entry(identity: pixels.identity, variant: variant, madeFrom: pixels.bytes)
    state.withLock { $0.writes.add(pixels.image, entry, at: now) }
    proceed()
  }

  /// Notes that a slot waits for an image. To be followed by `slotsEnded`.
  func slotBegan() { state.withLock { $0.writes.slotBegan() } }

  /// Notes that `count` slots no longer wait.
  ///
  /// - Parameter bodyBytes: The number of bytes of bodies that wait to be written.
  func slotsEnded(_ count: Int, bodyBytes: Int) {
    let now = clock.now
    state.withLock { $0.writes.slotsEnded(count, bodyBytes: bodyBytes, at: now) }
    proceed()
  }

  /// True if pixels are being written, or wait and are not held back for slots.
  var isBusy: Bool {
    let now = clock.now
    return state.withLock { $0.writes.isBusy(at: now) }
  }

  /// The number of images whose pixels are worth storing and were not stored.
  var lostCount: Int { state.withLock { $0.writes.lostCount } }

  /// True if no pixels wait or are being written.
  var isIdle: Bool { state.withLock { $0.writes.isIdle } }

  /// Writes the pixels that wait without further delay, and then calls `body`, which may be at once.
  func whenWritten(_ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.writes.hurry()
      state.waiting.append((state.writes.addedCount, body))
    }
    proceed()
  }

  private func proceed() {
    var isAgain = false
    while let step = next(isAgain: isAgain) {
      switch step {
      case .write(let image, let entry):
        diskWriter.storePixels(image, entry) { [self] isWritten in
          state.withLock { $0.writes.ended(isWritten: isWritten) }
          callWaiters()
          proceed()
        }
        isAgain = true
      case .wait(let time):
        clock.wake(at: time) { [weak self] in
          self?.state.withLock { $0.writes.woken(at: time) }
          self?.proceed()
        }
        return
      }
    }
    callWaiters()
  }

  private func callWaiters() {
    for body in state.withLock({ $0.takeWaiters() }) { body() }
  }

  private func next(isAgain: Bool) -> PixelWrites.Step? {
    let now = clock.now
    return state.withLock { $0.writes.next(at: now, isAgain: isAgain) }
  }
}
