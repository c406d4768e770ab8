import Foundation
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// The blur alone, compared with a Gaussian that is summed up pixel by pixel.
struct ShadowShapeTests {
  /// The coverage of one pixel of a blurred rounded rectangle, computed from 16 samples per pixel.
  private func expected(_ width: Int, _ height: Int, radius: Double, deviation: Double, x: Int, y: Int)
    -> Double
  {
    var sum = 0.0
    let parts = 4
    for v in 0..<height * parts {
      for u in 0..<width * parts {
        let px = (Double(u) + 0.5) / Double(parts)
        let py = (Double(v) + 0.5) / Double(parts)
        let dx = max(0, max(radius - px, px - (Double(width) - radius)))
        let dy = max(0, max(radius - py, py - (Double(height) - radius)))
        guard dx * dx + dy * dy <= radius * radius else { continue }
        let (fx, fy) = (px - Double(x) - 0.5, py - Double(y) - 0.5)
        sum += exp(-(fx * fx + fy * fy) / (2 * deviation * deviation))
      }
    }
    return sum / (2 * .pi * deviation * deviation * Double(parts * parts))
  }

  @Test(arguments: [
    (24, 20, 0, 2.0), (24, 20, 6, 2), (24, 20, 10, 1), (9, 7, 3, 3), (20, 20, 10, 2.5), (3, 30, 1, 1.5),
    (1, 1, 0, 1),
  ])
  func blurMatchesAGaussian(width: Int, height: Int, radius: Int, deviation: Double) {
    let shape = ShadowShape(of: PixelRect(width: width, height: height), deviation: deviation, radius: radius)

    let mask = shape.blurred()

    for y in stride(from: 0, to: mask.height, by: 3) {
      for x in stride(from: 0, to: mask.width, by: 2) {
        // The mask is of a smaller rectangle whose middle is stretched when it is drawn.
        let reference = expected(
          mask.width - 2 * shape.reach, mask.height - 2 * shape.reach, radius: Double(radius),
          deviation: deviation,
          x: x - shape.reach, y: y - shape.reach)
        let found = Double(mask.coverage[y * mask.width + x]) / 255
        #expect(abs(found - reference) < 0.02, "\(x), \(y): \(found) instead of \(reference)")
      }
    }
  }

  @Test func shadowsOfLargeRectanglesShareOneMaskWithAFlatMiddle() {
    let a = ShadowShape(of: PixelRect(width: 300, height: 200), deviation: 4, radius: 8)
    let b = ShadowShape(of: PixelRect(width: 90, height: 900), deviation: 4, radius: 8)
    let small = ShadowShape(of: PixelRect(width: 30, height: 900), deviation: 4, radius: 8)
    #expect(a == b)
    #expect(a != small)

    let mask = a.blurred()
    let middle = mask.width / 2
    #expect(mask.width == 2 * (8 + 12) + 1 + 2 * 12)
    for y in 0..<mask.height {
      let row = (middle - 1...middle + 1).map { mask.coverage[y * mask.width + $0] }
      #expect(row[0] == row[1] && row[1] == row[2])
    }
    #expect(mask.coverage[middle * mask.width + middle] == 255)
    #expect(mask.coverage[middle * mask.width] <= 1, "the mask ends where the shadow is invisible")
  }

  @Test(arguments: [0, 0.1, 100, 1e9, .infinity, .nan] as [Double])
  func extremeBlurRadiiAreBounded(deviation: Double) {
    let shape = ShadowShape(of: PixelRect(width: 9_000_000, height: 3), deviation: deviation, radius: 1)

    #expect(shape.reach <= 300)
    if !shape.isSharp { #expect(shape.blurred().width < 3000) }
  }

  @Test func spansCoverTheirTargetOnce() {
    for (length, start, end) in [(5, 0, 5), (5, -3, 20), (7, 2, 10), (1, 0, 9)] {
      let spans = MaskSpan.spans(of: length, from: start, to: end)
      #expect(spans.flatMap { Array($0.target) } == Array(start..<end))
      let clipped = spans.compactMap { $0.clipped(to: start + 1..<end - 1, of: 0..<length) }
      #expect(clipped.flatMap { Array($0.target) } == Array((start + 1)..<(end - 1)))
      for span in clipped {
        for index in span.target { #expect(span.source.contains(span.source(of: index))) }
      }
    }
  }
}

extension SDLTests {
  struct ShadowTests {
    private let shadow = Shadow(color: .black, radius: 3, offset: Point(x: 1, y: 2))

    @Test func shadowHiddenByAnOpaqueFillChangesNoPixel() throws {
      func image(hides: Bool) throws -> Bitmap {
        let test = try TestHost(width: 60, height: 50)
        test.window.backgroundColor = .white
        let rect = Rect(x: 15, y: 12, width: 30, height: 25)
        test.draw {
          $0.shadow(shadow, of: rect, cornerRadius: 6, isHiddenInside: hides)
          $0.fill(rect, color: .pureRed, cornerRadius: 6)
        }
        test.frame()
        return test.host.screenshot()
      }

      #expect(try image(hides: true).firstDifference(from: image(hides: false)) == nil)
    }

    @Test func equalShadowsShareOneTexture() throws {
      let test = try TestHost(width: 300, height: 200)
      test.window.backgroundColor = .white
      test.draw {
        for index in 0..<4 {
          $0.shadow(
            shadow, of: Rect(x: 20 + 70 * Double(index), y: 20, width: 40 + Double(index), height: 60),
            cornerRadius: 4)
        }
      }
      test.frame()
      let side = 2 * (4 + 9) + 1 + 2 * 9
      #expect(test.host.textureBytes == side * side)

      for _ in 0..<3 {
        test.view.setNeedsDisplay()
        test.frame()
      }

      #expect(test.host.textureBytes == side * side)
    }

    @Test func sharpShadowIsAFilledRectangle() throws {
      let test = try TestHost()
      test.window.backgroundColor = .white
      test.draw {
        $0.shadow(
          Shadow(color: .pureBlue, radius: -5, offset: Point(x: 3, y: 4)),
          of: Rect(x: 5, y: 5, width: 20, height: 10))
      }

      test.frame()

      #expect(test.pixel(8, 9) == .pureBlue)
      #expect(test.pixel(27, 18) == .pureBlue)
      #expect(test.pixel(7, 9) == .white)
      #expect(test.pixel(28, 18) == .white)
      #expect(test.host.textureBytes == 0)
    }
  }
}
