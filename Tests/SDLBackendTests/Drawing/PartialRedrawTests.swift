import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct PartialRedrawTests {
    @Test func pixelsOutsideTheDirtyRectangleAreUnchanged() throws {
      let test = try TestHost()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }
      test.frame()

      test.view.content = { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureGreen) }
      test.view.setNeedsDisplay(Rect(x: 5, y: 5, width: 10, height: 10))
      test.frame()

      let image = test.host.screenshot()
      for x in 0..<40 {
        for y in 0..<30 {
          let isInside = (5..<15).contains(x) && (5..<15).contains(y)
          #expect(image.color(x: x, y: y) == (isInside ? .pureGreen : .pureRed))
        }
      }
    }

    @Test func translucentContentIsNotDrawnOverItself() throws {
      let test = try TestHost()
      test.window.backgroundColor = nil
      test.draw {
        $0.fill(
          Rect(x: 0, y: 0, width: 40, height: 30), color: Color(red: 255, green: 255, blue: 255, alpha: 100))
      }
      test.frame()

      test.view.setNeedsDisplay()
      test.frame()

      #expect(test.pixel(3, 3) == Color(red: 100, green: 100, blue: 100))
    }

    @Test func cleanWindowPresentsNoFrames() throws {
      let test = try TestHost()
      test.frame()
      let frames = test.host.frameStatistics.presented

      for _ in 0..<5 { test.advance(by: 1) }

      #expect(frames == 1)
      #expect(test.host.frameStatistics.presented == 1)
      #expect(test.host.frameStatistics.firstFrame == 0)
    }

    @Test func dirtyRectangleIsExpandedToWholePixels() throws {
      let test = try TestHost { $0.scale = 1.5 }
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }
      test.frame()

      test.view.content = { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureGreen) }
      test.view.setNeedsDisplay(Rect(x: 1, y: 1, width: 1, height: 1))
      test.frame()

      let image = test.host.screenshot()
      for x in 0..<6 {
        #expect(image.color(x: x, y: 1) == ((1..<3).contains(x) ? .pureGreen : .pureRed), "\(x)")
      }
    }
  }
}
