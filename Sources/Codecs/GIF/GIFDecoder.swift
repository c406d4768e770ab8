import VitrineGraphics
import VitrineLoading

/// Decodes the first frame of a GIF, placed on the logical screen. Written in Swift.
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
    return plan.image(try draw(frame, indices, screen: structure.screen, plan))
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
    // One byte per pixel index, limited by the number of codes received. The factor of 64 bytes per row covers three
    // arrays of row offsets.
    let indices = min(
      ByteCount.product(frame.size.width, frame.size.height),
      LZW.largestOutput(of: frame.codeCount, minimumCodeSize: frame.minimumCodeSize))
    let codec = ByteCount.sum(indices, frame.codeCount, frame.size.height * 64, LZW.tableBytes)
    return SourceMemory(
      plan: plan, source: Canvas.Source(structure.screen, hasAlpha: true), codec: codec, collectsRows: false)
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
    colors = (0..<256).map { index in
      guard index * 3 < frame.palette.count, index != frame.transparentIndex.map(Int.init) else { return 0 }
      let entry = frame.palette.dropFirst(index * 3)
      let red = UInt32(entry[entry.startIndex])
      let green = UInt32(entry[entry.startIndex + 1])
      let blue = UInt32(entry[entry.startIndex + 2])
      let first = format == .rgba ? red : blue
      let third = format == .rgba ? blue : red
      return (first | green << 8 | third << 16 | 0xFF << 24).littleEndian
    }
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
    return !coversScreen || frame.transparentIndex != nil || frame.palette.count < 3 << frame.minimumCodeSize
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
