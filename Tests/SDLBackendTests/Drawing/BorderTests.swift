import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct BorderTests {
    /// The outer edge of a border mixes the color behind the view with the border's, never with the image inside.
    @Test(arguments: [1.0, 2, 5], [Color?.none, .white])
    func imageDoesNotShowThroughTheOuterEdgeOfItsBorder(width: Double, background: Color?) throws {
      let test = try TestHost()
      test.window.backgroundColor = .black
      let view = ImageView(frame: Rect(x: 5, y: 5, width: 30, height: 20))
      view.backgroundColor = background
      view.image = Image(width: 30, height: 20, color: .pureGreen)
      view.cornerRadius = 8
      view.borderWidth = width
      view.borderColor = .pureBlue
      test.window.addSubview(view)

      test.drawUntilClean()

      let image = test.host.screenshot()
      var blended = 0
      for y in 0..<30 {
        for x in 0..<40 {
          let color = image.color(x: x, y: y)
          #expect(background == .white ? color.red == 0 : true, "\(x), \(y): \(color)")
          // The inner edge mixes green and blue only: their sum is 255.
          if color.green > 0 {
            #expect(abs(Int(color.green) + Int(color.blue) - 255) <= 2, "\(x), \(y): \(color)")
          }
          if color.blue > 0, color.blue < 255, color.green == 0 { blended += 1 }
        }
      }
      #expect(blended > 0, "the edge is antialiased")
    }

    @Test(arguments: [(0.1, 1.0, 1), (0.5, 1.5, 1), (1, 1.5, 2), (1, 2, 2), (1, 0.5, 1), (3, 1, 3)])
    func borderIsAWholeNumberOfPixelsWide(width: Double, scale: Double, pixels: Int) throws {
      let test = try TestHost { $0.scale = scale }
      test.window.backgroundColor = .black
      test.draw { $0.border(Rect(x: 4, y: 4, width: 20, height: 16), width: width, color: .white) }

      test.frame()

      let image = test.host.screenshot()
      let row = (0..<image.width).map { image.color(x: $0, y: image.height / 2) }
      let start = Int((4 * scale).rounded())
      let end = Int((24 * scale).rounded())
      for (x, color) in row.enumerated() {
        let isBorder = (start..<start + pixels).contains(x) || (end - pixels..<end).contains(x)
        #expect(color == (isBorder ? .white : .black), "\(x)")
      }
    }

    /// No pixel of a translucent border is drawn twice, for any corner radius.
    @Test(arguments: [0.0, 2, 6, 100], [1.0, 3, 5, 9, 1e9, .infinity])
    func translucentBorderCoversEachPixelOnce(radius: Double, width: Double) throws {
      let test = try TestHost()
      test.window.backgroundColor = .black
      let color = Color(red: 255, green: 255, blue: 255, alpha: 100)
      test.draw {
        $0.border(Rect(x: 3, y: 3, width: 30, height: 20), width: width, color: color, cornerRadius: radius)
      }

      test.frame()

      let image = test.host.screenshot()
      for y in 0..<30 {
        for x in 0..<40 { #expect(image.color(x: x, y: y).red <= 100) }
      }
      // A circle only touches these pixels, so their coverage is slightly below 1.
      #expect(image.color(x: 18, y: 3).red >= 99)
      #expect(image.color(x: 3, y: 13).red >= 99)
      let middle = image.color(x: 18, y: 13).red
      #expect(middle == (width >= 10 ? 100 : 0))
    }

    @Test func borderRedrawnInPartsEqualsTheWholeBorder() throws {
      let test = try TestHost()
      test.draw {
        $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed)
        $0.border(Rect(x: 3, y: 3, width: 30, height: 20), width: 3, color: .white, cornerRadius: 7)
      }
      test.frame()
      let full = test.host.screenshot()

      for (x, y) in [(2, 2), (9, 3), (28, 18), (31, 21), (15, 12)] {
        test.view.setNeedsDisplay(Rect(x: Double(x), y: Double(y), width: 4, height: 3))
        test.frame()
      }

      #expect(test.host.screenshot().firstDifference(from: full) == nil)
    }
  }
}
