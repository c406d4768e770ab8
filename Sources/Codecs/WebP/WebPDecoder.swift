import CCodecs
import VitrineGraphics
import VitrineLoading

/// WebP by libwebp, which scales while it decodes, but for lossy pictures with alpha: there it would let the
/// colours of transparent pixels bleed into the edge of what is visible.
enum WebPDecoder {
  static func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let container = try WebPContainer(bytes)
      var plan = try DecodePlan(
        format: .webp, stored: container.canvas, orientation: container.orientation, options: options)
      let frame = try WebPFrame(container)
      try frame.checkPixels(plan)
      plan.convertColors(of: .rgb, with: container.profile)
      let source = frame.source(for: plan)
      let bitmap = try plan.bitmap(hasAlpha: source.hasAlpha) { (canvas) throws(ImageError) in
        try canvas.draw(source) { (rows, _) throws(ImageError) in
          try frame.decode(to: rows, size: source.size, format: options.pixelFormat)
        }
      }
      return plan.image(bitmap)
    }
  }
}
