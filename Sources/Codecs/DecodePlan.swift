import VitrineGraphics
import VitrineLoading

/// Width and height in pixels.
struct PixelSize: Hashable {
  var width: Int
  var height: Int
}

/// What will be made of a picture, settled from its header before any memory is taken.
struct DecodePlan {
  let format: ImageFormat
  let orientation: Orientation
  /// As encoded.
  let stored: PixelSize
  /// The size to scale to, before orientation is applied.
  let scaled: PixelSize
  /// By how many of its pixels the scaled size is larger than the picture, on each side of it: less than one.
  let overhang: (x: Double, y: Double)
  let options: DecodeOptions
  /// From the picture's colours to sRGB; nil where there is nothing to convert.
  private(set) var colors: ColorConversion?
  /// Checked between rows and passes.
  var cancellation = DecodeCancellation.never

  /// The maximum length of a side, so that a strip of rows is counted by an `Int` on a 32-bit machine too.
  private static let largestSide = Int.max / (PixelFormat.bytesPerPixel * Canvas.stripHeight * 2)

  /// Throws `.decoding` for a picture without pixels and `.tooLarge(.side)`.
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
    let wanted = options.target?.outputSize(sourceWidth: source.width, sourceHeight: source.height)
    let output = options.outputSize(sourceWidth: source.width, sourceHeight: source.height)
    scaled = orientation.applied(to: PixelSize(width: output.width, height: output.height))
    // What is cropped keeps its aspect ratio exactly; what is seen whole is fitted to whole pixels.
    guard let target = options.target, target.mode == .fill, scaled != stored,
      wanted?.width == output.width, wanted?.height == output.height
    else {
      overhang = (0, 0)
      return
    }
    let exact = target.exactSize(sourceWidth: source.width, sourceHeight: source.height)
    let (width, height) = orientation.swapsSides ? (exact.height, exact.width) : exact
    overhang = (max(0, (Double(scaled.width) - width) / 2), max(0, (Double(scaled.height) - height) / 2))
  }

  /// Has colours converted that are of a profile (SD-M22): those of the result, for that is fewer pixels, but inks as
  /// they are unpacked.
  mutating func convertColors(of model: ColorConversion.Model, with profile: ICCProfile?) {
    colors = profile.flatMap { ColorConversion($0, of: model, as: options.pixelFormat) }
  }

  /// What is to be done with pixels that were drawn.
  var pixelColors: ColorConversion? { colors?.model == .inks ? nil : colors }

  /// Whether it becomes smaller.
  var isScaled: Bool { scaled != stored }
  /// As encoded, but seen upright.
  var source: PixelSize { orientation.applied(to: stored) }
  /// As it will be shown.
  var output: PixelSize { orientation.applied(to: scaled) }

  /// Throws `.tooLarge(.pixels)` unless the result fits and, where the decoder needs every pixel of the
  /// source in memory, those too.
  func checkPixels(holdsSource: Bool) throws(ImageError) {
    let largest = holdsSource ? stored : scaled
    try check(largest, allowing: options.limits.pixels)
  }

  /// Throws `.tooLarge(.pixels)` for a picture of which every pixel must be unpacked though none is kept:
  /// time, not memory, is what it takes, so twice the limit may pass. By default that is 134 megapixels, two
  /// or three seconds of a PNG that was packed a thousandfold.
  func checkPassingPixels() throws(ImageError) {
    let (allowed, overflow) = options.limits.pixels.multipliedReportingOverflow(by: 2)
    try check(stored, allowing: overflow ? .max : allowed)
  }

  /// Throws `.tooLarge(.pixels)` for a part of the picture that has more than the limit.
  func checkPixels(of part: PixelSize) throws(ImageError) {
    try check(part, allowing: options.limits.pixels)
  }

  private func check(_ size: PixelSize, allowing allowed: Int) throws(ImageError) {
    let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, area <= min(allowed, Int.max / PixelFormat.bytesPerPixel) else {
      throw .tooLarge(.pixels(options.limits.pixels))
    }
  }

  /// The finished picture.
  func image(_ bitmap: Bitmap) -> Image {
    Image(bitmap, format: format, sourceWidth: source.width, sourceHeight: source.height)
  }

  /// Makes the bitmap and lets `decode` push the rows of the picture into a canvas over it.
  ///
  /// - Parameter hasAlpha: whether the encoded form can hold transparent pixels; whether it does is looked up
  ///   in the result.
  func bitmap(
    hasAlpha: Bool, decode: (_ canvas: Canvas) throws(ImageError) -> Void
  ) throws(ImageError) -> Bitmap {
    let bitmap = try Bitmap(
      width: output.width, height: output.height, format: options.pixelFormat, isOpaque: !hasAlpha
    ) { (pixels, bytesPerRow) throws(ImageError) in
      var canvas = Canvas(pixels: pixels, size: scaled, orientation: orientation)
      canvas.overhang = overhang
      canvas.cancellation = cancellation
      try decode(canvas)
      try convertColors(pixels)
    }
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

extension Bitmap {
  /// Whether every alpha byte is 255; a pass over the pixels.
  var hasOnlyOpaquePixels: Bool {
    withUnsafeBytes { bytes in
      let pixels = bytes.assumingMemoryBound(to: UInt32.self)
      var all = UInt32.max
      for row in 0..<height {
        for pixel in pixels[(row * width)..<((row + 1) * width)] { all &= UInt32(littleEndian: pixel) }
        if all >> 24 != 0xFF { return false }
      }
      return true
    }
  }
}
