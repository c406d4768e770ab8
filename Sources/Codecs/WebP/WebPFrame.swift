import CCodecs
import VitrineGraphics
import VitrineLoading

/// A compressed WebP frame with the values of the frame header.
struct WebPFrame {
  private let data: WebPData
  private let features: WebPBitstreamFeatures
  /// The approximate number of lossless rows that are decoded between two checks for cancellation.
  private static let losslessRowsAtOnce = 256
  /// The position of the frame on the canvas.
  let origin: (x: Int, y: Int)

  init(_ container: WebPContainer) throws(ImageError) {
    guard let frame = try Self(beginningOf: container) else {
      throw .decoding(.webp, message: "less than a frame's header")
    }
    self = frame
  }

  /// Reads a frame that may still be arriving; `nil` until its header has arrived.
  init?(beginningOf container: WebPContainer) throws(ImageError) {
    try self.init(container.frameData, at: container.frameOrigin, size: container.frameSize)
  }

  /// Reads the header of a frame; `nil` if the header is incomplete. `data` must outlive the frame.
  ///
  /// - Parameter size: The size that the container states. Another size in the header is damage.
  init?(_ data: WebPData, at origin: (x: Int, y: Int), size: PixelSize) throws(ImageError) {
    self.data = data
    self.origin = origin
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(data.bytes, data.size, &features)
    if status == VP8_STATUS_NOT_ENOUGH_DATA { return nil }
    try Self.check(status)
    self.features = features
    guard self.size == size else { throw .decoding(.webp, message: "a frame of another size") }
  }

  var size: PixelSize { PixelSize(width: Int(features.width), height: Int(features.height)) }
  var hasAlpha: Bool { features.has_alpha != 0 }
  var isLossless: Bool { features.format == 2 }
  /// True if libwebp scales the frame correctly with respect to alpha.
  private var scalesWell: Bool { isLossless || !hasAlpha }

  /// Throws `.tooLarge(.pixels)` if the frame exceeds the limits. Lossless pixels, alpha, and a canvas with a smaller
  /// frame are held in memory at full size.
  func checkPixels(_ plan: DecodePlan) throws(ImageError) {
    try plan.checkPixels(holdsSource: isLossless || hasAlpha || size != plan.stored)
  }

  /// Returns the form in which libwebp returns the image: the canvas with the frame in its position, or the frame
  /// scaled down.
  func source(for plan: DecodePlan) -> Canvas.Source {
    let coversCanvas = size == plan.stored
    return Canvas.Source(
      coversCanvas && scalesWell ? sizeToScaleTo(for: plan) : plan.stored,
      hasAlpha: hasAlpha || !coversCanvas, isWhole: true)
  }

  /// Returns the size to which libwebp scales: each side of the result, or about twice the side if its exact length is
  /// not a whole number of pixels; or the whole size if that is less than twice the result on each side, because
  /// libwebp scales more slowly than it decodes. The area filter then does the rest.
  private func sizeToScaleTo(for plan: DecodePlan) -> PixelSize {
    if size.width < 2 * plan.scaled.width, size.height < 2 * plan.scaled.height { return size }
    let (x, y) = plan.overhang
    func length(_ scaled: Int, of stored: Int, _ overhang: Double) -> Int {
      guard overhang > 0 else { return scaled }
      return min(stored, max(scaled, Int((2 * Double(scaled) - 4 * overhang).rounded(.up))))
    }
    return PixelSize(
      width: length(plan.scaled.width, of: size.width, x),
      height: length(plan.scaled.height, of: size.height, y))
  }

  /// Returns the bytes that libwebp allocates when it decodes into memory of `canvas` pixels, in addition to fixed
  /// tables.
  ///
  /// Lossy: 800 bytes of coefficients and 600 bytes of samples (the row above and the filter) per column of
  /// macroblocks. Lossless: all pixels, seventeen more rows, and the images of the transforms and of the group numbers
  /// with at most a quarter of each side, which are less than a byte per pixel. Alpha takes as much, and a plane into
  /// which it is unpacked. The tables of code groups are not included; see `tableBytes()`.
  func codecBytes(canvas: PixelSize) -> Int {
    let pixels = ByteCount.product(size.width, size.height)
    let rescaler = ByteCount.product(canvas.width, 64)
    let unpacked = ByteCount.sum(
      ByteCount.product(pixels, isLossless ? 5 : 6), ByteCount.product(size.width, 17 * 4))
    if isLossless { return ByteCount.sum(unpacked, rescaler) }
    return ByteCount.sum((size.width / 16 + 2) * 1500, hasAlpha ? unpacked : 0, rescaler)
  }

  /// Returns the size in bytes of the tables for code groups: of the groups in the data, or of the maximum number of
  /// groups if too few bytes have arrived to count them, or if counting them takes long.
  func tableBytes() throws(ImageError) -> Int {
    guard isLossless || hasAlpha else { return 0 }
    // A measurement of memory cannot be cancelled, and reading all bits of 64 MiB takes seconds.
    let tables = try Self.tables(data, size: size, cancellation: .never, bitLimit: 1 << 23)
    let pixels = ByteCount.product(size.width, size.height)
    return (tables ?? .largest(pixels: pixels, byteCount: data.size)).bytes
  }

  /// Returns the number of packed bytes, out of `count`, that are decoded between two checks for cancellation.
  static func bytesAtOnce(of count: Int, isLossless: Bool, height: Int) -> Int {
    guard isLossless else { return max(16 << 10, count / 64) }
    // At the end of the bytes, libwebp discards up to eight rows, and decodes them again with the next bytes.
    return max(64 << 10, count / min(64, max(2, height / losslessRowsAtOnce)))
  }

  /// Returns the code groups of a frame; `nil` if too few bytes have arrived to count them, or the data are damaged.
  /// Throws `.decoding` for a frame that must not be passed to libwebp; see `WebPCodeGroups`.
  static func tables(
    _ data: WebPData, size: PixelSize, cancellation: DecodeCancellation, bitLimit: Int = .max
  ) throws(ImageError) -> WebPCodeGroups.Tables? {
    let bytes = UnsafeBufferPointer(start: data.bytes, count: data.size)
    return try WebPCodeGroups.tables(of: bytes, size: size, cancellation: cancellation, bitLimit: bitLimit)
  }

  /// Returns the canvas with the frame on it as a finished bitmap.
  func bitmap(_ plan: DecodePlan) throws(ImageError) -> Bitmap {
    if WebPPlanes.suits(self, plan) {
      let planes = WebPPlanes(size)
      var config = try planes.configuration(for: plan)
      try decode(to: &config, cancellation: plan.cancellation)
      return try plan.bitmap(hasAlpha: false, isZeroed: false) { (canvas) throws(ImageError) in
        try planes.draw(on: canvas, as: plan.options.pixelFormat)
      }
    }
    var source = source(for: plan)
    // Less memory, which is new for the process, and is read again.
    if !source.hasAlpha, source.size != plan.scaled { source.bytesPerPixel = 3 }
    return try plan.bitmap(hasAlpha: source.hasAlpha) { (canvas) throws(ImageError) in
      try canvas.draw(source) { (rows, _) throws(ImageError) in
        try decode(
          to: rows, size: source.size, bytesPerPixel: source.bytesPerPixel, format: plan.options.pixelFormat,
          cancellation: plan.cancellation)
      }
    }
  }

  /// Writes the frame to memory of `canvas` pixels: scaled down to the whole canvas, or unscaled in its position.
  func decode(
    to pixels: UnsafeMutableRawPointer, size canvas: PixelSize,
    bytesPerPixel: Int = PixelFormat.bytesPerPixel,
    format: PixelFormat, cancellation: DecodeCancellation
  ) throws(ImageError) {
    if size != canvas, !isShrunk(to: canvas) {
      let byteCount = canvas.width * canvas.height * bytesPerPixel
      pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
    var config = try configuration(to: pixels, size: canvas, bytesPerPixel: bytesPerPixel, format: format)
    try decode(to: &config, cancellation: cancellation)
  }

  /// Decodes the frame to the memory of a configuration.
  private func decode(
    to config: inout WebPDecoderConfig, cancellation: DecodeCancellation
  ) throws(ImageError) {
    _ = try Self.tables(data, size: size, cancellation: cancellation)
    // libwebp keeps a pointer to the configuration until the decoder is deleted.
    try withUnsafeMutablePointer(to: &config) { (config) throws(ImageError) in
      guard let decoder = WebPIDecode(nil, 0, config) else {
        throw .decoding(.webp, message: "out of memory")
      }
      defer { WebPIDelete(decoder) }
      let bytesAtOnce = Self.bytesAtOnce(of: data.size, isLossless: isLossless, height: size.height)
      var end = 0
      var status = VP8_STATUS_SUSPENDED
      while status == VP8_STATUS_SUSPENDED, end < data.size {
        try cancellation.check()
        end = min(data.size, end + bytesAtOnce)
        status = WebPIUpdate(decoder, data.bytes, end)
      }
      try Self.check(status)
    }
  }

  /// True if the frame is scaled down to the whole of a smaller canvas; otherwise it is placed on the canvas unscaled.
  func isShrunk(to canvas: PixelSize) -> Bool {
    size != canvas && canvas.width <= size.width && canvas.height <= size.height
  }

  /// Returns the configuration for decoding to memory of `canvas` pixels. Pixels outside of the frame must be zero.
  ///
  /// - Parameter bytesPerPixel: Four, or three for an opaque frame.
  func configuration(
    to pixels: UnsafeMutableRawPointer, size canvas: PixelSize,
    bytesPerPixel: Int = PixelFormat.bytesPerPixel,
    format: PixelFormat
  ) throws(ImageError) -> WebPDecoderConfig {
    let bytesPerRow = canvas.width * bytesPerPixel
    let byteCount = bytesPerRow * canvas.height
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .decoding(.webp, message: "another version of libwebp")
    }
    var offset = 0
    if isShrunk(to: canvas) {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(canvas.width)
      config.options.scaled_height = Int32(canvas.height)
    } else if size != canvas {
      guard origin.x + size.width <= canvas.width, origin.y + size.height <= canvas.height else {
        throw .decoding(.webp, message: "a frame outside of the image")
      }
      offset = origin.y * bytesPerRow + origin.x * bytesPerPixel
    }
    config.output.colorspace =
      switch (format, bytesPerPixel) {
      case (.bgra, 3): MODE_BGR
      case (.rgba, 3): MODE_RGB
      case (.bgra, _): MODE_BGRA
      case (.rgba, _): MODE_RGBA
      }
    config.output.is_external_memory = 1
    config.output.u.RGBA.rgba = (pixels + offset).assumingMemoryBound(to: UInt8.self)
    config.output.u.RGBA.stride = Int32(bytesPerRow)
    config.output.u.RGBA.size = byteCount - offset
    return config
  }

  /// Throws `.decoding` for any status other than success.
  static func check(_ status: VP8StatusCode) throws(ImageError) {
    guard status != VP8_STATUS_OK else { return }
    throw .decoding(.webp, message: "libwebp status \(status.rawValue)")
  }
}
