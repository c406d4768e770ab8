import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests.OpenGLTests {
  /// The OpenGL renderers draw the same pixels as the software renderer.
  struct SamePixelsTests {
    @Test(arguments: SDLHost.Configuration.Renderer.openGL, [1, 1.5, 2.25])
    func commandsMatchTheSoftwareRenderer(renderer: SDLHost.Configuration.Renderer, scale: Double) throws {
      let scene = Scene()
      func screenshot(_ renderer: SDLHost.Configuration.Renderer) throws -> Bitmap {
        let test = try TestHost(width: 320, height: 240) {
          $0.renderer = renderer
          $0.scale = scale
        }
        #expect(test.host.rendererName == renderer.rawValue)
        test.draw(scene.draw)
        test.drawUntilClean()
        return test.host.screenshot()
      }

      let expected = try screenshot(.software)
      let found = try screenshot(renderer)

      #expect(found.width == Int((320 * scale).rounded()))
      #expect(found.looksLike(expected), "\(found.pixelsFar(from: expected)) pixels differ")
    }

    @Test(arguments: SDLHost.Configuration.Renderer.openGL, 0..<2)
    func widgetsMatchTheSoftwareRenderer(renderer: SDLHost.Configuration.Renderer, seed: UInt64) throws {
      func screenshots(_ renderer: SDLHost.Configuration.Renderer) throws -> [(
        change: String, screenshot: Bitmap
      )] {
        let test = try TestHost(width: 240, height: 180) {
          $0.renderer = renderer
          $0.scale = seed == 0 ? 1 : 1.5
        }
        var screenshots: [(String, Bitmap)] = []
        test.walkThroughChanges(seed: seed, steps: 50) { _, change in
          screenshots.append((change, test.host.screenshot()))
          return true
        }
        return screenshots
      }

      let expected = try screenshots(.software)
      let found = try screenshots(renderer)

      for (step, (found, expected)) in zip(found, expected).enumerated() {
        #expect(found.change == expected.change)
        let far = found.screenshot.pixelsFar(from: expected.screenshot)
        #expect(
          found.screenshot.looksLike(expected.screenshot),
          "step \(step), after \(found.change): \(far) pixels differ")
      }
    }

    @Test(arguments: SDLHost.Configuration.Renderer.openGL)
    func partialRedrawEqualsFullRedraw(renderer: SDLHost.Configuration.Renderer) throws {
      let test = try TestHost(width: 240, height: 180) { $0.renderer = renderer }
      test.walkThroughChanges(seed: 3, steps: 100) { step, change in
        let partial = test.host.screenshot()
        test.redrawEverything()

        let difference = partial.firstDifference(from: test.host.screenshot())
        #expect(difference == nil, "step \(step), after \(change)")
        return difference == nil
      }
    }
  }
}

/// Each command of a draw list in several forms, some of which overlap.
private struct Scene {
  private let images: [Image] = [
    Image(width: 40, height: 30) { x, y in Color(red: UInt8(x * 6), green: UInt8(y * 8), blue: 90) },
    Image(width: 40, height: 30, format: .rgba) { x, y in
      Color(red: UInt8(x * 6), green: UInt8(y * 8), blue: 90)
    },
    Image(width: 33, height: 41, isOpaque: false) { x, y in
      Color(red: 250, green: UInt8(y * 6), blue: UInt8(x * 7), alpha: UInt8((x + y) * 3))
    },
    Image(width: 5, height: 3, format: .rgba, isOpaque: false) { x, y in
      Color(red: UInt8(x * 60), green: UInt8(y * 100), blue: 200, alpha: UInt8(55 + x * 50))
    },
  ]

  func draw(_ list: inout DrawList) {
    list.fill(Rect(x: 0, y: 0, width: 320, height: 240), color: Color(red: 24, green: 40, blue: 60))
    fills(&list)
    drawImages(into: &list)
    outlines(&list)
    dissolves(&list)
    texts(&list)
    clips(&list)
    groups(&list)
  }

  /// A group within a group, the outer one beyond the window's edge.
  private func groups(_ list: inout DrawList) {
    list.enterGroup(in: Rect(x: 280, y: 160, width: 60, height: 50), opacity: 0.6)
    list.fill(Rect(x: 284, y: 164, width: 50, height: 40), color: .pureGreen, cornerRadius: 9)
    list.enterGroup(in: Rect(x: 290, y: 170, width: 20.5, height: 20), opacity: 0.3)
    list.fill(Rect(x: 290, y: 170, width: 14, height: 14), color: .pureRed)
    list.fill(Rect(x: 296, y: 176, width: 14, height: 14), color: .pureBlue)
    list.leave()
    list.text(
      "over", font: .regular(12), color: .white, at: Point(x: 290, y: 190), size: Size(width: 30, height: 15))
    list.leave()
  }

  private func fills(_ list: inout DrawList) {
    for (index, radius) in [0.0, 1, 6.5, 14, 90].enumerated() {
      let x = 4 + 40 * Double(index)
      let color = Color(red: 250, green: 120, blue: UInt8(50 * index))
      list.fill(Rect(x: x, y: 4, width: 34, height: 22), color: color, cornerRadius: radius)
      list.fill(
        Rect(x: x + 0.4, y: 20.3, width: 33.3, height: 21), color: color.multiplyingAlpha(by: 0.4),
        cornerRadius: radius)
    }
    list.fill(Rect(x: 210, y: -30, width: 4000, height: 60), color: .pureBlue, cornerRadius: 25)
    list.fill(Rect(x: 300, y: 50, width: 0.2, height: 20), color: .white)
  }

  /// Borders, shadows and templates. Some rectangles are too small for their corners.
  private func outlines(_ list: inout DrawList) {
    for (index, radius) in [0.0, 3, 9.5, 40].enumerated() {
      let rect = Rect(x: 20 + 70 * Double(index), y: 186, width: 44, height: 27.5)
      let shadow = Shadow(
        color: Color(red: 255, green: UInt8(60 * index), blue: 0, alpha: 200),
        radius: 1.5 + 2.5 * Double(index),
        offset: Point(x: 3, y: Double(index)))
      list.shadow(shadow, of: rect, cornerRadius: radius, isHiddenInside: index % 2 == 0)
      list.border(
        rect, width: 0.3 + 3 * Double(index), color: Color(red: 200, green: 255, blue: 190, alpha: 150),
        cornerRadius: radius)
      list.shadow(shadow, of: Rect(x: rect.minX, y: 226, width: 9, height: 4), cornerRadius: radius)
    }
    for (index, image) in images.enumerated() {
      list.draw(
        DrawList.ImageCommand(
          image: image, destination: Rect(x: 250 + 17.5 * Double(index), y: 215, width: 16, height: 20),
          opacity: index == 1 ? 0.5 : 1, tint: index == 2 ? Color(red: 140, green: 140, blue: 140) : .white,
          templateColor: Color(red: 255, green: 120, blue: UInt8(60 * index), alpha: 230),
          cornerRadius: Double(index)))
    }
  }

  private func drawImages(into list: inout DrawList) {
    for (row, image) in images.enumerated() {
      let y = 50 + 30 * Double(row)
      func draw(
        _ column: Double, width: Double = 28, source: Rect? = nil, opacity: Double = 1, tint: Color = .white,
        radius: Double = 0
      ) {
        list.draw(
          DrawList.ImageCommand(
            image: image, source: source,
            destination: Rect(x: 4 + 32 * column, y: y, width: width, height: 26),
            opacity: opacity, tint: tint, cornerRadius: radius))
      }
      draw(0)
      draw(1, opacity: 0.37)
      draw(2, tint: Color(red: 128, green: 255, blue: 90))
      draw(3, opacity: 0.6, tint: Color(red: 200, green: 10, blue: 255, alpha: 130), radius: 7)
      draw(4, radius: 13)
      draw(5, source: Rect(x: 1.5, y: 0.25, width: 2.5, height: 2.25), radius: 3)
      draw(6, width: 27.6, source: Rect(x: -3, y: 1, width: 100, height: 200))
    }
    // One to one, without resampling.
    list.draw(
      DrawList.ImageCommand(image: images[0], destination: Rect(x: 240, y: 50, width: 40, height: 30)))
    list.draw(
      DrawList.ImageCommand(
        image: images[1], source: Rect(x: 7, y: 4, width: 20, height: 20),
        destination: Rect(x: 285, y: 50, width: 20, height: 20)))
  }

  /// Dissolves between different shapes, the last beyond the window's edge.
  private func dissolves(_ list: inout DrawList) {
    for (index, fraction) in [0.2, 0.5, 0.9].enumerated() {
      let x = 215 + 40 * Double(index)
      list.dissolve(
        DrawList.ImageCommand(image: images[2], destination: Rect(x: x, y: 135, width: 38, height: 22.5)),
        into: DrawList.ImageCommand(
          image: images[0], destination: Rect(x: x + 8, y: 139, width: 24.5, height: 26), opacity: 0.8,
          cornerRadius: 6),
        fraction: fraction)
    }
  }

  private func texts(_ list: inout DrawList) {
    for (index, size) in [8.0, 13, 21].enumerated() {
      list.text(
        "Vitrine Größe 日本 \(index)", font: Font(size: size, weight: index == 1 ? .bold : .regular),
        color: Color(red: 255, green: 240, blue: 200, alpha: UInt8(255 - 60 * index)),
        at: Point(x: 4.3, y: 172.6 + 18 * Double(index)), size: Size(width: 300, height: 30))
    }
  }

  private func clips(_ list: inout DrawList) {
    list.enter(
      origin: Point(x: 240, y: 90), opacity: 0.7, clip: Rect(x: 240.2, y: 90.7, width: 50, height: 40))
    list.fill(Rect(x: -10, y: -10, width: 80, height: 80), color: .pureRed, cornerRadius: 30)
    list.enter(origin: Point(x: 10, y: 10), opacity: 0.5, clip: Rect(x: 10, y: 10, width: 90, height: 20))
    list.draw(
      DrawList.ImageCommand(
        image: images[2], destination: Rect(x: -8, y: -8, width: 60, height: 60), cornerRadius: 20))
    list.text("cut off", font: .regular(20), color: .white, at: .zero, size: Size(width: 90, height: 30))
    list.leave()
    list.leave()
  }
}
