import VitrineGraphics
import VitrineLoading

/// Decodes previews of a GIF: the rows received so far of the first frame, and then the complete frames of an animation.
/// Missing rows of an interlaced frame repeat the nearest received row above.
///
/// Keeps nothing between previews of the first frame: the codes are decompressed from the first each time, which takes
/// about as long as drawing. Of an animation, the bytes of the complete frames and the pixels of the first are kept.
final class GIFPreviewDecoder: PreviewDecoder {
  private let options: DecodeOptions
  private var rowsShown = 0
  private var arriving = ArrivingGIF()
  /// The first frame of an animation of which at least two frames have arrived.
  private var firstFrame: FirstFrame?
  private(set) var isFinished = false

  private struct FirstFrame {
    let bitmap: Bitmap
    let plan: DecodePlan
  }

  init(_ options: DecodeOptions) { self.options = options }

  var retainedBytes: Int {
    guard let firstFrame else { return 0 }
    return ByteCount.sum(firstFrame.bitmap.byteCount, arriving.bytes.count, arriving.tableBytes)
  }

  func memoryNeeded(for data: [UInt8]) -> Int? {
    guard let firstFrame else { return nil }
    let tables = arriving.tableBytes(with: arriving.addition(of: data, limits: options.limits))
    // The preview's share, and that of the decoder.
    return ByteCount.product(2, ByteCount.sum(firstFrame.bitmap.byteCount, data.count, tables))
  }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    if let preview = try animatedPreview(of: data, cancellation) { return preview }
    guard firstFrame == nil, let structure = try Self.structure(data) else { return nil }
    let frame = structure.frame
    var plan = try GIFDecoder.plan(structure, options)
    plan.cancellation = cancellation
    let indices = try LZW.decode(
      prefix: frame.codes, minimumCodeSize: frame.minimumCodeSize,
      count: frame.size.width * frame.size.height, cancellation: cancellation)
    let rows = indices.count / frame.size.width
    // More frames may follow.
    isFinished = rows == frame.size.height && (!options.decodesAnimation || arriving.isFinished)
    guard rows > rowsShown else { return nil }
    rowsShown = rows
    let bitmap = try GIFDecoder.draw(frame, indices, screen: structure.screen, plan)
    return DecodedPreview(image: plan.image(bitmap))
  }

  /// Returns a preview of more than one frame; `nil` if no more frames have arrived.
  private func animatedPreview(
    of data: [UInt8], _ cancellation: DecodeCancellation
  ) throws(ImageError) -> DecodedPreview? {
    guard options.decodesAnimation else { return nil }
    let hasMore = arriving.take(arriving.addition(of: data, limits: options.limits), of: data)
    if firstFrame != nil || hasMore { isFinished = arriving.isFinished }
    guard hasMore else { return nil }
    if firstFrame == nil { firstFrame = try wholeFirstFrame(cancellation) }
    return firstFrame.map {
      DecodedPreview(image: $0.plan.image($0.bitmap, animation: arriving.animation($0.plan)))
    }
  }

  /// Draws the first frame from the bytes that are kept, so that the preview and its animation have the same header.
  private func wholeFirstFrame(_ cancellation: DecodeCancellation) throws(ImageError) -> FirstFrame {
    let structure = try GIFStructure(arriving.bytes.beginning)
    let frame = structure.frame
    var plan = try GIFDecoder.plan(structure, options)
    plan.cancellation = cancellation
    let indices = try LZW.decode(
      frame.codes, minimumCodeSize: frame.minimumCodeSize, count: frame.size.width * frame.size.height,
      cancellation: cancellation)
    let bitmap = try GIFDecoder.draw(frame, indices, screen: structure.screen, plan)
    plan.cancellation = .never
    return FirstFrame(bitmap: bitmap, plan: plan)
  }

  /// Returns `nil` until the codes of the first frame begin.
  private static func structure(_ data: [UInt8]) throws(ImageError) -> GIFStructure? {
    do throws(ImageError) {
      return try GIFStructure(data)
    } catch GIFBlockReader.unexpectedEnd {
      return nil
    }
  }
}
