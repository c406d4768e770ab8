import VitrineGraphics
import VitrineLoading

/// An image whose rows arrive from the top, over several calls; rows that have not arrived are transparent.
///
/// Holds the pixels at the size of the result, and one row of sums if the image is scaled.
final class GrowingImage {
  private let plan: DecodePlan
  private let source: Canvas.Source
  private let pixels: PixelBuffer
  private let canvas: Canvas
  private var scaler: AreaScaler?
  /// The number of source rows received.
  private(set) var rows = 0
  /// The number of canvas rows whose colors have been converted.
  private var rowsConverted = 0

  init(_ plan: DecodePlan, source: Canvas.Source) {
    self.plan = plan
    self.source = source
    let byteCount = plan.output.width * plan.output.height * PixelFormat.bytesPerPixel
    pixels = PixelBuffer(byteCount: byteCount)
    var canvas = Canvas(pixels: pixels.bytes, size: plan.scaled, orientation: plan.orientation)
    canvas.overhang = plan.overhang
    self.canvas = canvas
    if source.size != plan.scaled { scaler = AreaScaler(source, to: canvas) }
  }

  var byteCount: Int { pixels.bytes.count }

  var isComplete: Bool { rows == source.size.height }

  /// Takes the next row; rows beyond the height are ignored.
  func push(_ row: UnsafeRawPointer) {
    guard !isComplete else { return }
    if scaler?.push(row) == nil { canvas.write(row, at: rows) }
    rows += 1
  }

  /// Returns a copy of the rows received so far as an image.
  func image() -> Image {
    convertNewRows()
    let bitmap = Bitmap(
      width: plan.output.width, height: plan.output.height, format: plan.options.pixelFormat, isOpaque: false
    ) { target, _ in target.copyMemory(from: UnsafeRawBufferPointer(pixels.bytes)) }
    return plan.image(bitmap.assumingOpaque(bitmap.hasOnlyOpaquePixels))
  }

  private func convertNewRows() {
    guard let colors = plan.pixelColors else { return }
    let finished = scaler?.outputY ?? rows
    canvas.convert(rowsConverted..<finished, by: colors)
    rowsConverted = finished
  }
}
