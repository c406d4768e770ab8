import VitrineGraphics
import VitrineLoading

/// Decodes previews of a GIF: the rows received so far of the first frame. Missing rows of an interlaced frame repeat
/// the nearest received row above.
///
/// Keeps nothing between previews: the codes are decompressed from the first each time, which takes about as long as
/// drawing.
final class GIFPreviewDecoder: PreviewDecoder {
  private let options: DecodeOptions
  private var rowsShown = 0
  let retainedBytes = 0
  private(set) var isFinished = false

  init(_ options: DecodeOptions) { self.options = options }

  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview? {
    guard let structure = try Self.structure(data) else { return nil }
    let frame = structure.frame
    var plan = try GIFDecoder.plan(structure, options)
    plan.cancellation = cancellation
    let indices = try LZW.decode(
      prefix: frame.codes, minimumCodeSize: frame.minimumCodeSize,
      count: frame.size.width * frame.size.height, cancellation: cancellation)
    let rows = indices.count / frame.size.width
    guard rows > rowsShown else { return nil }
    rowsShown = rows
    isFinished = rows == frame.size.height
    let bitmap = try GIFDecoder.draw(frame, indices, screen: structure.screen, plan)
    return DecodedPreview(image: plan.image(bitmap))
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
