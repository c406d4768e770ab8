import CCodecs
import VitrineGraphics
import VitrineLoading

/// Decodes WebP with libwebp, which also scales, and finds the frames of an animation. Lossy images with alpha are
/// scaled by the area filter instead, because libwebp lets the colors of transparent pixels bleed into visible edges.
enum WebPDecoder {
  static func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> Image {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let container = try WebPContainer(bytes)
      var plan = try container.plan(options)
      let frame = try WebPFrame(container)
      try frame.checkPixels(plan)
      plan.cancellation = cancellation
      let bitmap = try frame.bitmap(plan)
      let animation =
        options.decodesAnimation ? WebPAnimation(container, bytes).animation(of: data, plan: plan) : nil
      return plan.image(bitmap, animation: animation)
    }
  }

  /// Returns the memory that a decode takes. Throws the errors that `decode` throws for the same header. For an
  /// incomplete image, only the chunks received so far count.
  static func memory(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> SourceMemory {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      guard let container = try WebPContainer(beginningOf: bytes),
        let frame = try WebPFrame(beginningOf: container)
      else { throw .decoding(.webp, message: "less than a header") }
      let plan = try DecodePlan(
        format: .webp, stored: container.canvas, orientation: container.orientation, options: options)
      try frame.checkPixels(plan)
      let source = frame.source(for: plan)
      return SourceMemory(
        plan: plan, source: source,
        codec: ByteCount.sum(
          frame.codecBytes(canvas: source.size), try frame.tableBytes(),
          WebPContainer.demuxerBytes(of: bytes),
          options.decodesAnimation && container.isAnimated ? WebPAnimation.tableBytes(of: bytes) : 0),
        profile: container.profileBytes,
        reservedForPreviews: ByteCount.product(
          source.size.width, source.size.height, PixelFormat.bytesPerPixel))
    }
  }
}

extension WebPContainer {
  /// Returns the plan for decoding a frame, with the conversion from the color profile of the file.
  func plan(_ options: DecodeOptions) throws(ImageError) -> DecodePlan {
    var plan = try DecodePlan(format: .webp, stored: canvas, orientation: orientation, options: options)
    plan.convertColors(of: .rgb, with: profile)
    return plan
  }
}
