import VitrineGraphics
import VitrineLoading

/// A width and a height in pixels.
struct PixelSize: Hashable {
  var width, height: Int
}

/// The parameters of a decode, computed from the header before any memory is allocated.
struct DecodePlan {
  let format: ImageFormat
  let orientation: Orientation
  /// The size as encoded.
  let stored: PixelSize
  /// The size to scale to, before orientation is applied.
  let scaled: PixelSize
  /// The fraction of a pixel by which `scaled` exceeds the exact size of the image at each edge: less than one pixel.
  let overhang: (x: Double, y: Double)
  let options: DecodeOptions
  /// The conversion from the image's color profile to sRGB; `nil` if the colors are not converted.
  private(set) var colors: ColorConversion?
  /// Checked between rows and passes.
  var cancellation = DecodeCancellation.never
  /// The title and the time in the encoded image.
  var metadata: ImageMetadata?

  /// The maximum length of a side, so that a strip of rows is counted by an `Int` on a 32-bit machine too.
  private static let largestSide = Int.max / (PixelFormat.bytesPerPixel * Canvas.stripHeight * 2)

  /// Throws `.decoding` if a side is zero, and `.tooLarge(.side)`.
  init(
    format: ImageFormat, stored: PixelSize, orientation: Orientation, options: DecodeOptions
  ) throws(ImageError) {
    guard stored.width > 0, stored.height > 0 else {
      throw .decoding(format, message: "a side of zero pixels")
    }
    let largestSide = min(options.limits.side, Self.largestSide)
    guard max(stored.width, stored.height) <= largestSide else {
      throw .tooLarge(.side(largestSide))
    }
    self.format = format
    self.stored = stored
    self.orientation = orientation
    self.options = options
    let source = orientation.applied(to: stored)
    let targetSize = options.target?.outputSize(sourceWidth: source.width, sourceHeight: source.height)
    let output = options.outputSize(sourceWidth: source.width, sourceHeight: source.height)
    scaled = orientation.applied(to: PixelSize(width: output.width, height: output.height))
    // An image that is cropped keeps its exact aspect ratio; an image that is shown whole is rounded to whole pixels.
    guard let target = options.target, target.fills(sourceWidth: source.width, sourceHeight: source.height),
      scaled != stored,
      targetSize?.width == output.width, targetSize?.height == output.height
    else {
      overhang = (0, 0)
      return
    }
    let exact = target.exactSize(sourceWidth: source.width, sourceHeight: source.height)
    let (width, height) = orientation.swapsSides ? (exact.height, exact.width) : exact
    overhang = (max(0, (Double(scaled.width) - width) / 2), max(0, (Double(scaled.height) - height) / 2))
  }

  /// Sets up the conversion from a color profile to sRGB. RGB and gray colors are converted after scaling, because the
  /// result has fewer pixels; CMYK is converted while it is decoded.
  mutating func convertColors(of model: ColorConversion.Model, with profile: ICCProfile?) {
    colors = profile.flatMap { ColorConversion($0, of: model, as: options.pixelFormat) }
  }

  /// Uses a conversion that was set up before.
  mutating func convertColors(by conversion: ColorConversion?) { colors = conversion }

  /// The conversion to apply to drawn pixels; `nil` if there is none or the decoder applies it.
  var pixelColors: ColorConversion? { colors?.model == .cmyk ? nil : colors }

  /// True if the image is scaled down.
  var isScaled: Bool { scaled != stored }
  /// The size as encoded, after orientation is applied.
  var source: PixelSize { orientation.applied(to: stored) }
  /// The size of the result, after orientation is applied.
  var output: PixelSize { orientation.applied(to: scaled) }

  /// Throws `.tooLarge(.pixels)` if the result exceeds the limit, or, if `holdsSource` is true, the source.
  ///
  /// - Parameter holdsSource: True if the decoder keeps all pixels of the source in memory.
  func checkPixels(holdsSource: Bool) throws(ImageError) {
    let largest = holdsSource ? stored : scaled
    try check(largest, allowing: options.limits.pixels)
  }

  /// True if `checkPixels(holdsSource:)` does not throw.
  func allowsPixels(holdsSource: Bool) -> Bool {
    do throws(ImageError) {
      try checkPixels(holdsSource: holdsSource)
      return true
    } catch {
      return false
    }
  }

  /// Throws `.tooLarge(.pixels)` if the source has more than twice the pixel limit. For formats whose pixels must all
  /// be decompressed, though they are not kept: the limit bounds time, not memory. With the default limit this is 134
  /// megapixels, which is two or three seconds for a PNG that is compressed by a factor of a thousand.
  func checkPassingPixels() throws(ImageError) {
    let (allowed, overflow) = options.limits.pixels.multipliedReportingOverflow(by: 2)
    try check(stored, allowing: overflow ? .max : allowed)
  }

  /// Throws `.tooLarge(.pixels)` if a part of the image exceeds the limit.
  func checkPixels(of part: PixelSize) throws(ImageError) {
    try check(part, allowing: options.limits.pixels)
  }

  private func check(_ size: PixelSize, allowing allowed: Int) throws(ImageError) {
    let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, area <= min(allowed, Int.max / PixelFormat.bytesPerPixel) else {
      throw .tooLarge(.pixels(options.limits.pixels))
    }
  }

  /// Returns the finished image.
  func image(_ bitmap: Bitmap, animation: ImageAnimation? = nil) -> Image {
    Image(
      bitmap, animation: animation, format: format, sourceWidth: source.width, sourceHeight: source.height,
      metadata: metadata)
  }

  /// Creates the bitmap and calls `decode` with a canvas over its memory.
  ///
  /// - Parameters:
  ///   - hasAlpha: True if the encoded image may have transparent pixels. The result is scanned to find out whether it
  ///     has.
  ///   - isZeroed: False if `decode` writes all pixels. The bitmap's pages are then provided at once, which is faster
  ///     than a fault for each.
  func bitmap(
    hasAlpha: Bool, isZeroed: Bool = true, decode: (_ canvas: Canvas) throws(ImageError) -> Void
  ) throws(ImageError) -> Bitmap {
    let buffer = PixelBuffer(
      byteCount: output.width * output.height * PixelFormat.bytesPerPixel, isZeroed: isZeroed)
    var canvas = Canvas(pixels: buffer.bytes, size: scaled, orientation: orientation)
    canvas.overhang = overhang
    canvas.cancellation = cancellation
    try decode(canvas)
    try convertColors(buffer.bytes)
    let bitmap = Bitmap(
      width: output.width, height: output.height, format: options.pixelFormat, isOpaque: !hasAlpha,
      filled: buffer)
    return hasAlpha ? bitmap.assumingOpaque(bitmap.hasOnlyOpaquePixels) : bitmap
  }
}

extension DecodePlan {
  /// Converts the finished pixels to sRGB, in bands of rows. Throws `.cancelled` between two bands.
  private func convertColors(_ pixels: UnsafeMutableRawBufferPointer) throws(ImageError) {
    guard let pixelColors else { return }
    let bytesPerBand = output.width * PixelFormat.bytesPerPixel * Canvas.stripHeight
    for start in stride(from: 0, to: pixels.count, by: bytesPerBand) {
      try cancellation.check()
      let band = UnsafeMutableRawBufferPointer(
        rebasing: pixels[start..<min(start + bytesPerBand, pixels.count)])
      guard let address = band.baseAddress else { return }
      pixelColors.convert(address, count: band.count / PixelFormat.bytesPerPixel)
    }
  }
}
