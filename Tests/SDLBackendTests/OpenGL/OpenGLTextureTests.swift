import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests.OpenGLTests {
  /// Upload, eviction and loss of textures.
  struct KeepingTexturesTests {
    private func host(
      _ renderer: SDLHost.Configuration.Renderer = .opengles2,
      configure: (inout SDLHost.Configuration) -> Void = { _ in }
    ) throws -> TestHost {
      try TestHost(width: 100) {
        $0.renderer = renderer
        configure(&$0)
      }
    }

    private func images(_ count: Int) -> [Image] {
      (0..<count).map { index in
        Image(width: 10, height: 10, format: .rgba) { _, _ in Color(red: UInt8(index * 9), green: 9, blue: 9)
        }
      }
    }

    /// Each image in a square of 10 points, 400 bytes, in a row.
    private func row(_ images: [Image], opacity: Double = 1, _ list: inout DrawList) {
      for (index, image) in images.enumerated() {
        let destination = Rect(x: Double(index) * 10, y: 0, width: 10, height: 10)
        list.draw(DrawList.ImageCommand(image: image, destination: destination, opacity: opacity))
      }
    }

    @Test(arguments: SDLHost.Configuration.Renderer.openGL)
    func openGLHostUsesRGBA(renderer: SDLHost.Configuration.Renderer) throws {
      #expect(try host(renderer).host.pixelFormat == .rgba)
    }

    @Test func textureIsUploadedOnceAndRemovedWithItsImage() throws {
      let test = try host()
      var shown = images(3)
      test.draw { row(shown, &$0) }
      test.drawUntilClean()
      #expect(test.host.textureBytes == 1200)
      test.redrawEverything()
      #expect(test.host.textureBytes == 1200)

      shown = []
      for _ in 0..<64 { test.redrawEverything() }

      #expect(test.host.textureBytes == 0)
    }

    @Test func textureBytesStayWithinTheBudget() throws {
      let test = try host { $0.textureByteBudget = 1000 }
      for image in images(8) {
        test.draw { row([image], &$0) }
        test.drawUntilClean()
        #expect(test.host.textureBytes <= 1000)
      }
      #expect(test.host.textureBytes == 800)
    }

    @Test func contentIsShownWithATextureBudgetOfZero() throws {
      let test = try host { $0.textureByteBudget = 0 }
      test.draw { list in
        row(images(5), &list)
        list.text(
          "X", font: .regular(14), color: .white, at: Point(x: 0, y: 12), size: Size(width: 9, height: 9))
        list.fill(Rect(x: 60, y: 0, width: 20, height: 20), color: .pureRed, cornerRadius: 5)
      }

      test.frame()

      #expect(!test.window.isDirty, "no more frames are requested")
      #expect(test.host.textureBytes == 0)
      for index in 0..<5 { #expect(test.pixel(index * 10 + 5, 5).red == UInt8(index * 9)) }
      #expect(test.pixel(70, 10) == .pureRed)
      #expect((0..<10).contains { test.pixel($0, 20).green > 128 }, "text")
    }

    @Test func imagesThatFadeInWaitForTheUploadBudget() throws {
      let test = try host { $0.uploadByteBudget = 900 }
      let shown = images(5)
      test.draw { row(shown, opacity: 0.5, &$0) }

      for bytes in [800, 1600, 2000] {
        #expect(test.window.isDirty)
        test.frame()
        #expect(test.host.textureBytes == bytes)
        for index in 0..<5 {
          let color = Color(red: UInt8(index * 9), green: 9, blue: 9).over(.black, alpha: 0.5)
          #expect(test.pixel(index * 10 + 5, 5).distance(to: color) <= 1, "every image is shown")
        }
      }
      #expect(!test.window.isDirty)
    }

    @Test func opaqueImagesDoNotWaitForTheUploadBudget() throws {
      let test = try host { $0.uploadByteBudget = 900 }
      let shown = images(5)
      test.draw { row(shown, &$0) }

      test.frame()

      #expect(test.host.textureBytes == 2000)
      #expect(!test.window.isDirty)
    }

    @Test(arguments: [SDL_RENDER_DEVICE_RESET, SDL_RENDER_TARGETS_RESET])
    func lostTexturesAreUploadedAgain(event: SDL_EventType) throws {
      let test = try host()
      let shown = images(3)
      test.draw { row(shown, &$0) }
      test.drawUntilClean()
      let before = test.host.screenshot()
      let renderer = try #require(test.host.renderer as? OpenGLRenderer)
      let image = renderer.image
      // Simulates a device that has lost its pixels.
      test.draw { _ in }
      test.drawUntilClean()
      test.view.content = { row(shown, &$0) }

      var lost = SDL_Event()
      lost.type = event.rawValue
      SDL_PushEvent(&lost)
      test.drawUntilClean()

      #expect(test.host.screenshot().firstDifference(from: before) == nil)
      #expect(test.host.textureBytes == 1200)
      // A reset device loses its textures; reset targets lose only their content.
      #expect((renderer.image === image) == (event == SDL_RENDER_TARGETS_RESET))
    }

    @Test func resizedWindowIsDrawnInItsNewSize() throws {
      let test = try host()
      test.window.backgroundColor = .pureGreen
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 100, height: 30), color: .pureRed) }
      test.drawUntilClean()

      SDL_SetWindowSize(test.host.video.window, 140, 50)
      test.drawUntilClean()

      let image = test.host.screenshot()
      #expect(image.width == 140 && image.height == 50)
      #expect(image.color(x: 99, y: 29) == .pureRed)
      #expect(image.color(x: 139, y: 49) == .pureGreen)
    }

    @Test func hostsCanBeOpenedOneAfterAnother() throws {
      for renderer in SDLHost.Configuration.Renderer.openGL + [.software] + .openGL {
        let test = try host(renderer)
        test.window.backgroundColor = .pureRed
        test.frame()
        #expect(test.pixel(9, 9) == .pureRed)
        test.host.close()
        #expect(test.host.screenshot().width == 1)
        test.frame()
        test.host.close()
      }
    }
  }
}

extension [SDLHost.Configuration.Renderer] {
  fileprivate static var openGL: Self { SDLHost.Configuration.Renderer.openGL }
}
