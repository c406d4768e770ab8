import CSDL
import Glibc
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct ScreenshotTests {
    @Test(arguments: [PixelFormat.bgra, .rgba], [true, false])
    func writtenPNGHasTheSamePixels(format: PixelFormat, isOpaque: Bool) throws {
      let bitmap = Bitmap.drawn(width: 13, height: 7, format: format, isOpaque: isOpaque) { x, y in
        Color(red: UInt8(x * 19), green: UInt8(y * 36), blue: 200, alpha: isOpaque ? 255 : UInt8(20 * x))
      }
      let path = "/tmp/vitrine-\(getpid()).png"
      defer { unlink(path) }

      try SDLHost.writePNG(bitmap, to: path)

      let loaded = try #require(IMG_Load(path))
      defer { SDL_FreeSurface(loaded) }
      let converted = try #require(SDL_ConvertSurfaceFormat(loaded, SDL_PIXELFORMAT_ABGR8888.rawValue, 0))
      defer { SDL_FreeSurface(converted) }
      #expect(converted.pointee.w == 13 && converted.pointee.h == 7)
      let pixels = try #require(converted.pointee.pixels)
      for x in 0..<13 {
        for y in 0..<7 {
          let offset = y * Int(converted.pointee.pitch) + x * 4
          let bytes = (0..<4).map { pixels.load(fromByteOffset: offset + $0, as: UInt8.self) }
          #expect(
            Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3]) == bitmap.color(x: x, y: y)
          )
        }
      }
    }

    @Test func writingToAMissingFolderFails() {
      let bitmap = Bitmap.drawn(width: 1, height: 1) { _, _ in .pureRed }

      #expect(throws: SDLHostError.self) { try SDLHost.writePNG(bitmap, to: "/nowhere/picture.png") }
    }

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
