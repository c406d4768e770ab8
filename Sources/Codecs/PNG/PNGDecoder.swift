import VitrineGraphics
import VitrineLoading

/// Decodes PNG with libpng, row by row unless the image is interlaced.
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
    plan.convertColors(of: structure.colorModel, with: structure.profile)
    return try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let reader = try PNGReader(bytes, width: structure.size.width, format: options.pixelFormat)
      let source = Canvas.Source(
        structure.size, hasAlpha: structure.hasAlpha, isWhole: structure.isInterlaced)
      let bitmap = try plan.bitmap(hasAlpha: structure.hasAlpha) { (canvas) throws(ImageError) in
        try canvas.draw(source) { (rows, count) throws(ImageError) in
          // An interlaced image has seven passes over all rows, each of which adds pixels.
          for _ in 0..<(structure.isInterlaced ? 7 : 1) {
            for y in stride(from: 0, to: count, by: rowsAtOnce) {
              try cancellation.check()
              try reader.read(
                rows + y * structure.size.width * PixelFormat.bytesPerPixel, count: min(rowsAtOnce, count - y)
              )
            }
          }
        }
      }
      return plan.image(bitmap)
    }
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
      source: Canvas.Source(plan.stored, hasAlpha: structure.hasAlpha, isWhole: structure.isInterlaced),
      codec: structure.codecBytes, profile: structure.profileBytes, comesInPasses: structure.isInterlaced,
      reservedForPreviews: structure.isInterlaced ? pixels : 0, collectsRows: !structure.isInterlaced)
  }
}
