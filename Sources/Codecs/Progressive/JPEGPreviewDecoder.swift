import VitrineGraphics
import VitrineLoading

/// Decodes previews of a JPEG: with several scans, the last complete scan, refined by the received part of the next;
/// with a single scan, the rows received so far. A thumbnail in the Exif that is large enough comes first, and replaces the
/// rows of a single scan.
final class JPEGPreviewDecoder: PreviewDecoder {
  private let reader: JPEGReader
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private var start: (plan: DecodePlan, source: Canvas.Source)?
  private var shown = JPEGReader.ScanProgress()
  private var rows: GrowingImage?
  private(set) var isFinished = false

  init(_ style: ImageRequest.Progressive, options: DecodeOptions) throws(ImageError) {
    reader = try JPEGReader(limits: options.limits)
    self.style = style
    self.options = options
  }

  var retainedBytes: Int { start == nil ? 0 : reader.coefficientBytes + (rows?.byteCount ?? 0) }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    reader.cancellation = cancellation
    return try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      try reader.reading(bytes) { () throws(ImageError) in
        let isFirst = start == nil
        guard let started = try started(data) else { return nil }
        var plan = started.plan
        plan.cancellation = cancellation
        if isFirst, let thumbnail = try thumbnail(in: data, plan) { return thumbnail }
        return reader.holdsSource ? try scans(plan, started.source) : try rows(plan, started.source)
      }
    }
  }

  /// Reads the header and starts the decoder. Returns `nil` until the header has arrived, or if the image has no
  /// previews.
  private func started(_ data: [UInt8]) throws(ImageError) -> (plan: DecodePlan, source: Canvas.Source)? {
    guard start == nil else { return start }
    guard try reader.readHeader() else { return nil }
    // libjpeg cannot suspend within arithmetic codes.
    isFinished = reader.isArithmetic || (style == .blurred && !reader.isProgressive)
    guard !isFinished else { return nil }
    guard let header = JPEGHeader(data) else { throw .decoding(.jpeg, message: "no header") }
    let segments = JPEGSegments(data)
    var plan = try DecodePlan(
      format: .jpeg, stored: reader.size, orientation: segments.orientation, options: options)
    try plan.checkPixels(holdsSource: reader.holdsSource)
    plan.convertColors(of: reader.colorModel, with: segments.profile)
    start = (plan, try reader.start(for: plan, header: header))
    return start
  }

  /// Returns the thumbnail; `nil` if there is none that suits the plan.
  private func thumbnail(in data: [UInt8], _ plan: DecodePlan) throws(ImageError) -> DecodedPreview? {
    guard style == .scans, let header = JPEGHeader(data),
      let bitmap = try JPEGThumbnail(JPEGSegments(data), header, for: plan)?.bitmap(for: plan)
    else { return nil }
    // Rows from the top would hide a preview of the whole image.
    isFinished = !reader.holdsSource
    return DecodedPreview(image: plan.image(bitmap))
  }

  private func scans(_ plan: DecodePlan, _ source: Canvas.Source) throws(ImageError) -> DecodedPreview? {
    let progress = try reader.readCoefficients()
    isFinished = progress.isComplete
    guard progress.lastCompleteScan > 0, progress != shown else { return nil }
    shown = progress
    let bitmap = try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
      try reader.showing(scan: progress.lastCompleteScan) { () throws(ImageError) in
        try canvas.draw(source) { (rows, count) throws(ImageError) in
          guard try reader.read(rows, count: count) == count else {
            throw .decoding(.jpeg, message: "a scan that is not whole")
          }
        }
      }
    }
    return DecodedPreview(image: plan.image(bitmap), step: progress.lastCompleteScan)
  }

  private func rows(_ plan: DecodePlan, _ source: Canvas.Source) throws(ImageError) -> DecodedPreview? {
    let stripHeight = 16
    let bytesPerRow = source.size.width * PixelFormat.bytesPerPixel
    let strip = PixelBuffer(byteCount: bytesPerRow * stripHeight, isZeroed: false)
    defer { withExtendedLifetime(strip) {} }
    let start = strip.bytes.baseAddress.unsafelyUnwrapped
    let before = rows?.rows ?? 0
    while case let count = try reader.read(start, count: stripHeight), count > 0 {
      // Allocated with the first row, so that a header alone takes no memory.
      let image = rows ?? GrowingImage(plan, source: source)
      rows = image
      for row in 0..<count { image.push(start + row * bytesPerRow) }
      try plan.cancellation.check()
    }
    guard let rows, rows.rows > before else { return nil }
    isFinished = rows.isComplete
    return DecodedPreview(image: rows.image())
  }
}
