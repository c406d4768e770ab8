import VitrineGraphics
import VitrineLoading

/// Decodes the first frame of a GIF, placed on the logical screen, and finds the frames of an animation. Written in
/// Swift.
enum GIFDecoder {
  static func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> Image {
    let structure = try GIFStructure(data)
    var plan = try plan(structure, options)
    plan.cancellation = cancellation
    let frame = structure.frame
    let indices = try LZW.decode(
      frame.codes, minimumCodeSize: frame.minimumCodeSize, count: frame.size.width * frame.size.height,
      cancellation: cancellation)
    let bitmap = try draw(frame, indices, screen: structure.screen, plan)
    let animation =
      options.decodesAnimation ? try GIFAnimation(structure, limits: options.limits, cancellation) : nil
    return plan.image(bitmap, animation: animation?.animation(of: AnimationBytes(data), plan: plan))
  }

  /// Returns the plan of a decode. Throws if the image exceeds the limits, before memory is allocated.
  static func plan(_ structure: GIFStructure, _ options: DecodeOptions) throws(ImageError) -> DecodePlan {
    let plan = try DecodePlan(format: .gif, stored: structure.screen, orientation: .up, options: options)
    try plan.checkPixels(holdsSource: true)
    // A frame may be larger than the logical screen and is unpacked whole.
    try plan.checkPixels(of: structure.frame.size)
    return plan
  }

  /// Returns the memory that a decode takes. Throws the errors that `decode` throws for the same header.
  static func memory(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> SourceMemory {
    let structure = try GIFStructure(data)
    let frame = structure.frame
    let plan = try plan(structure, options)
    let codec = ByteCount.sum(frame.decodingBytes, LZW.tableBytes)
    let tables =
      options.decodesAnimation ? GIFAnimation.tableBytes(structure, limits: options.limits) : 0
    return SourceMemory(
      plan: plan, source: Canvas.Source(structure.screen, hasAlpha: true),
      codec: ByteCount.sum(codec, tables), collectsRows: false,
      animation: tables > 0 ? ByteCount.sum(data.count, tables) : 0)
  }

  /// Draws the frame, or the rows for which `indices` suffice.
  static func draw(
    _ frame: GIFFrame, _ indices: [UInt8], screen: PixelSize, _ plan: DecodePlan
  ) throws(ImageError) -> Bitmap {
    var painter = GIFPainter(frame, indices: indices, screen: screen, format: plan.options.pixelFormat)
    let source = Canvas.Source(screen, hasAlpha: painter.hasAlpha)
    return try plan.bitmap(hasAlpha: painter.hasAlpha) { (canvas) throws(ImageError) in
      try canvas.draw(source) { (rows, count) throws(ImageError) in
        painter.paint(rows, count: count)
      }
    }
  }
}

/// Draws the logical screen with one frame on it, row by row from the top.
private struct GIFPainter {
  private let frame: GIFFrame
  private let indices: [UInt8]
  private let screen: PixelSize
  /// The pixel for each index; transparent for an index without a color.
  private let colors: [UInt32]
  /// The offset in `indices` of each row of the frame; `nil` for a row that has not arrived.
  private let rowStarts: [Int?]
  private var y = 0

  init(_ frame: GIFFrame, indices: [UInt8], screen: PixelSize, format: PixelFormat) {
    self.frame = frame
    self.indices = indices
    self.screen = screen
    colors = frame.pixels(format)
    rowStarts = frame.rowsToShow(of: indices.count / frame.size.width).map { row in
      row.map { $0 * frame.size.width }
    }
  }

  /// True if a pixel of the screen may be transparent: outside of the frame, with an index without a color, or in a row
  /// that has not arrived.
  var hasAlpha: Bool {
    guard !rowStarts.contains(nil) else { return true }
    let coversScreen =
      frame.x == 0 && frame.y == 0 && frame.size.width >= screen.width
      && frame.size.height >= screen.height
    return !coversScreen || frame.hasTransparentIndex
  }

  /// Writes the next `count` rows of the screen.
  mutating func paint(_ rows: UnsafeMutableRawPointer, count: Int) {
    let pixels = rows.assumingMemoryBound(to: UInt32.self)
    for row in 0..<count {
      let target = UnsafeMutableBufferPointer(start: pixels + row * screen.width, count: screen.width)
      target.update(repeating: 0)
      if y >= frame.y, y - frame.y < frame.size.height, let start = rowStarts[y - frame.y] {
        let visible = max(0, min(frame.size.width, screen.width - frame.x))
        for x in 0..<visible { target[frame.x + x] = colors[Int(indices[start + x])] }
      }
      y += 1
    }
  }
}
