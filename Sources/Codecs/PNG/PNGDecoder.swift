import VitrineGraphics
import VitrineLoading

/// Decodes PNG with libpng, row by row unless the image is interlaced, and finds the frames of an animation.
enum PNGDecoder {
  /// The number of rows that libpng reads between two checks for cancellation.
  private static let rowsAtOnce = 16

  static func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> Image {
    let structure = try PNGStructure(data)
    var plan = try Self.plan(structure, options)
    guard structure.isPlausible else { throw .decoding(.png, message: "the pixels end early") }
    plan.cancellation = cancellation
    plan.metadata = structure.metadata
    plan.convertColors(of: structure.colorModel, with: structure.profile)
    if let animated = try animatedImage(structure, data, plan) { return animated }
    return plan.image(try defaultImage(structure, data, plan))
  }

  /// Decodes the image that decoders without animation show.
  private static func defaultImage(
    _ structure: PNGStructure, _ data: [UInt8], _ plan: DecodePlan
  ) throws(ImageError) -> Bitmap {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let source = source(structure, for: plan)
      let reader = try PNGReader(
        bytes, width: source.size.width, format: source.swapsRedAndBlue ? .rgba : plan.options.pixelFormat,
        bytesPerPixel: source.bytesPerPixel)
      return try plan.bitmap(hasAlpha: structure.hasAlpha, isZeroed: false) { (canvas) throws(ImageError) in
        try canvas.draw(source) { (rows, count) throws(ImageError) in
          // An interlaced image has seven passes over all rows, each of which adds pixels.
          for _ in 0..<(structure.isInterlaced ? 7 : 1) {
            for y in stride(from: 0, to: count, by: rowsAtOnce) {
              try plan.cancellation.check()
              try reader.read(rows + y * source.bytesPerRow, count: min(rowsAtOnce, count - y))
            }
          }
        }
      }
    }
  }

  /// Returns the form in which libpng returns the image. PNG has red first, and no alpha if it is opaque: libpng
  /// converts rows that are not scaled, and the result of scaling, which has fewer pixels, is converted after that.
  private static func source(_ structure: PNGStructure, for plan: DecodePlan) -> Canvas.Source {
    source(structure.size, structure, scaledTo: plan.isScaled ? plan.options.pixelFormat : nil)
  }

  /// Returns the form in which libpng returns a part of an image.
  ///
  /// - Parameters:
  ///   - size: The size of the part.
  ///   - format: The format of the result if the part is scaled; `nil` if it is not.
  static func source(
    _ size: PixelSize, _ structure: PNGStructure, scaledTo format: PixelFormat?
  ) -> Canvas.Source {
    var source = Canvas.Source(size, hasAlpha: structure.hasAlpha, isWhole: structure.isInterlaced)
    guard let format else { return source }
    source.swapsRedAndBlue = format == .bgra
    if !structure.hasAlpha { source.bytesPerPixel = 3 }
    return source
  }

  /// Returns the first frame and the animation; `nil` for a still image, and if the default image is not a frame and
  /// the first frame is damaged.
  private static func animatedImage(
    _ structure: PNGStructure, _ data: [UInt8], _ plan: DecodePlan
  ) throws(ImageError) -> Image? {
    let options = plan.options
    guard let frames = PNGAnimation(structure, data, limits: options.limits) else { return nil }
    let bytes = AnimationBytes(data)
    let bitmap: Bitmap
    do throws(ImageError) {
      bitmap = try firstFrame(frames, structure, bytes, plan)
    } catch {
      guard case .decoding = error, frames.hidesDefaultImage else { throw error }
      return nil
    }
    guard options.decodesAnimation else { return plan.image(bitmap) }
    return plan.image(bitmap, animation: animation(frames, structure, bytes, plan, isComplete: true))
  }

  /// Decodes the first frame of an animation.
  static func firstFrame(
    _ frames: PNGAnimation, _ structure: PNGStructure, _ bytes: AnimationBytes, _ plan: DecodePlan
  ) throws(ImageError) -> Bitmap {
    guard frames.hidesDefaultImage else { return try defaultImage(structure, bytes.beginning, plan) }
    let source = PNGFrameSource(structure, frames, bytes, plan.options.pixelFormat)
    return try ComposedFrames(frames.table, plan: plan, source: source)
      .frame(0, cancellation: plan.cancellation)
  }

  /// Returns an animation of the frames in `bytes`.
  static func animation(
    _ frames: PNGAnimation, _ structure: PNGStructure, _ bytes: AnimationBytes, _ plan: DecodePlan,
    isComplete: Bool
  ) -> ImageAnimation? {
    let options = plan.options
    let source = PNGFrameSource(structure, frames, bytes, options.pixelFormat)
    return ImageAnimation(
      frames.table, of: bytes, plan: plan, tableByteCount: MemoryLayout<Range<Int>>.stride,
      colorByteCount: ICCProfile.conversionBytes(structure.profileBytes),
      frameByteCount: source.decodingBytes, isComplete: isComplete
    ) { () throws(ImageError) in
      let plan = try Self.planWithColors(structure, options)
      let source = PNGFrameSource(structure, frames, bytes, options.pixelFormat)
      return ComposedFrames(frames.table, plan: plan, source: source)
    }
  }

  /// Returns the plan of a decode with the conversion from the color profile of the file.
  static func planWithColors(
    _ structure: PNGStructure, _ options: DecodeOptions
  ) throws(ImageError) -> DecodePlan {
    var plan = try plan(structure, options)
    plan.convertColors(of: structure.colorModel, with: structure.profile)
    return plan
  }

  private static func plan(
    _ structure: PNGStructure, _ options: DecodeOptions
  ) throws(ImageError) -> DecodePlan {
    let plan = try DecodePlan(
      format: .png, stored: structure.size, orientation: structure.orientation, options: options)
    try plan.checkPixels(holdsSource: structure.isInterlaced)
    try plan.checkPassingPixels()
    return plan
  }

  /// Returns the memory that a decode takes. Throws the errors that `decode` throws for the same header. For an
  /// incomplete image, only the chunks received so far count.
  static func memory(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> SourceMemory {
    // An orientation may follow the pixels.
    var parsed = try? PNGStructure(data)
    if parsed == nil { parsed = try PNGStructure(beginningOf: data) }
    guard let structure = parsed else { throw .decoding(.png, message: "less than a header") }
    let plan = try plan(structure, options)
    let pixels = ByteCount.product(plan.stored.width, plan.stored.height, PixelFormat.bytesPerPixel)
    return SourceMemory(
      plan: plan,
      source: source(structure, for: plan),
      codec: ByteCount.sum(
        structure.codecBytes,
        PNGAnimation.bytes(structure, byteCount: data.count, limits: options.limits)),
      profile: structure.profileBytes, comesInPasses: structure.isInterlaced,
      reservedForPreviews: structure.isInterlaced ? pixels : 0, collectsRows: !structure.isInterlaced)
  }
}
