import CCodecs
import VitrineGraphics
import VitrineLoading

/// Decodes WebP with libwebp, which also scales, and finds the frames of an animation. The area filter scales lossy images:
/// without alpha from planes (see `WebPPlanes`), because that is faster, and with alpha because libwebp lets the colors
/// of transparent pixels bleed into visible edges. It also scales images to more than half of their size, because it is
/// faster there.
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
      plan.metadata = container.metadata
      let bitmap = try frame.bitmap(plan)
      let animation =
        options.decodesAnimation
        ? WebPAnimation(container, bytes, limits: options.limits).animation(
          of: AnimationBytes(data), plan: plan) : nil
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
      let tables = options.decodesAnimation && container.isAnimated ? WebPAnimation.tableBytes(of: bytes) : 0
      return SourceMemory(
        plan: plan, source: source,
        codec: ByteCount.sum(
          frame.codecBytes(canvas: source.size), try frame.tableBytes(),
          WebPContainer.demuxerBytes(of: bytes), tables),
        profile: container.profileBytes,
        reservedForPreviews: ByteCount.product(
          source.size.width, source.size.height, PixelFormat.bytesPerPixel),
        wholeDrawing: WebPPlanes.suits(frame, plan) ? WebPPlanes.bytes(of: frame.size, for: plan) : nil,
        animation: tables > 0 ? ByteCount.sum(data.count, tables) : 0)
    }
  }
}

extension WebPContainer {
  /// Returns the plan for decoding a frame of an animation.
  ///
  /// - Parameters:
  ///   - bytes: The file, or its beginning.
  ///   - isComplete: False if the file is still arriving.
  static func plan(
    _ bytes: [UInt8], _ options: DecodeOptions, isComplete: Bool
  ) throws(ImageError) -> DecodePlan {
    try bytes.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      if isComplete { return try WebPContainer(bytes).plan(options) }
      guard let container = try WebPContainer(beginningOf: bytes) else {
        throw .decoding(.webp, message: "no frame")
      }
      return try container.plan(options)
    }
  }

  /// Returns the plan for decoding a frame, with the conversion from the color profile of the file.
  func plan(_ options: DecodeOptions) throws(ImageError) -> DecodePlan {
    var plan = try DecodePlan(format: .webp, stored: canvas, orientation: orientation, options: options)
    plan.convertColors(of: .rgb, with: profile)
    return plan
  }
}
