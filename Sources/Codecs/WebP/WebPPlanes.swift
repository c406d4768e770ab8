import CCodecs
import VitrineGraphics
import VitrineLoading

/// A lossy WebP frame as planes of luma and of color differences, from which a smaller image is made.
///
/// The rows of the planes are scaled before they are converted to pixels. libwebp would either convert all pixels, or scale
/// without vector instructions.
struct WebPPlanes {
  /// The maximum number of bytes of the planes. A larger frame is scaled by libwebp, which keeps a few rows.
  private static let largestByteCount = 24 << 20

  private let size: PixelSize
  private let memory: PixelBuffer

  /// The number of pixels per pixel of the result, on each side, up to which planes are used. For smaller results, libwebp
  /// is about as fast, and takes less memory.
  private static let largestScale = 8

  /// Returns true for an opaque lossy frame that is scaled down.
  static func suits(_ frame: WebPFrame, _ plan: DecodePlan) -> Bool {
    let (size, scaled) = (frame.size, plan.scaled)
    return !frame.isLossless && !frame.hasAlpha && size == plan.stored && plan.isScaled
      && size.width <= scaled.width * largestScale && size.height <= scaled.height * largestScale
      && bytes(of: size) <= largestByteCount
  }

  /// The bytes of the planes of a frame.
  private static func bytes(of size: PixelSize) -> Int {
    let half = half(size)
    return ByteCount.sum(
      ByteCount.product(size.width, size.height), ByteCount.product(half.width, half.height, 2))
  }

  /// The bytes for the planes of a frame, and for drawing them.
  static func bytes(of size: PixelSize, for plan: DecodePlan) -> Int {
    // The sums of a row of luma and of a row of differences, and the row that is converted.
    let row = ByteCount.product(
      size.width + VideoRangeConversion.pixelsAtOnce, 12 + WebPPlaneRow.bytesPerPixel)
    return ByteCount.sum(bytes(of: size), row, plan.drawingBytes(of: Canvas.Source(size, hasAlpha: false)))
  }

  private static func half(_ size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
  }

  init(_ size: PixelSize) {
    self.size = size
    memory = PixelBuffer(byteCount: Self.bytes(of: size), isZeroed: false)
  }

  /// The first samples of luma and of the two differences.
  private typealias Samples = (
    luma: UnsafeMutablePointer<UInt8>, blue: UnsafeMutablePointer<UInt8>, red: UnsafeMutablePointer<UInt8>
  )

  private var samples: Samples {
    let half = Self.half(size)
    // A frame has at least one pixel.
    let luma = memory.bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    let blue = luma + size.width * size.height
    return (luma, blue, blue + half.width * half.height)
  }

  /// Returns the configuration for decoding into the planes.
  func configuration(for plan: DecodePlan) throws(ImageError) -> WebPDecoderConfig {
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .decoding(.webp, message: "another version of libwebp")
    }
    let (half, samples) = (Self.half(size), samples)
    // As libwebp does when it scales: the filter smooths the edges of blocks, which scaling does as well.
    let isSmall = plan.scaled.width * 4 < size.width * 3 && plan.scaled.height * 4 < size.height * 3
    config.options.bypass_filtering = isSmall ? 1 : 0
    config.output.colorspace = MODE_YUV
    config.output.is_external_memory = 1
    config.output.u.YUVA.y = samples.luma
    config.output.u.YUVA.u = samples.blue
    config.output.u.YUVA.v = samples.red
    config.output.u.YUVA.y_stride = Int32(size.width)
    config.output.u.YUVA.u_stride = Int32(half.width)
    config.output.u.YUVA.v_stride = Int32(half.width)
    config.output.u.YUVA.y_size = size.width * size.height
    config.output.u.YUVA.u_size = half.width * half.height
    config.output.u.YUVA.v_size = half.width * half.height
    return config
  }

  /// Draws the image on a smaller canvas. Throws `.cancelled`.
  func draw(on canvas: Canvas, as format: PixelFormat) throws(ImageError) {
    let (half, samples) = (Self.half(size), samples)
    let source = Canvas.Source(size, hasAlpha: false)
    let spans = AreaScaler.rows(source, to: canvas)
    let conversion = VideoRangeConversion(format)
    let row = WebPPlaneRow(width: size.width)
    var (luma, difference) = (PlaneMeans(width: size.width), PlaneMeans(width: half.width))
    var columns = AreaScaler.sums(
      of: source, AreaScaler.columns(source, to: canvas), rowsPerRow: 1)
    let output = PixelBuffer(byteCount: canvas.size.width * PixelFormat.bytesPerPixel, isZeroed: false)
    defer { withExtendedLifetime((row, output, self)) {} }
    guard let target = output.bytes.baseAddress else { return }
    for y in 0..<canvas.size.height {
      if y % Canvas.stripHeight == 0 { try canvas.cancellation.check() }
      let rows = PlaneRows(spans[y])
      let halves = PlaneRows(halvesOf: rows, height: half.height)
      luma.write(rows, of: samples.luma, stride: size.width, to: row.luma)
      difference.write(halves, of: samples.blue, stride: half.width, to: row.half)
      row.doubleHalf(to: row.blue)
      difference.write(halves, of: samples.red, stride: half.width, to: row.half)
      row.doubleHalf(to: row.red)
      conversion.write(row.luma, blue: row.blue, red: row.red, to: row.pixels, count: row.count)
      columns.add(row.pixels.assumingMemoryBound(to: UInt8.self), weight: 1, of: 1)
      columns.finish(target.assumingMemoryBound(to: UInt8.self))
      canvas.write(target, at: y)
    }
  }
}

/// A row at the width of the planes: samples in 256ths, and pixels. The number of pixels is rounded up to those that are
/// converted at once.
private final class WebPPlaneRow {
  let count: Int
  let luma, blue, red, half: UnsafeMutablePointer<UInt16>
  let pixels: UnsafeMutableRawPointer
  private let halfCount: Int
  private let memory: PixelBuffer

  /// The bytes of a row for each pixel.
  static let bytesPerPixel = 4 * MemoryLayout<UInt16>.stride + PixelFormat.bytesPerPixel

  init(width: Int) {
    let step = VideoRangeConversion.pixelsAtOnce
    count = (width + step - 1) / step * step
    halfCount = (width + 1) / 2
    memory = PixelBuffer(byteCount: count * Self.bytesPerPixel)
    pixels = memory.bytes.baseAddress.unsafelyUnwrapped
    luma = (pixels + count * PixelFormat.bytesPerPixel).bindMemory(to: UInt16.self, capacity: 4 * count)
    blue = luma + count
    red = blue + count
    half = red + count
  }

  /// Doubles the number of samples of `half`: each is three quarters of the nearest sample and a quarter of the next one.
  func doubleHalf(to samples: UnsafeMutablePointer<UInt16>) {
    let half = half
    func mixed(_ nearest: UInt16, _ next: UInt16) -> UInt16 { nearest &- nearest &>> 2 &+ next &>> 2 }
    let last = halfCount - 1
    samples[0] = half[0]
    for index in 0..<last {
      samples[2 &* index &+ 1] = mixed(half[index], half[index &+ 1])
      samples[2 &* index &+ 2] = mixed(half[index &+ 1], half[index])
    }
    samples[2 * last + 1] = half[last]
  }
}
