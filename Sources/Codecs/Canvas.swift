import VitrineGraphics
import VitrineLoading

/// The memory of a bitmap, addressed in the orientation in which the image is stored: writing row after row rotates and
/// mirrors the image.
struct Canvas {
  /// The size as stored, before the orientation is applied.
  let size: PixelSize
  /// The fraction of a pixel by which the canvas exceeds the image at each edge: less than one pixel, so that every
  /// pixel shows a part of the image.
  var overhang: (x: Double, y: Double) = (0, 0)
  /// Checked before each strip of rows.
  var cancellation = DecodeCancellation.never
  /// The number of rows that a decoder writes at a time, unless it returns the whole image.
  static let stripHeight = 16
  /// The address of the first stored pixel.
  private let origin: UnsafeMutableRawPointer
  /// The distance in bytes to the next pixel of a stored row.
  private let pixelStep: Int
  /// The distance in bytes to the next stored row.
  private let rowStep: Int

  /// Creates a canvas over the memory of a bitmap.
  ///
  /// - Parameter size: The size as stored. `pixels` must hold exactly that number of pixels, in rows of the oriented
  ///   width.
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
    // The precondition above implies at least one pixel, hence an address.
    origin = pixels.baseAddress.unsafelyUnwrapped + first
    pixelStep = alongRow
    rowStep = alongColumn
  }

  /// True if stored rows are contiguous in memory, so that a decoder may write them directly.
  private var isUpright: Bool {
    pixelStep == PixelFormat.bytesPerPixel && rowStep == size.width * PixelFormat.bytesPerPixel
  }

  /// Copies a stored row to its position on the canvas.
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

  /// Converts the colors of finished rows in place. The rows are numbered as stored.
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

  /// The form in which a decoder returns an image: row by row, with three or four bytes per pixel.
  struct Source {
    var size: PixelSize
    /// The part of `size` that the image covers: less than all of it if a decoder that scales down has rounded up.
    var extent: (width: Double, height: Double)
    /// True if pixels may be transparent.
    var hasAlpha: Bool
    /// True if the decoder returns the whole image at once instead of strips.
    var isWhole = false
    /// Four, or three in an opaque image that is scaled: red, green and blue.
    var bytesPerPixel = PixelFormat.bytesPerPixel
    /// True for a tile, whose scaled pixels must not depend on the other pixels of the tile.
    var isTile = false
    /// True if red and blue are to be swapped. Only for images that are scaled, because the result has fewer pixels.
    var swapsRedAndBlue = false

    /// The number of bytes of a row.
    var bytesPerRow: Int { size.width * bytesPerPixel }

    init(_ size: PixelSize, hasAlpha: Bool, isWhole: Bool = false) {
      self.size = size
      self.extent = (Double(size.width), Double(size.height))
      self.hasAlpha = hasAlpha
      self.isWhole = isWhole
    }
  }

  /// Draws the whole image, scaled to the size of the canvas.
  ///
  /// - Parameter read: Writes the next `count` rows to `rows`, without gaps.
  func draw(
    _ source: Source, read: (_ rows: UnsafeMutableRawPointer, _ count: Int) throws(ImageError) -> Void
  ) throws(ImageError) {
    let isScaled = source.size != size
    precondition(
      isScaled || (source.bytesPerPixel == PixelFormat.bytesPerPixel && !source.swapsRedAndBlue),
      "pixels are converted while they are scaled")
    let bytesPerRow = source.bytesPerRow
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
