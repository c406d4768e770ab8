import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Content modes that keep an image's natural size keep its exact pixels: one more or less would blur the image.
struct PlacedPixelsTests {
  @Test(arguments: [1, 1.25, 1.5, 2, 2.25], ContentMode.allCases.filter(\.keepsNaturalSize))
  func imageOfNaturalSizeCoversItsExactPixels(scale: Double, mode: ContentMode) {
    for pixels in 1..<40 {
      for side in stride(from: 40.0, to: 50, by: 0.3) {
        let size = Size(width: Double(pixels) / scale, height: Double(pixels) / scale)
        let bounds = Rect(x: side / 7, y: -side, width: side, height: side)
        let layout = mode.layout(pixelWidth: pixels, pixelHeight: pixels, size: size, in: bounds)

        let rect = PixelRect(layout.destination, scale: scale)

        #expect(rect.width == pixels && rect.height == pixels, "\(pixels) in \(side)")
      }
    }
  }
}
