import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct FillTests {
    @Test func windowBackgroundFillsTheWindow() throws {
      let test = try TestHost()
      test.window.backgroundColor = Color(hex: 0x123456)

      test.frame()

      let image = test.host.screenshot()
      #expect(image.width == 40 && image.height == 30)
      #expect(image.color(x: 0, y: 0) == Color(hex: 0x123456))
      #expect(image.color(x: 39, y: 29) == Color(hex: 0x123456))
    }

    @Test func fillStopsAtItsEdges() throws {
      let test = try TestHost()
      test.draw { $0.fill(Rect(x: 10, y: 5, width: 7, height: 3), color: .pureRed) }

      test.frame()

      for (x, y, color) in [
        (10, 5, Color.pureRed), (16, 7, .pureRed), (9, 5, .black), (17, 5, .black), (10, 4, .black),
        (10, 8, .black),
      ] { #expect(test.pixel(x, y) == color, "\(x), \(y)") }
    }

    @Test(arguments: [0, 1, 77, 128, 200, 254, 255] as [UInt8])
    func translucentFillBlendsExactly(alpha: UInt8) throws {
      let test = try TestHost()
      let under = Color(red: 200, green: 17, blue: 90)
      let over = Color(red: 3, green: 250, blue: 128, alpha: alpha)
      test.window.backgroundColor = under
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 7, height: 3), color: over) }

      test.frame()

      let expected = over.over(under, alpha: Double(alpha) / 255)
      for x in 0..<7 { #expect(test.pixel(x, 1) == expected) }
      #expect(test.pixel(7, 1) == under)
    }

    @Test func clipHidesPixelsOutsideOfIt() throws {
      let test = try TestHost()
      test.draw { list in
        list.enter(origin: Point(x: 10, y: 10), opacity: 1, clip: Rect(x: 10, y: 10, width: 5, height: 5))
        list.fill(Rect(x: -5, y: -5, width: 50, height: 50), color: .pureGreen)
        list.leave()
        list.fill(Rect(x: 0, y: 0, width: 1, height: 1), color: .pureBlue)
      }

      test.frame()

      #expect(test.pixel(10, 10) == .pureGreen)
      #expect(test.pixel(14, 14) == .pureGreen)
      #expect(test.pixel(15, 14) == .black)
      #expect(test.pixel(9, 10) == .black)
      #expect(test.pixel(0, 0) == .pureBlue, "the clip has ended")
    }

    @Test func clippedOpaqueFillDoesNotCullTheFillBelow() throws {
      let test = try TestHost()
      test.draw { list in
        list.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed)
        list.enter(origin: .zero, opacity: 1, clip: Rect(x: 0, y: 0, width: 10, height: 30))
        list.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureGreen)
        list.leave()
      }

      test.frame()

      #expect(test.pixel(5, 5) == .pureGreen)
      #expect(test.pixel(15, 5) == .pureRed)
    }

    @Test func roundedCornersAreAntialiasedAndSymmetric() throws {
      let test = try TestHost()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .white, cornerRadius: 10) }

      test.frame()

      #expect(test.pixel(0, 0) == .black)
      #expect(test.pixel(39, 0) == .black)
      #expect(test.pixel(0, 29) == .black)
      #expect(test.pixel(39, 29) == .black)
      #expect(test.pixel(20, 0) == .white)
      #expect(test.pixel(0, 15) == .white)
      let image = test.host.screenshot()
      let steps = Set((0..<10).flatMap { x in (0..<10).map { y in image.color(x: x, y: y).red } })
      #expect(steps.count > 5, "the edge has shades of gray")
      for x in 0..<10 {
        for y in 0..<10 {
          let corners = [(x, y), (39 - x, y), (x, 29 - y), (39 - x, 29 - y)].map {
            image.color(x: $0.0, y: $0.1)
          }
          #expect(Set(corners).count == 1, "all corners are alike at \(x), \(y)")
        }
      }
    }

    @Test func translucentRoundedFillIsEvenInside() throws {
      let test = try TestHost()
      let glass = Color(red: 255, green: 255, blue: 255, alpha: 128)
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: glass, cornerRadius: 15) }

      test.frame()

      let inside = test.pixel(20, 15)
      #expect(inside == Color(red: 128, green: 128, blue: 128))
      for x in 15..<25 { for y in 0..<30 { #expect(test.pixel(x, y) == inside) } }
    }

    @Test func radiusLargerThanTheRectangleDrawsACircle() throws {
      let test = try TestHost()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 20, height: 20), color: .white, cornerRadius: 1e9) }

      test.frame()

      #expect(test.pixel(10, 10) == .white)
      #expect(test.pixel(10, 0).red > 250, "coverage slightly below 1")
      #expect(test.pixel(1, 1) == .black)
    }

    @Test func adjacentFillsNeitherOverlapNorLeaveGaps() throws {
      let test = try TestHost { $0.scale = 1.5 }
      let edges = [0.0, 3.3, 6.6, 9.9, 13.2, 16.5, 19.8, 23.1, 26.4, 29.7, 40]
      test.window.backgroundColor = .pureBlue
      test.draw { list in
        for (left, right) in zip(edges, edges.dropFirst()) {
          list.fill(
            Rect(x: left, y: 0, width: right - left, height: 30),
            color: Color(red: 255, green: 255, blue: 255, alpha: 100))
        }
      }

      test.frame()

      let image = test.host.screenshot()
      #expect(image.width == 60)
      let row = Set((0..<60).map { image.color(x: $0, y: 10) })
      #expect(row.count == 1, "each pixel is covered once")
    }

    @Test func nonFiniteAndHugeRectanglesDoNotTrap() throws {
      let test = try TestHost()
      let image = Image(width: 2, height: 2, color: .pureRed)
      test.draw { list in
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
          let rect = Rect(x: value, y: 0, width: 5, height: 5)
          list.fill(rect, color: .pureRed, cornerRadius: value)
          list.draw(DrawList.ImageCommand(image: image, destination: rect))
          list.draw(
            DrawList.ImageCommand(
              image: image, source: Rect(x: value, y: 0, width: 2, height: 2),
              destination: Rect(x: 0, y: 0, width: 3, height: 3), cornerRadius: value))
          list.text("x", font: .regular(value), color: .pureRed, at: Point(x: value, y: 0), size: rect.size)
        }
      }

      test.drawUntilClean()

      #expect(test.pixel(20, 20) == .black)
    }
  }
}
