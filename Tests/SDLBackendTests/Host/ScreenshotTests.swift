import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct ScreenshotTests {
    @Test func screenshotDoesNotDrawAFrame() throws {
      let test = try TestHost()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }

      #expect(test.pixel(0, 0) == .black, "nothing has been shown yet")
      #expect(test.window.isDirty)
      #expect(test.host.frameStatistics.presented == 0)
      test.frame()
      #expect(test.pixel(0, 0) == .pureRed)
      #expect(test.host.screenshot().isOpaque)
    }
  }
}
