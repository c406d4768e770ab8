import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

struct CanvasRotationTests {
  /// Odd sides, larger than a block of the copy and not a multiple of it.
  private static let size = (width: 37, height: 53)

  /// A canvas filled with a number per pixel. Rows are longer than the canvas is wide.
  private func withCanvas<T>(
    width: Int, height: Int, fill: (Int, Int) -> UInt32, _ body: (Canvas) -> T
  ) -> T {
    let row = width + 3
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: row * height) { memory in
      memory.initialize(repeating: 0)
      for y in 0..<height { for x in 0..<width { memory[y * row + x] = fill(x, y) } }
      guard let base = memory.baseAddress else { preconditionFailure("no memory") }
      return body(Canvas(pixels: base, width: width, height: height, pixelsPerRow: row))
    }
  }

  @Test(
    arguments: Rotation.allCases,
    [
      PixelRect(width: 37, height: 53), PixelRect(left: 3, top: 5, right: 36, bottom: 52),
      PixelRect(left: 16, top: 16, right: 32, bottom: 32),
      PixelRect(left: 36, top: 52, right: 37, bottom: 53),
      PixelRect(left: 0, top: 17, right: 37, bottom: 18), PixelRect(left: 9, top: 9, right: 9, bottom: 30),
      PixelRect(left: -5, top: -5, right: 90, bottom: 90), PixelRect(left: 40, top: 0, right: 50, bottom: 9),
    ])
  func rotatedCopyMovesExactlyThePixelsOfTheRectangle(rotation: Rotation, rect: PixelRect) {
    let (width, height) = Self.size
    let size = Size(width: Double(width), height: Double(height))
    let panel = rotation.turned(size)

    withCanvas(width: width, height: height, fill: { x, y in UInt32(1 + y * width + x) }) { upright in
      withCanvas(width: Int(panel.width), height: Int(panel.height), fill: { _, _ in 0 }) { target in
        target.copy(rect, of: upright, turnedBy: rotation)

        for y in 0..<target.height {
          for x in 0..<target.width {
            let from = rotation.upright(Point(x: Double(x) + 0.5, y: Double(y) + 0.5), of: size)
            let (left, top) = (Int(from.x), Int(from.y))
            let isInside =
              (rect.left..<rect.right).contains(left) && (rect.top..<rect.bottom).contains(top)
            let expected = isInside ? upright.pointer(x: left, y: top).pointee : 0
            if target.pointer(x: x, y: y).pointee != expected {
              Issue.record("panel's pixel \(x), \(y)")
              return
            }
          }
        }
      }
    }
  }

  @Test(arguments: Rotation.allCases)
  func rotatedRectangleContainsTheRotatedPixels(rotation: Rotation) {
    let rect = PixelRect(left: 2, top: 3, right: 7, bottom: 11).turned(by: rotation, in: Self.size)
    let size = Size(width: Double(Self.size.width), height: Double(Self.size.height))

    let first = rotation.onPanel(Point(x: 2.5, y: 3.5), of: size)
    let last = rotation.onPanel(Point(x: 6.5, y: 10.5), of: size)

    #expect(rect.left == Int(min(first.x, last.x)) && rect.right == Int(max(first.x, last.x)) + 1)
    #expect(rect.top == Int(min(first.y, last.y)) && rect.bottom == Int(max(first.y, last.y)) + 1)
  }
}

extension SDLTests {
  struct RotatedHostTests {
    @Test(arguments: Rotation.allCases)
    func rotatedPanelShowsTheWindowUpright(rotation: Rotation) throws {
      let test = try TestHost(width: 60, height: 30) {
        $0.rotation = rotation
        $0.scale = 2
      }
      test.draw {
        $0.fill(Rect(x: 0, y: 0, width: 60, height: 30), color: .pureGreen)
        $0.fill(Rect(x: 0, y: 0, width: 10, height: 5), color: .pureRed)
      }
      test.frame()

      let image = test.host.screenshot()

      #expect(test.window.frame.size == Size(width: 60, height: 30))
      #expect(test.host.rotation == rotation)
      #expect(image.width == (rotation.swapsSides ? 60 : 120))
      let corner = rotation.onPanel(Point(x: 0.5, y: 0.5), of: Size(width: 120, height: 60))
      #expect(image.color(x: Int(corner.x), y: Int(corner.y)) == .pureRed)
      let opposite = rotation.onPanel(Point(x: 119.5, y: 59.5), of: Size(width: 120, height: 60))
      #expect(image.color(x: Int(opposite.x), y: Int(opposite.y)) == .pureGreen)
    }

    @Test(arguments: Rotation.allCases)
    func resizedWindowGivesTheViewTreeTheUprightSize(rotation: Rotation) throws {
      let test = try TestHost { $0.rotation = rotation }
      test.window.backgroundColor = .pureGreen
      test.frame()

      SDL_SetWindowSize(test.host.video.window, 50, 20)
      test.drawUntilClean()

      #expect(test.window.frame.size == rotation.turned(Size(width: 50, height: 20)))
      let image = test.host.screenshot()
      #expect(image.width == 50 && image.height == 20)
      for (x, y) in [(0, 0), (49, 0), (0, 19), (49, 19)] { #expect(image.color(x: x, y: y) == .pureGreen) }
    }

    @Test(arguments: Rotation.allCases)
    func pressOnARotatedPanelReachesTheViewDrawnThere(rotation: Rotation) throws {
      let test = try TestHost { $0.rotation = rotation }
      let badge = DrawnView(frame: Rect(x: 30, y: 2, width: 6, height: 4))
      badge.backgroundColor = .pureRed
      test.window.addSubview(badge)
      test.drawUntilClean()
      let image = test.host.screenshot()
      let positions = (0..<image.height).lazy.flatMap { y in (0..<image.width).lazy.map { (x: $0, y: y) } }
        .filter { image.color(x: $0.x, y: $0.y) == .pureRed }
      #expect(positions.count == 24)

      for position in positions {
        var event = SDL_Event()
        event.button.button = UInt8(SDL_BUTTON_LEFT)
        event.button.x = Int32(position.x)
        event.button.y = Int32(position.y)
        for type in [SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP] {
          event.type = type.rawValue
          SDL_PushEvent(&event)
        }
        test.frame()
      }

      #expect(badge.touches.count == 48)
      #expect(test.view.touches == [])
    }
  }
}
