import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests.OpenGLTests {
  /// Drawing on a rotated panel, and with a small maximum texture size.
  struct PanelTests {
    /// A renderer with its own window, which shows one draw list.
    private final class Panel {
      let renderer: OpenGLRenderer
      private let video: VideoSession

      init(
        _ kind: OpenGLDevice.Kind, size: Size, rotation: Rotation = .none, largestSide: Int = .max,
        showing draw: (inout DrawList) -> Void
      ) throws {
        var configuration = SDLHost.Configuration()
        configuration.size = size
        let drivers = VideoDriverChoice(
          requested: "offscreen", environment: { _ in nil }, devices: ScreenDevices())
        video = try VideoSession(configuration: configuration, drivers: drivers)
        try video.openWindow(for: .openGL(kind))
        let device = try OpenGLDevice(kind, video: video, largestSide: largestSide)
        let textures = TextureStore(
          maker: OpenGLTextures(device: device), budget: 1 << 20, frameBudget: 1 << 20)
        renderer = try OpenGLRenderer(
          device: device, rotation: rotation, fonts: FontLibrary(fonts: .dejaVu, scale: 1), textures: textures
        )
        let bounds = try #require(renderer.begin())
        var list = DrawList(visibleRect: bounds.rect(scale: 1))
        draw(&list)
        _ = renderer.play(list, in: bounds, scale: 1)
        renderer.present([bounds])
      }

      isolated deinit {
        renderer.close()
        video.close()
      }

      func screenshot() -> Bitmap? { renderer.screenshot() }

      /// The pixels of the window. Off screen, the back buffer stays valid after present.
      func windowPixels(width: Int, height: Int) -> Bitmap {
        Bitmap(width: width, height: height, format: .bgra, isOpaque: true) { bytes, pitch in
          let format = SDL_PIXELFORMAT_ARGB8888.rawValue
          let result = SDL_RenderReadPixels(
            renderer.device.renderer, nil, format, bytes.baseAddress, Int32(pitch))
          #expect(result == 0)
        }
      }
    }

    private func scene(_ list: inout DrawList) {
      let image = Image(width: 30, height: 40, isOpaque: false) { x, y in
        Color(red: UInt8(x * 8), green: UInt8(y * 6), blue: 100, alpha: UInt8(255 - x * 3))
      }
      list.fill(Rect(x: 0, y: 0, width: 40, height: 60), color: Color(red: 10, green: 60, blue: 90))
      list.draw(DrawList.ImageCommand(image: image, destination: Rect(x: 2, y: 3, width: 30, height: 40)))
      list.draw(
        DrawList.ImageCommand(
          image: image, destination: Rect(x: 6, y: 20, width: 33, height: 38), cornerRadius: 9)
      )
      list.fill(Rect(x: -8, y: 30, width: 44, height: 22), color: .pureRed, cornerRadius: 11)
      list.text(
        "Größe", font: .bold(15), color: .white, at: Point(x: 1, y: 1), size: Size(width: 60, height: 20))
    }

    @Test(arguments: [OpenGLDevice.Kind.opengles2, .opengl], Rotation.allCases)
    func windowPixelsAreRotated(kind: OpenGLDevice.Kind, rotation: Rotation) throws {
      let upright = try Panel(kind, size: Size(width: 40, height: 60), showing: scene).screenshot()
      let expected = try #require(upright)

      let size = rotation.turned(Size(width: 40, height: 60))
      let panel = try Panel(kind, size: size, rotation: rotation, showing: scene)

      let found = panel.windowPixels(width: Int(size.width), height: Int(size.height))
      let screenshot = try #require(panel.screenshot())
      #expect(screenshot.width == found.width && screenshot.height == found.height)
      var wrong = 0
      for y in 0..<60 {
        for x in 0..<40 {
          let middle = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
          let point = rotation.onPanel(middle, of: Size(width: 40, height: 60))
          let color = expected.color(x: x, y: y)
          for image in [found, screenshot] where image.color(x: Int(point.x), y: Int(point.y)) != color {
            wrong += 1
          }
        }
      }
      #expect(wrong == 0, "pixels")
    }

    @Test(arguments: [OpenGLDevice.Kind.opengles2, .opengl])
    func imageLargerThanTheTextureLimitLooksTheSame(kind: OpenGLDevice.Kind) throws {
      let size = Size(width: 40, height: 60)
      let expected = try #require(try Panel(kind, size: size, showing: scene).screenshot())

      let found = try Panel(kind, size: size, largestSide: 16, showing: scene).screenshot()

      #expect(try #require(found).firstDifference(from: expected) == nil)
    }
  }
}
