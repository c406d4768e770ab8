import VitrineGraphics
import VitrineLoading

/// Decodes previews of a PNG: the rows received so far, or for an interlaced image (Adam7) all pixels received so far,
/// where missing pixels repeat received ones as blocks. The preview of an animated PNG is its default image.
final class PNGPreviewDecoder: PreviewDecoder {
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private var start: Start?
  private var consumed = 0
  private(set) var isFinished = false

  private struct Start {
    let plan: DecodePlan
    let structure: PNGStructure
    let reader: PNGPreviewReader
  }

  init(_ style: ImageRequest.Progressive, options: DecodeOptions) {
    self.style = style
    self.options = options
  }

  var retainedBytes: Int { start?.reader.retainedBytes ?? 0 }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    guard let start = try started(data) else { return nil }
    let before = start.reader.rows
    let new = data[consumed...]
    consumed = data.count
    try start.reader.feed(new, cancellation: cancellation)
    isFinished = start.reader.isComplete
    guard start.reader.rows > before else { return nil }
    if !start.structure.isInterlaced { return start.reader.image.map { DecodedPreview(image: $0.image()) } }
    return try interlaced(start, cancellation)
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
