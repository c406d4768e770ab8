import VitrineGraphics
import VitrineLoading

/// A picture whose rows come from the top, over several calls; those that have not come are transparent.
///
/// Holds the pixels at the size asked for, and a row of sums where it is scaled.
final class GrowingPicture {
  private let plan: DecodePlan
  private let source: Canvas.Source
  private let pixels: PixelBuffer
  private let canvas: Canvas
  private var scaler: AreaScaler?
  /// Rows of the source that have come.
  private(set) var rows = 0
  /// Rows of the canvas whose colours are converted.
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

  /// Takes the next row; one too many is left out.
  func push(_ row: UnsafeRawPointer) {
    guard !isComplete else { return }
    if scaler?.push(row) == nil { canvas.write(row, at: rows) }
    rows += 1
  }

  /// What has come, copied.
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
