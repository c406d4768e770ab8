import VitrineGraphics
import VitrineLoading

/// The memory of a bitmap, addressed as the picture is stored: writing row after row turns and mirrors it.
struct Canvas {
  /// As stored: orientation is not yet applied.
  let size: PixelSize
  /// How many of its pixels lie beyond the picture's edge, on each side: less than one, so that each shows
  /// something of the picture.
  var overhang: (x: Double, y: Double) = (0, 0)
  /// Checked before each strip of rows.
  var cancellation = DecodeCancellation.never
  /// The number of rows that a decoder writes at a time, unless it returns the whole image.
  static let stripHeight = 16
  /// Where the first stored pixel lies.
  private let origin: UnsafeMutableRawPointer
  /// Distance in bytes to the next pixel of a stored row.
  private let pixelStep: Int
  /// Distance in bytes to the next stored row.
  private let rowStep: Int

  /// - Parameter size: as stored; `pixels` holds as many, in rows of the oriented width.
  init(pixels: UnsafeMutableRawBufferPointer, size: PixelSize, orientation: Orientation) {
    let bytes = PixelFormat.bytesPerPixel
    let shown = orientation.applied(to: size)
    precondition(pixels.count == shown.width * shown.height * bytes, "memory for all pixels")
    let right = bytes
    let down = shown.width * bytes
    let (alongRow, alongColumn) =
      switch orientation {
      case .up: (right, down)
      case .upMirrored: (-right, down)
      case .down: (-right, -down)
      case .downMirrored: (right, -down)
      case .leftMirrored: (down, right)
      case .right: (down, -right)
      case .rightMirrored: (-down, -right)
      case .left: (-down, right)
      }
    let first =
      (alongRow < 0 ? -alongRow * (size.width - 1) : 0)
      + (alongColumn < 0 ? -alongColumn * (size.height - 1) : 0)
    self.size = size
    // The precondition above says that there is at least one pixel, hence an address.
    origin = pixels.baseAddress.unsafelyUnwrapped + first
    pixelStep = alongRow
    rowStep = alongColumn
  }

  /// Whether rows lie in memory as they are stored, so that a decoder may write them there itself.
  private var isUpright: Bool {
    pixelStep == PixelFormat.bytesPerPixel && rowStep == size.width * PixelFormat.bytesPerPixel
  }

  /// Copies a stored row to its place.
  func write(_ row: UnsafeRawPointer, at y: Int) {
    let target = origin + y * rowStep
    if pixelStep == PixelFormat.bytesPerPixel {
      target.copyMemory(from: row, byteCount: size.width * PixelFormat.bytesPerPixel)
      return
    }
    let pixels = row.assumingMemoryBound(to: UInt32.self)
    for x in 0..<size.width {
      (target + x * pixelStep).storeBytes(of: pixels[x], as: UInt32.self)
    }
  }

  /// Converts stored rows that are finished, where they lie.
  func convert(_ rows: Range<Int>, by colors: ColorConversion) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size.width) { row in
      guard let start = row.baseAddress.map({ UnsafeMutableRawPointer($0) }) else { return }
      for y in rows {
        let source = origin + y * rowStep
        for x in row.indices { row[x] = source.load(fromByteOffset: x * pixelStep, as: UInt32.self) }
        colors.convert(start, count: size.width)
        write(start, at: y)
      }
    }
  }

  /// What a decoder hands out, row by row, four bytes a pixel.
  struct Source {
    var size: PixelSize
    /// What part of `size` the picture covers: less where a decoder that halves rounds up.
    var extent: (width: Double, height: Double)
    /// Whether pixels may be transparent.
    var hasAlpha: Bool
    /// Whether it comes in one piece, not in strips.
    var isWhole = false

    init(_ size: PixelSize, hasAlpha: Bool, isWhole: Bool = false) {
      self.size = size
      self.extent = (Double(size.width), Double(size.height))
      self.hasAlpha = hasAlpha
      self.isWhole = isWhole
    }
  }

  /// Draws all of a picture, scaled to the canvas's size.
  ///
  /// - Parameter read: writes the next rows to a memory, as many as it is told and without gaps between them.
  func draw(
    _ source: Source,
    read: (_ rows: UnsafeMutableRawPointer, _ count: Int) throws(ImageError) -> Void
  ) throws(ImageError) {
    let isScaled = source.size != size
    let bytesPerRow = source.size.width * PixelFormat.bytesPerPixel
    let stripHeight = source.isWhole ? source.size.height : min(source.size.height, Self.stripHeight)
    let isDirect = !isScaled && isUpright
    let strip = isDirect ? nil : PixelBuffer(byteCount: bytesPerRow * stripHeight, isZeroed: false)
    defer { withExtendedLifetime(strip) {} }
    let start = strip?.bytes.baseAddress ?? origin
    var scaler = isScaled ? AreaScaler(source, to: self) : nil
    var y = 0
    while y < source.size.height {
      try cancellation.check()
      let count = min(stripHeight, source.size.height - y)
      let rows = isDirect ? origin + y * bytesPerRow : start
      try read(rows, count)
      if !isDirect {
        for row in 0..<count {
          if scaler?.push(rows + row * bytesPerRow) == nil { write(rows + row * bytesPerRow, at: y + row) }
        }
      }
      y += count
    }
  }
}
