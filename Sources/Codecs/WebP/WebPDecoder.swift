import CCodecs
import VitrineGraphics
import VitrineLoading

/// WebP by libwebp, which scales while it decodes, but for lossy pictures with alpha: there it would let the
/// colours of transparent pixels bleed into the edge of what is visible.
enum WebPDecoder {
  static func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let container = try WebPContainer(bytes)
      let plan = try DecodePlan(
        format: .webp, stored: container.canvas, orientation: container.orientation, options: options)
      let frame = try WebPFrame(container)
      let coversCanvas = frame.size == plan.stored
      // Lossless pixels and alpha are unpacked whole before they are scaled.
      try plan.checkPixels(holdsSource: frame.isLossless || frame.hasAlpha || !coversCanvas)
      let hasAlpha = frame.hasAlpha || !coversCanvas
      let bitmap = try plan.bitmap(hasAlpha: hasAlpha) { (canvas) throws(ImageError) in
        let size = coversCanvas && frame.scalesWell ? frame.sizeToScaleTo(for: plan) : plan.stored
        let source = Canvas.Source(size, hasAlpha: hasAlpha, isWhole: true)
        try canvas.draw(source) { (rows, _) throws(ImageError) in
          try frame.decode(to: rows, size: size, at: container.frameOrigin, format: options.pixelFormat)
        }
      }
      return plan.image(bitmap)
    }
  }
}

/// One packed frame and what its header says.
private struct WebPFrame {
  private let data: WebPData
  private let features: WebPBitstreamFeatures

  init(_ container: WebPContainer) throws(ImageError) {
    data = container.frameData
    var features = WebPBitstreamFeatures()
    try Self.check(WebPGetFeatures(data.bytes, data.size, &features))
    self.features = features
    guard size == container.frameSize else { throw .decoding(.webp, message: "a frame of another size") }
  }

  var size: PixelSize { PixelSize(width: Int(features.width), height: Int(features.height)) }
  var hasAlpha: Bool { features.has_alpha != 0 }
  var isLossless: Bool { features.format == 2 }
  /// Whether libwebp scales it with regard to alpha.
  var scalesWell: Bool { isLossless || !hasAlpha }

  /// The size that is wanted; twice that where it is not the picture's in whole pixels, and the rest is done
  /// by area.
  func sizeToScaleTo(for plan: DecodePlan) -> PixelSize {
    let (x, y) = plan.overhang
    guard x > 0 || y > 0 else { return plan.scaled }
    func twice(_ wanted: Int, _ overhang: Double) -> Int {
      Int((2 * Double(wanted) - 4 * overhang).rounded(.up))
    }
    return PixelSize(
      width: min(size.width, max(plan.scaled.width, twice(plan.scaled.width, x))),
      height: min(size.height, max(plan.scaled.height, twice(plan.scaled.height, y))))
  }

  /// Writes the frame to a memory of `canvas` pixels: scaled to all of it, or unscaled at its place.
  func decode(
    to pixels: UnsafeMutableRawPointer, size canvas: PixelSize, at origin: (x: Int, y: Int),
    format: PixelFormat
  ) throws(ImageError) {
    let bytesPerRow = canvas.width * PixelFormat.bytesPerPixel
    let byteCount = bytesPerRow * canvas.height
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .decoding(.webp, message: "another version of libwebp")
    }
    var offset = 0
    if size != canvas, canvas.width <= size.width, canvas.height <= size.height {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(canvas.width)
      config.options.scaled_height = Int32(canvas.height)
    } else if size != canvas {
      guard origin.x + size.width <= canvas.width, origin.y + size.height <= canvas.height else {
        throw .decoding(.webp, message: "a frame outside the picture")
      }
      pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      offset = origin.y * bytesPerRow + origin.x * PixelFormat.bytesPerPixel
    }
    config.output.colorspace = format == .bgra ? MODE_BGRA : MODE_RGBA
    config.output.is_external_memory = 1
    config.output.u.RGBA.rgba = (pixels + offset).assumingMemoryBound(to: UInt8.self)
    config.output.u.RGBA.stride = Int32(bytesPerRow)
    config.output.u.RGBA.size = byteCount - offset
    try Self.check(WebPDecode(data.bytes, data.size, &config))
  }

  private static func check(_ status: VP8StatusCode) throws(ImageError) {
    guard status != VP8_STATUS_OK else { return }
    throw .decoding(.webp, message: "libwebp status \(status.rawValue)")
  }
}
