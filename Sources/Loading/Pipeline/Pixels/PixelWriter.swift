import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Writes the pixels of new images to the pixel cache, after the images that the screen is waiting for; see
/// `PixelWrites`.
final class PixelWriter: Sendable {
  private struct State {
    var writes = PixelWrites()
    var waitingForIdle: [@Sendable () -> Void] = []

    mutating func takeIdleWaiters() -> [@Sendable () -> Void] {
      guard writes.isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }
  }

  private let dataCache: any ImageDataCache
  private let variants: PixelVariants
  private let diskWriter: DiskWriter
  private let clock: any LoadingClock
  private let state = Mutex(State())

  /// Returns nil if no pixels are stored.
  ///
  /// - Parameter dataCache: The cache of the responses that the images are made from.
  init?(
    _ variants: PixelVariants?, beside dataCache: (any ImageDataCache)?, to diskWriter: DiskWriter,
    clock: any LoadingClock
  ) {
    guard let variants, let dataCache else { return nil }
    self.dataCache = dataCache
    self.variants = variants
    self.diskWriter = diskWriter
    self.clock = clock
  }

  /// Writes pixels that are worth it: not at once if slots wait for images.
  func store(_ pixels: MadePixels) {
    let rule = PixelStoringRule(
      pixelBytes: pixels.image.bitmap.byteCount, bodyBytes: pixels.bytes.body.count,
      secondsToMake: pixels.seconds)
    guard rule.isWorthStoring,
      let variant = variants.variant(of: pixels.request, pixels.additionalIdentifier)
    else { return }
    let now = clock.now
    let bytes = pixels.bytes
    let entry = PixelWrites.Entry(
      identity: pixels.identity, variant: variant,
      digest: bytes.digest ?? (bytes.source == .disk ? dataCache.digest(of: bytes.body) : nil),
      storing: bytes.storing)
    state.withLock { $0.writes.add(pixels.image, entry, at: now) }
    proceed()
  }

  /// Notes that a slot waits for an image. To be followed by `slotsEnded`.
  func slotBegan() { state.withLock { $0.writes.slotBegan() } }

  /// Notes that `count` slots no longer wait.
  func slotsEnded(_ count: Int) {
    guard count > 0 else { return }
    state.withLock { $0.writes.slotsEnded(count) }
    proceed()
  }

  /// True if pixels are being written, or wait and are not held back for slots.
  var isWriting: Bool { state.withLock { $0.writes.isWriting } }

  /// True if no pixels wait or are being written.
  var isIdle: Bool { state.withLock { $0.writes.isIdle } }

  /// Writes the pixels that wait without further delay, and calls `body` once `isIdle` is true, which may be at once.
  func whenIdle(_ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.writes.hurry()
      state.waitingForIdle.append(body)
    }
    proceed()
  }

  private func proceed() {
    var isAgain = false
    while let step = next(isAgain: isAgain) {
      switch step {
      case .write(let image, let entry):
        diskWriter.storePixels(image, entry) { [self] _ in
          state.withLock { $0.writes.ended() }
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
    for body in state.withLock({ $0.takeIdleWaiters() }) { body() }
  }

  private func next(isAgain: Bool) -> PixelWrites.Step? {
    let now = clock.now
    return state.withLock { $0.writes.next(at: now, isAgain: isAgain) }
  }
}
