import VitrineGraphics
import VitrineLoading

/// Decodes previews of a PNG: the rows received so far, or for an interlaced image (Adam7) all pixels received so far,
/// where missing pixels repeat received ones as blocks. The preview of an animated PNG is its default image, and from the
/// second frame on an animation of the complete frames.
final class PNGPreviewDecoder: PreviewDecoder {
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private var start: Start?
  private var consumed = 0
  private var arriving = ArrivingPNG()
  /// The first frame of an animation of which at least two frames have arrived.
  private var firstFrame: FirstFrame?
  private(set) var isFinished = false

  private struct Start {
    let plan: DecodePlan
    let structure: PNGStructure
    let reader: PNGPreviewReader
  }

  private struct FirstFrame {
    let bitmap: Bitmap
    let plan: DecodePlan
    let structure: PNGStructure
  }

  init(_ style: ImageRequest.Progressive, options: DecodeOptions) {
    self.style = style
    self.options = options
  }

  var retainedBytes: Int {
    guard let firstFrame else { return start?.reader.retainedBytes ?? 0 }
    return ByteCount.sum(firstFrame.bitmap.byteCount, arriving.bytes.count, arriving.tableBytes)
  }

  private var playsAnimation: Bool { style == .scans && options.decodesAnimation }

  func memoryNeeded(for data: [UInt8]) -> Int? {
    guard playsAnimation, let structure = try? beginning(of: data), structure.animation != nil else {
      return nil
    }
    let addition = arriving.addition(of: data, beginning: structure, limits: options.limits)
    let tables = arriving.tableBytes(with: addition)
    if let firstFrame {
      // The preview's share, and that of the decoder.
      return ByteCount.product(2, ByteCount.sum(firstFrame.bitmap.byteCount, data.count, tables))
    }
    guard var memory = try? PNGDecoder.memory(data, options: options) else { return nil }
    memory.animation = ByteCount.sum(data.count, tables)
    // The canvas, the saved rectangle and, for an interlaced image, the frame.
    let pixels = ByteCount.product(structure.size.width, structure.size.height, PixelFormat.bytesPerPixel)
    return ByteCount.sum(memory.preview(style), ByteCount.product(pixels, structure.isInterlaced ? 3 : 2))
  }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    if playsAnimation, let structure = try beginning(of: data), structure.animation != nil {
      if let preview = try animatedPreview(of: data, structure, cancellation) { return preview }
    }
    guard firstFrame == nil, let start = try started(data), !start.reader.isComplete else { return nil }
    let before = start.reader.rows
    let new = data[consumed...]
    consumed = data.count
    try start.reader.feed(new, cancellation: cancellation)
    let awaitsFrames = playsAnimation && start.structure.animation != nil && !arriving.isFinished
    isFinished = start.reader.isComplete && !awaitsFrames
    guard start.reader.rows > before else { return nil }
    if !start.structure.isInterlaced { return start.reader.image.map { DecodedPreview(image: $0.image()) } }
    return try interlaced(start, cancellation)
  }

  /// Returns the chunks before the pixels; `nil` until all of them have arrived.
  private func beginning(of data: [UInt8]) throws(ImageError) -> PNGStructure? {
    if let known = arriving.structure ?? start?.structure { return known }
    return try PNGStructure(beginningOf: data)
  }

  /// Returns a preview of more than one frame; `nil` if no more frames have arrived.
  private func animatedPreview(
    of data: [UInt8], _ structure: PNGStructure, _ cancellation: DecodeCancellation
  ) throws(ImageError) -> DecodedPreview? {
    let addition = arriving.addition(of: data, beginning: structure, limits: options.limits)
    let hasMore = try arriving.take(addition, of: data)
    let isWhole = firstFrame != nil || start?.reader.isComplete == true
    if hasMore || isWhole { isFinished = arriving.isFinished }
    guard hasMore, let frames = arriving.frames(options.limits) else { return nil }
    if firstFrame == nil { firstFrame = try firstFrame(frames, cancellation) }
    start = nil
    return firstFrame.map {
      let animation = PNGDecoder.animation(frames, $0.structure, arriving.bytes, $0.plan, isComplete: false)
      return DecodedPreview(image: $0.plan.image($0.bitmap, animation: animation))
    }
  }

  /// Decodes the first frame from the bytes that are kept, so that the preview and its animation have the same header.
  private func firstFrame(
    _ frames: PNGAnimation, _ cancellation: DecodeCancellation
  ) throws(ImageError) -> FirstFrame? {
    guard let structure = arriving.structure else { return nil }
    var plan = try PNGDecoder.planWithColors(structure, options)
    plan.cancellation = cancellation
    let bitmap = try PNGDecoder.firstFrame(frames, structure, arriving.bytes, plan)
    plan.cancellation = .never
    return FirstFrame(bitmap: bitmap, plan: plan, structure: structure)
  }

  /// Reads the header and starts the decoder. Returns `nil` until the header has arrived, or if the image has no
  /// previews.
  private func started(_ data: [UInt8]) throws(ImageError) -> Start? {
    guard start == nil else { return start }
    guard let structure = try PNGStructure(beginningOf: data) else { return nil }
    isFinished = style == .blurred && !structure.isInterlaced
    guard !isFinished else { return nil }
    var plan = try DecodePlan(
      format: .png, stored: structure.size, orientation: structure.orientation, options: options)
    try plan.checkPixels(holdsSource: structure.isInterlaced)
    try plan.checkPassingPixels()
    plan.convertColors(of: structure.colorModel, with: structure.profile)
    start = Start(
      plan: plan, structure: structure, reader: try PNGPreviewReader(plan, hasAlpha: structure.hasAlpha))
    return start
  }

  private func interlaced(
    _ start: Start, _ cancellation: DecodeCancellation
  ) throws(ImageError) -> DecodedPreview? {
    // A blur would smear the lower edge of an incomplete first pass.
    guard style == .scans || start.reader.pass > 0, let pixels = start.reader.pixels else { return nil }
    let hasAlpha = start.structure.hasAlpha || start.reader.pass == 0
    let source = Canvas.Source(start.structure.size, hasAlpha: hasAlpha)
    let bytesPerRow = source.size.width * PixelFormat.bytesPerPixel
    var next = pixels
    var plan = start.plan
    plan.cancellation = cancellation
    let bitmap = try plan.bitmap(hasAlpha: hasAlpha) { (canvas) throws(ImageError) in
      try canvas.draw(source) { (rows, count) throws(ImageError) in
        rows.copyMemory(from: next, byteCount: bytesPerRow * count)
        next += bytesPerRow * count
      }
    }
    return DecodedPreview(image: start.plan.image(bitmap), step: start.reader.pass + 1)
  }
}
