import CCodecs
import VitrineGraphics
import VitrineLoading

/// Decodes previews of a WebP: the rows received so far. The first frame of an animation is shown once it is complete,
/// because libwebp's demuxer does not report it before; later frames are added as they arrive. An image with Exif has no
/// preview until the EXIF chunk has arrived, usually at the end of the file, because it may contain an orientation.
final class WebPPreviewDecoder: PreviewDecoder {
  private let options: DecodeOptions
  private var unpacking: WebPUnpacking?
  private var arriving = ArrivingWebP()
  /// The first frame of an animation, once it is complete.
  private var firstFrame: Bitmap?
  /// The plan of the animation; `nil` before the second frame.
  private var plan: DecodePlan?
  private(set) var isFinished = false

  init(_ options: DecodeOptions) { self.options = options }

  var retainedBytes: Int {
    guard let firstFrame else { return unpacking?.retainedBytes ?? 0 }
    return ByteCount.sum(firstFrame.byteCount, arriving.bytes.count, arriving.tableBytes)
  }

  func memoryNeeded(for data: [UInt8]) -> Int? {
    guard let firstFrame else { return nil }
    let addition = (try? arriving.addition(of: data, limits: options.limits)) ?? nil
    // The preview's share, and that of the decoder.
    return ByteCount.product(
      2, ByteCount.sum(firstFrame.byteCount, data.count, arriving.tableBytes(with: addition)))
  }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    let image = firstFrame == nil ? try firstFrameImage(of: data, cancellation) : nil
    guard let firstFrame else { return image.map { DecodedPreview(image: $0) } }
    return try animatedPreview(of: data, firstFrame) ?? image.map { DecodedPreview(image: $0) }
  }

  /// Returns the rows received so far of a still image or of the first frame; `nil` if there are no more than before.
  private func firstFrameImage(
    of data: [UInt8], _ cancellation: DecodeCancellation
  ) throws(ImageError) -> Image? {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      guard let container = try WebPContainer(beginningOf: bytes), container.knowsOrientation else {
        return nil
      }
      guard let unpacking = try started(container) else { return nil }
      let image = try unpacking.decode(container.frameData, cancellation)
      guard unpacking.image.isComplete else { return image }
      if let image, options.decodesAnimation, container.isAnimated {
        firstFrame = image.bitmap
        self.unpacking = nil
      } else {
        isFinished = true
      }
      return image
    }
  }

  /// Returns a preview of more than one frame; `nil` if no more frames have arrived.
  private func animatedPreview(
    of data: [UInt8], _ firstFrame: Bitmap
  ) throws(ImageError) -> DecodedPreview? {
    guard let addition = try arriving.addition(of: data, limits: options.limits) else { return nil }
    let hasMore = arriving.take(addition, of: data)
    isFinished = arriving.isFinished
    guard hasMore else { return nil }
    let plan = if let known = self.plan { known } else { try animationPlan() }
    self.plan = plan
    guard plan.output == PixelSize(width: firstFrame.width, height: firstFrame.height),
      let animation = arriving.animation(plan)
    else {
      isFinished = true
      return nil
    }
    return DecodedPreview(image: plan.image(firstFrame, animation: animation))
  }

  /// Returns the plan for decoding the frames, from the bytes that are kept.
  private func animationPlan() throws(ImageError) -> DecodePlan {
    try arriving.bytes.beginning.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      guard let container = try WebPContainer(beginningOf: bytes), container.knowsOrientation else {
        throw .decoding(.webp, message: "an orientation after the frames")
      }
      return try container.plan(options)
    }
  }

  /// Reads the header and starts the decoder. Returns `nil` until the header has arrived.
  private func started(_ container: WebPContainer) throws(ImageError) -> WebPUnpacking? {
    guard unpacking == nil else { return unpacking }
    var plan = try DecodePlan(
      format: .webp, stored: container.canvas, orientation: container.orientation, options: options)
    guard let frame = try WebPFrame(beginningOf: container) else { return nil }
    try frame.checkPixels(plan)
    plan.convertColors(of: .rgb, with: container.profile)
    unpacking = try WebPUnpacking(frame, plan)
    return unpacking
  }
}

/// Decodes a frame with libwebp's incremental decoder.
private final class WebPUnpacking {
  private let decoder: OpaquePointer
  /// libwebp keeps a pointer to the configuration until the decoder is deleted.
  private let config: UnsafeMutablePointer<WebPDecoderConfig>
  /// The output of libwebp, zero for pixels not decoded yet. Pages that were never written take no memory.
  private let memory: PixelBuffer
  private let pixels: UnsafeMutableRawPointer
  /// The number of bytes that libwebp allocates, without the tables of code groups.
  private let codecBytes: Int
  private let source: Canvas.Source
  /// The first row of the frame.
  private let top: Int
  let image: GrowingImage
  /// The number of packed bytes that libwebp has received.
  private var end = 0
  private let frameSize: PixelSize
  private let isLossless: Bool
  /// The tables of the code groups; `nil` until the groups have arrived and were found to be within the limit.
  private var tables: WebPCodeGroups.Tables?

  init(_ frame: WebPFrame, _ plan: DecodePlan) throws(ImageError) {
    let source = frame.source(for: plan)
    memory = PixelBuffer(byteCount: source.size.height * source.size.width * PixelFormat.bytesPerPixel)
    config = .allocate(capacity: 1)
    let pixels = memory.bytes.baseAddress.unsafelyUnwrapped
    self.pixels = pixels
    frameSize = frame.size
    isLossless = frame.isLossless
    codecBytes = frame.codecBytes(canvas: source.size)
    self.source = source
    top = frame.size == source.size || frame.isShrunk(to: source.size) ? 0 : frame.origin.y
    do throws(ImageError) {
      let format = plan.options.pixelFormat
      config.initialize(to: try frame.configuration(to: pixels, size: source.size, format: format))
      guard let decoder = WebPIDecode(nil, 0, config) else {
        throw .decoding(.webp, message: "out of memory")
      }
      self.decoder = decoder
    } catch {
      config.deallocate()
      throw error
    }
    image = GrowingImage(plan, source: source)
  }

  deinit {
    WebPIDelete(decoder)
    config.deallocate()
  }

  var retainedBytes: Int {
    ByteCount.sum(memory.bytes.count, codecBytes, tables?.bytes ?? 0, image.byteCount)
  }

  /// Decodes the received part of the frame. Returns `nil` if there are no more rows than at the previous call.
  func decode(_ data: WebPData, _ cancellation: DecodeCancellation) throws(ImageError) -> Image? {
    if tables == nil { tables = try WebPFrame.tables(data, size: frameSize, cancellation: cancellation) }
    guard tables != nil else { return nil }
    let bytesAtOnce = WebPFrame.bytesAtOnce(
      of: data.size, isLossless: isLossless, height: frameSize.height)
    var status = VP8_STATUS_SUSPENDED
    repeat {
      try cancellation.check()
      end = min(data.size, end + bytesAtOnce)
      status = WebPIUpdate(decoder, data.bytes, end)
    } while status == VP8_STATUS_SUSPENDED && end < data.size
    if status != VP8_STATUS_SUSPENDED { try WebPFrame.check(status) }
    var unpacked: Int32 = 0
    guard WebPIDecGetRGB(decoder, &unpacked, nil, nil, nil) != nil, unpacked > 0 else { return nil }
    let rows = status == VP8_STATUS_OK ? source.size.height : min(top + Int(unpacked), source.size.height)
    guard rows > image.rows else { return nil }
    let bytesPerRow = source.size.width * PixelFormat.bytesPerPixel
    for row in image.rows..<rows { image.push(pixels + row * bytesPerRow) }
    return image.image()
  }
}
