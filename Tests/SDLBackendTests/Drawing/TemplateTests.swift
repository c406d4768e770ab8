import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct TemplateTests {
    private let image = Image(width: 8, height: 6, isOpaque: false) { x, y in
      Color(red: 200, green: UInt8(x * 30), blue: 10, alpha: UInt8(y * 50))
    }

    private func draw(_ color: Color, tint: Color = .white, opacity: Double = 1, on test: TestHost) {
      test.draw { [image] in
        $0.draw(
          DrawList.ImageCommand(
            image: image, destination: Rect(x: 0, y: 0, width: 8, height: 6), opacity: opacity, tint: tint,
            templateColor: color))
      }
      test.drawUntilClean()
    }

    @Test func templateColorReplacesColorsAndKeepsAlpha() throws {
      let test = try TestHost()
      test.window.backgroundColor = .black

      draw(Color(red: 100, green: 200, blue: 50), on: test)
      for (x, y) in [(0, 5), (7, 5), (3, 2), (5, 0)] {
        let expected = Color(red: 100, green: 200, blue: 50).over(.black, alpha: Double(y * 50) / 255)
        #expect(test.pixel(x, y).distance(to: expected) <= 1)
      }

      // Dimmed by the tint, with a translucent color and half opacity.
      draw(
        Color(red: 100, green: 200, blue: 50, alpha: 128), tint: Color(red: 128, green: 128, blue: 128),
        opacity: 0.5, on: test)
      let expected = Color(red: 50, green: 100, blue: 25).over(.black, alpha: 250.0 / 255 * 0.25)
      #expect(test.pixel(3, 5).distance(to: expected) <= 1)
    }

    @Test func opaqueTemplateIsDrawnAsAFilledRectangle() throws {
      let test = try TestHost()
      let image = Image(width: 8, height: 6, color: .pureRed)
      test.draw {
        $0.draw(
          DrawList.ImageCommand(
            image: image, destination: Rect(x: 0, y: 0, width: 8, height: 6), templateColor: .pureBlue))
      }
      test.drawUntilClean()

      #expect(test.pixel(3, 3) == .pureBlue)
      #expect(test.pixel(7, 5) == .pureBlue)
    }

    @Test func softwareRendererDrawsATemplateWithoutATexture() throws {
      let test = try TestHost()

      draw(.pureRed, on: test)

      #expect(test.host.textureBytes == 0)
    }

    @Test(.needsOpenGL, arguments: SDLHost.Configuration.Renderer.openGL)
    func oneTextureServesEveryTemplateColor(renderer: SDLHost.Configuration.Renderer) throws {
      let test = try TestHost { $0.renderer = renderer }
      for color in [Color.pureRed, .pureGreen, .pureBlue] {
        draw(color, on: test)
        #expect(test.host.textureBytes == 8 * 6 * 4)
        #expect(test.pixel(3, 5).distance(to: color.over(.black, alpha: 250.0 / 255)) <= 2)
      }
    }
  }
}
