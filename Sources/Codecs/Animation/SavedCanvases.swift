import Synchronization
import VitrineGraphics

/// The canvases that the decoder of an animation has saved. May be used from any thread.
final class SavedCanvases: Sendable {
  private struct SavedCanvas: Sendable {
    let pixels: PixelBuffer
    /// Ends when the canvas is released.
    let reservation: MemoryReservation?
  }

  private struct State {
    var ledger: MemoryLedger?
    var canvases: [Int: SavedCanvas] = [:]
  }

  private let state = Mutex(State())

  /// The ledger that counts canvases from now on; `nil` for none.
  func count(in ledger: MemoryLedger?) { state.withLock { $0.ledger = ledger } }

  /// The frames whose canvases are saved, in ascending order.
  var frames: [Int] { state.withLock { $0.canvases.keys.sorted() } }

  /// Saves the canvas of a frame, unless there is no room in the ledger.
  func save(_ canvas: PixelBuffer, of frame: Int) {
    let byteCount = canvas.bytes.count
    var reservation: MemoryReservation?
    if let ledger = state.withLock({ $0.ledger }) {
      let memory = MemoryReservation(0, in: ledger, as: .decoding)
      guard memory.reserve(byteCount, force: false) else { return }
      reservation = memory
    }
    let copy = SavedCanvas(
      pixels: PixelBuffer(byteCount: byteCount, isZeroed: false), reservation: reservation)
    copy.pixels.bytes.copyMemory(from: UnsafeRawBufferPointer(canvas.bytes))
    // An earlier canvas of the frame is released after the lock.
    _ = state.withLock { $0.canvases.updateValue(copy, forKey: frame) }
  }

  /// Copies the saved canvas of a frame. Returns false if the canvas was released meanwhile.
  func restore(_ frame: Int, to canvas: PixelBuffer) -> Bool {
    guard let saved = state.withLock({ $0.canvases[frame] }) else { return false }
    canvas.bytes.copyMemory(from: UnsafeRawBufferPointer(saved.pixels.bytes))
    return true
  }

  /// Releases the canvases of some frames.
  func release(_ frames: [Int]) {
    guard !frames.isEmpty else { return }
    // Released after the lock.
    _ = state.withLock { state in frames.map { state.canvases.removeValue(forKey: $0) } }
  }

  /// Releases all canvases, and returns their number of bytes.
  func releaseAll() -> Int {
    let canvases = state.withLock { state -> [Int: SavedCanvas] in
      let canvases = state.canvases
      state.canvases = [:]
      return canvases
    }
    return canvases.values.reduce(0) { ByteCount.sum($0, $1.pixels.bytes.count) }
  }
}
