import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct ImageTests {
    /// Compares each combination of alpha, opacity, tint and format with the blending formula.
    @Test(arguments: [255, 128, 0] as [UInt8], [1.0, 0.5, 0.1])
    func blendTintAndOpacityFollowTheFormula(alpha: UInt8, opacity: Double) throws {
      for (tint, format) in [(Color.white, PixelFormat.bgra), (Color(hex: 0x8C40FF), .bgra), (.white, .rgba)]
      {
        let test = try TestHost()
        let under = Color(red: 10, green: 200, blue: 60)
        let color = Color(red: 250, green: 100, blue: 30, alpha: alpha)
        let image = Image(width: 7, height: 5, format: format, isOpaque: alpha == 255) { _, _ in color }
        test.window.backgroundColor = under
        test.draw {
          $0.draw(
            DrawList.ImageCommand(
              image: image, destination: Rect(x: 3, y: 2, width: 7, height: 5), opacity: opacity, tint: tint))
        }

        test.drawUntilClean()

        func tinted(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Double(a) * Double(b) / 255).rounded()) }
        let shown = Color(
          red: tinted(color.red, tint.red), green: tinted(color.green, tint.green),
          blue: tinted(color.blue, tint.blue))
        let expected = shown.over(under, alpha: Double(alpha) / 255 * opacity)
        for x in 3..<10 { #expect(test.pixel(x, 4).distance(to: expected) <= 1, "\(tint) \(format)") }
        #expect(test.pixel(2, 4) == under)
        #expect(test.pixel(10, 4) == under)
        test.host.close()
      }
    }

    @Test func imageOfNaturalSizeIsDrawnPixelForPixel() throws {
      let test = try TestHost()
      let image = Image(width: 9, height: 6) { x, y in
        Color(red: UInt8(x * 20), green: UInt8(y * 30), blue: 7)
      }
      test.draw {
        $0.draw(DrawList.ImageCommand(image: image, destination: Rect(x: 4, y: 3, width: 9, height: 6)))
      }

      test.frame()

      for x in 0..<9 {
        for y in 0..<6 { #expect(test.pixel(x + 4, y + 3) == image.bitmap.color(x: x, y: y)) }
      }
      #expect(test.host.textureBytes == 0, "the image's own memory is drawn")
      #expect(!test.window.isDirty)
    }

    @Test func sourceRectangleIsSnappedToWholePixels() throws {
      let test = try TestHost()
      let image = Image(width: 85, height: 64) { x, _ in Color(red: UInt8(x), green: 0, blue: 0) }
      test.draw {
        $0.draw(
          DrawList.ImageCommand(
            image: image, source: Rect(x: 37.5, y: 27, width: 10, height: 10),
            destination: Rect(x: 0, y: 0, width: 10, height: 10)))
      }

      test.frame()

      #expect(test.pixel(0, 0).red == 38, "half a pixel off is snapped, not blurred")
      #expect(test.pixel(9, 0).red == 47)
      #expect(test.host.textureBytes == 0)
    }

    @Test func crossDissolveBlendsOldAndNewImage() throws {
      let old = Color(red: 240, green: 10, blue: 100)
      let new = Color(red: 20, green: 220, blue: 50)
      let test = try TestHost()
      test.view.removeFromSuperview()
      let view = View(frame: test.window.bounds)
      view.contents = Image(width: 40, height: 30, color: old)
      test.window.addSubview(view)
      test.frame()

      view.setContents(
        Image(width: 40, height: 30, color: new),
        transition: Transition(kind: .crossDissolve, duration: 1, curve: .linear))
      test.advance(by: 0)
      for step in 1...10 {
        test.advance(by: 0.1)
        let expected = new.over(old, alpha: Double(step) / 10)
        #expect(test.pixel(13, 7).distance(to: expected) <= 2, "step \(step)")
      }

      test.advance(by: 0.1)
      #expect(test.window.isIdle)
    }

    @Test func roundedImageHasAntialiasedCornersAndExactPixelsElsewhere() throws {
      let test = try TestHost()
      let image = Image(width: 20, height: 20) { x, y in
        Color(red: UInt8(100 + x), green: UInt8(100 + y), blue: 200)
      }
      test.window.backgroundColor = .black
      test.draw {
        $0.draw(
          DrawList.ImageCommand(
            image: image, destination: Rect(x: 0, y: 0, width: 20, height: 20), cornerRadius: 6))
      }

      test.drawUntilClean()

      #expect(test.pixel(0, 0) == .black)
      #expect(test.pixel(19, 19) == .black)
      for x in 6..<14 { for y in 0..<20 { #expect(test.pixel(x, y) == image.bitmap.color(x: x, y: y)) } }
      for y in 6..<14 { for x in 0..<20 { #expect(test.pixel(x, y) == image.bitmap.color(x: x, y: y)) } }
      let edge = (0..<6).flatMap { x in (0..<6).map { test.pixel(x, $0).blue } }
      #expect(edge.contains { $0 > 0 && $0 < 200 })
      #expect(test.host.textureBytes == 20 * 20 * 4)
    }

    @Test func opacityAppliesToARoundedImage() throws {
      let test = try TestHost()
      let image = Image(width: 20, height: 20, color: .white)
      test.draw {
        $0.draw(
          DrawList.ImageCommand(
            image: image, destination: Rect(x: 0, y: 0, width: 20, height: 20), opacity: 0.5, cornerRadius: 6)
        )
      }

      test.drawUntilClean()

      #expect(test.pixel(0, 0) == .black)
      #expect(test.pixel(10, 0).red == 128)
      #expect(test.pixel(10, 10).red == 128)
    }

    @Test func animationFramesHaveTheirOwnTextures() throws {
      let test = try TestHost()
      let frames = [Color.pureRed, .pureGreen].map { color in
        Image(Bitmap.drawn(width: 4, height: 4) { _, _ in color })
      }
      for (index, color) in [Color.pureRed, .pureGreen, .pureRed].enumerated() {
        test.draw {
          $0.draw(
            DrawList.ImageCommand(
              image: frames[index % 2], destination: Rect(x: 0, y: 0, width: 8, height: 8), cornerRadius: 1))
        }
        test.frame()
        #expect(test.pixel(4, 4) == color)
      }
    }
  }
}
