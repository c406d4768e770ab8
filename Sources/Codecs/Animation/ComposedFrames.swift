import VitrineGraphics
import VitrineLoading

/// Composes the frames of an animation on a canvas of full size, and scales, rotates and converts the colors of each
/// composed frame as for a still image.
///
/// The canvas stays between two calls, so that the next frame in order is drawn on it. For another frame, composing
/// goes on from the canvas, from a saved canvas or from the latest keyframe, whichever is latest.
final class ComposedFrames: FrameDecoding {
  private let table: AnimationTable
  private let plan: DecodePlan
  private let source: any FrameSource
  private let blend: PixelBlend
  private var canvas: PixelBuffer
  /// The rectangle below the shown frame, while the shown frame has the disposal `.previous`.
  private var saved: PixelBuffer?
  /// The number of the frame on the canvas; `nil` if the canvas must be cleared.
  private var shown: Int?
  /// The frame that could not be drawn in the last call, or the number of frames if a later one was asked for.
  private(set) var damagedFrame: Int?
  private var canvasPlan: CanvasPlan
  private let savedCanvases = SavedCanvases()

  /// Allocates a transparent canvas.
  ///
  /// - Parameters:
  ///   - plan: The plan of the decode of one frame. `plan.stored` is the size of the canvas, and the limits have been
  ///     checked for all pixels of the canvas.
  ///   - blend: The formula for frames with the blend `.over` and transparent pixels.
  init(
    _ table: AnimationTable, plan: DecodePlan, source: any FrameSource, blend: PixelBlend = .exact
  ) {
    precondition(plan.stored == table.canvas, "a plan for the canvas")
    self.table = table
    self.plan = plan
    self.source = source
    self.blend = blend
    canvasPlan = CanvasPlan(frameCount: table.frames.count)
    canvas = PixelBuffer(
      byteCount: table.canvas.width * table.canvas.height * PixelFormat.bytesPerPixel, isZeroed: false)
  }

  /// Takes over the canvas of a decoder for the first frames of the same animation, so that these frames need not be
  /// drawn again. Does nothing if `beginning` is of another kind.
  func goOn(from beginning: (any FrameDecoding)?) {
    guard let beginning = beginning as? ComposedFrames, let shown = beginning.shown,
      beginning.table.canvas == table.canvas,
      beginning.plan.options.pixelFormat == plan.options.pixelFormat,
      shown < table.frames.count, table.frames[shown] == beginning.table.frames[shown]
    else { return }
    (canvas, saved, self.shown) = (beginning.canvas, beginning.saved, shown)
    beginning.shown = nil
  }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    do throws(ImageError) {
      return try DecodeCancellation.with(isCancelled) { (cancellation) throws(ImageError) in
        try frame(index, cancellation: cancellation)
      }
    } catch {
      throw AnimationError(error)
    }
  }

  /// Returns a composed frame.
  func frame(_ index: Int, cancellation: DecodeCancellation) throws(ImageError) -> Bitmap {
    damagedFrame = nil
    guard table.frames.indices.contains(index) else {
      damagedFrame = table.frames.count
      throw .decoding(plan.format, message: "no frame \(index)")
    }
    try compose(index, cancellation)
    return try bitmap(cancellation)
  }

  private var bytesPerRow: Int { table.canvas.width * PixelFormat.bytesPerPixel }

  /// Draws the frames that `index` depends on, and `index`.
  private func compose(_ index: Int, _ cancellation: DecodeCancellation) throws(ImageError) {
    guard shown != index else { return }
    let keyframe = table.keyframe(for: index)
    let pass = canvasPlan.pass(to: index, keyframe: keyframe, shown: shown, saved: savedCanvases.frames)
    var next = begin(pass.start) ?? keyframe
    savedCanvases.release(pass.releases)
    var saves = pass.saves[...]
    while next <= index {
      try cancellation.check()
      // A frame that is undone before the next frame leaves no trace.
      let isUndone = table.frames[next].disposal == .previous
      if next == index || !isUndone {
        // Each of the frames has the time of one frame.
        damagedFrame = next
        try plan.limitingTime(cancellation) { (cancellation) throws(ImageError) in
          try draw(next, cancellation)
        }
        damagedFrame = nil
      }
      if let save = saves.first, save <= next, next < index, !isUndone {
        savedCanvases.save(canvas, of: next)
        saves = saves.drop { $0 <= next }
      }
      next += 1
    }
  }

  /// Makes the canvas that of the frame from which composing goes on. Returns the number of the frame after it; `nil` if
  /// the canvas is clear.
  private func begin(_ start: CanvasPlan.Pass.Start) -> Int? {
    switch start {
    case .shown: break
    case .saved(let frame): shown = savedCanvases.restore(frame, to: canvas) ? frame : nil
    case .clear: shown = nil
    }
    if let shown { return shown + 1 }
    canvas.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    return nil
  }

  /// Disposes of the shown frame and draws another. If the frame cannot be decoded, the canvas is given up.
  private func draw(_ index: Int, _ cancellation: DecodeCancellation) throws(ImageError) {
    let clear = clearArea(before: index)
    if let shown { dispose(of: table.frames[shown]) }
    shown = nil
    let frame = table.frames[index]
    let visible = frame.visibleSize(on: table.canvas)
    if visible.width > 0, visible.height > 0 {
      if frame.disposal == .previous { save(frame) }
      try source.decodeFrame(index, cancellation: cancellation) { pixels, y in
        guard y >= 0, y < visible.height else { return }
        let target = row(y, of: frame)
        if frame.replacesCanvas {
          target.copyMemory(from: pixels, byteCount: visible.width * PixelFormat.bytesPerPixel)
        } else {
          blendRow(pixels, target, y: frame.y + y, x: frame.x, count: visible.width, clear: clear)
        }
      }
    }
    shown = index
  }

  /// Returns the area to which a frame is copied because the canvas is transparent there: the whole canvas below a
  /// keyframe, the rectangle that the disposal of the shown frame clears, or an empty area.
  private func clearArea(before index: Int) -> PixelArea {
    if blend.copiesToClearCanvas, table.keyframe(for: index) == index {
      return PixelArea(x: 0, y: 0, width: table.canvas.width, height: table.canvas.height)
    }
    guard blend.copiesToClearCanvas, let shown, table.frames[shown].disposal == .background else {
      return PixelArea(x: 0, y: 0, width: 0, height: 0)
    }
    let visible = table.frames[shown].visibleSize(on: table.canvas)
    return PixelArea(
      x: table.frames[shown].x, y: table.frames[shown].y, width: visible.width, height: visible.height)
  }

  /// Blends a part of a row of the canvas. Pixels in `clear` are copied.
  private func blendRow(
    _ pixels: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, y: Int, x: Int, count: Int,
    clear: PixelArea
  ) {
    let isClear = y >= clear.y && y - clear.y < clear.height
    let start = isClear ? min(count, max(0, clear.x - x)) : count
    let end = isClear ? min(count, max(start, clear.x + clear.width - x)) : count
    let bytes = PixelFormat.bytesPerPixel
    blend.draw(pixels, target, start)
    (target + start * bytes).copyMemory(from: pixels + start * bytes, byteCount: (end - start) * bytes)
    blend.draw(pixels + end * bytes, target + end * bytes, count - end)
  }

  /// Returns the address on the canvas of the first pixel of a visible row of a frame.
  private func row(_ y: Int, of frame: FrameLayout) -> UnsafeMutableRawPointer {
    // The canvas has at least one pixel, hence an address.
    canvas.bytes.baseAddress.unsafelyUnwrapped + (frame.y + y) * bytesPerRow
      + frame.x * PixelFormat.bytesPerPixel
  }

  private func dispose(of frame: FrameLayout) {
    let visible = frame.visibleSize(on: table.canvas)
    let byteCount = visible.width * PixelFormat.bytesPerPixel
    guard byteCount > 0 else { return }
    for y in 0..<visible.height {
      switch frame.disposal {
      case .none: return
      case .background: row(y, of: frame).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      case .previous:
        guard let saved = saved?.bytes.baseAddress else { return }
        row(y, of: frame).copyMemory(from: saved + y * byteCount, byteCount: byteCount)
      }
    }
  }

  /// Copies the rectangle of the canvas that a frame will cover.
  private func save(_ frame: FrameLayout) {
    let visible = frame.visibleSize(on: table.canvas)
    let byteCount = visible.width * PixelFormat.bytesPerPixel
    // The buffer of a decoder for fewer frames may be too small.
    let byteCountOfAll = table.largestSavedArea * PixelFormat.bytesPerPixel
    let buffer =
      saved.flatMap { $0.bytes.count >= byteCountOfAll ? $0 : nil }
      ?? PixelBuffer(byteCount: byteCountOfAll, isZeroed: false)
    saved = buffer
    guard let target = buffer.bytes.baseAddress else { return }
    for y in 0..<visible.height {
      (target + y * byteCount).copyMemory(from: row(y, of: frame), byteCount: byteCount)
    }
  }

  /// Returns the canvas as a bitmap of the requested size, orientation and colors.
  private func bitmap(_ cancellation: DecodeCancellation) throws(ImageError) -> Bitmap {
    let pixels = UnsafeRawBufferPointer(canvas.bytes)
    let hasAlpha = !pixels.hasOnlyOpaquePixels
    var plan = plan
    plan.cancellation = cancellation
    return try plan.bitmap(hasAlpha: hasAlpha) { (result) throws(ImageError) in
      var start = 0
      try result.draw(Canvas.Source(table.canvas, hasAlpha: hasAlpha)) { (rows, count) throws(ImageError) in
        let byteCount = count * bytesPerRow
        let strip = UnsafeRawBufferPointer(rebasing: pixels[start..<(start + byteCount)])
        UnsafeMutableRawBufferPointer(start: rows, count: byteCount).copyMemory(from: strip)
        start += byteCount
      }
    }
  }
}

extension ComposedFrames: DamageLocating {}

extension ComposedFrames: CanvasSaving {
  func saveCanvases(countedIn ledger: MemoryLedger?) {
    savedCanvases.count(in: ledger)
    canvasPlan.allowCanvases(longestRun: table.longestRun, canvasBytes: canvas.bytes.count)
  }

  func releaseSavedCanvases() -> Int { savedCanvases.releaseAll() }
}
