import VitrineGraphics
import VitrineLoading

/// Decodes JPEG with libjpeg-turbo, which scales down as far as quality allows; the area filter does the rest. Images of
/// an eighth of the size or less are made of means; see `JPEGMeans`.
enum JPEGDecoder {
  static func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> Image {
    let header = try header(of: data)
    let segments = JPEGSegments(data)
    var plan = try DecodePlan(
      format: .jpeg, stored: header.size, orientation: segments.orientation, options: options)
    plan.cancellation = cancellation
    plan.metadata = segments.exif.flatMap { ImageMetadata(exif: $0) }
    try checkPixels(of: plan, header)
    guard header.isPlausible(byteCount: data.count) else {
      throw .decoding(.jpeg, message: "the pixels end early")
    }
    plan.convertColors(of: header.colorModel, with: segments.profile)
    let bitmap = try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
      if let means = try JPEGMeans(header, of: data, for: plan) {
        return try means.draw(on: canvas, as: plan.options.pixelFormat)
      }
      try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
        try drawAll(bytes, header, for: plan, on: canvas)
      }
    }
    return plan.image(bitmap)
  }

  /// Returns the header, without which the memory of a decode would have no bound. Throws `.decoding` if there is none, and
  /// for a kind of JPEG that libjpeg does not decode.
  private static func header(of data: [UInt8]) throws(ImageError) -> JPEGHeader {
    guard let header = JPEGHeader(data) else { throw .decoding(.jpeg, message: "no header") }
    guard header.isSupported else {
      throw .decoding(.jpeg, message: "neither baseline nor progressive with 8 bits")
    }
    return header
  }

  /// Decodes all pixels with libjpeg.
  private static func drawAll(
    _ bytes: UnsafeBufferPointer<UInt8>, _ header: JPEGHeader, for plan: DecodePlan, on canvas: Canvas
  ) throws(ImageError) {
    try plan.checkPixels(holdsSource: header.hasMultipleScans)
    // With arithmetic coding, the number of bytes says nothing about the number of pixels.
    if header.isArithmetic { try plan.checkPassingPixels() }
    let reader = try JPEGReader(bytes, limits: plan.options.limits)
    reader.cancellation = plan.cancellation
    guard reader.matches(header) else { throw .decoding(.jpeg, message: "libjpeg reads another header") }
    let source = try reader.start(for: plan, header: header)
    try canvas.draw(source) { (rows, count) throws(ImageError) in
      guard try reader.read(rows, count: count) == count else {
        throw .decoding(.jpeg, message: "the pixels end early")
      }
    }
  }

  /// Returns the memory that a decode takes. Throws the errors of `decode` that follow from the size in the header.
  static func memory(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> SourceMemory {
    let header = try header(of: data)
    let segments = JPEGSegments(data)
    let plan = try DecodePlan(
      format: .jpeg, stored: header.size, orientation: segments.orientation, options: options)
    try checkPixels(of: plan, header)
    let eighths = eighths(from: plan.stored, to: plan.scaled)
    func side(_ stored: Int) -> Int { (stored * eighths + 7) / 8 }
    let output = PixelSize(width: side(plan.stored.width), height: side(plan.stored.height))
    // Means are released before libjpeg starts.
    let means = JPEGMeans.meansPerSide(plan, header).map {
      JPEGMeans.bytes(of: header, for: plan, meansPerSide: $0)
    }
    let usesLibjpeg = plan.allowsPixels(holdsSource: header.hasMultipleScans)
    return SourceMemory(
      plan: plan, source: Canvas.Source(output, hasAlpha: false),
      codec: max(usesLibjpeg ? header.codecBytes(eighths: eighths) : 0, means ?? 0),
      profile: header.profileBytes, comesInPasses: header.hasMultipleScans,
      // Exif may have a thumbnail.
      reservedForPreviews: plan.isScaled && segments.exif != nil ? JPEGThumbnail.decodingBytes : 0,
      collectsRows: !header.hasMultipleScans)
  }

  /// Throws `.tooLarge(.pixels)`. A thumbnail from DC coefficients may have a source of twice the pixel limit, because
  /// neither its pixels nor its coefficients are kept. If that source turns out to need libjpeg, it is too large.
  private static func checkPixels(of plan: DecodePlan, _ header: JPEGHeader) throws(ImageError) {
    guard header.hasMultipleScans, JPEGMeans.meansPerSide(plan, header) != nil else {
      return try plan.checkPixels(holdsSource: header.hasMultipleScans)
    }
    try plan.checkPixels(holdsSource: false)
    try plan.checkPassingPixels()
  }

  /// Returns the scale in eighths to decode at: the smallest one with vector code in libjpeg-turbo that leaves at least
  /// twice the requested pixels per side. Closer to the requested size, the area filter would blur, because it has few
  /// pixels to choose from.
  static func eighths(from stored: PixelSize, to scaled: PixelSize) -> Int {
    for eighths in [1, 2, 4]
    where stored.width * eighths >= scaled.width * 16 && stored.height * eighths >= scaled.height * 16 {
      return eighths
    }
    return 8
  }
}
