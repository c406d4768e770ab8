import CSDL
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  /// The scale of a window, at the start and when it changes.
  struct ScaleTests {
    @Test(arguments: [(1, 40, 30), (1.25, 50, 38), (1.5, 60, 45), (2, 80, 60), (3, 120, 90)])
    func windowPixelsAreItsPointsTimesTheScale(scale: Double, width: Int, height: Int) throws {
      let test = try TestHost { $0.scale = scale }
      test.window.backgroundColor = .pureGreen
      test.frame()

      let image = test.host.screenshot()

      #expect(image.width == width && image.height == height)
      #expect(image.color(x: width - 1, y: height - 1) == .pureGreen)
      #expect(test.window.frame.width == 40)
    }

    @Test(arguments: [0, -1, .nan, .infinity])
    func invalidScaleIsOne(scale: Double) throws {
      let test = try TestHost { $0.scale = scale }

      #expect(test.window.scale == 1)
      #expect(test.window.frame.size == Size(width: 40, height: 30))
      test.window.scale = scale
      #expect(test.window.scale == 1)
    }

    /// The edges that rows share may fall between pixels.
    @Test(arguments: [1, 1.25, 1.5, 2, 3])
    func rowsRedrawnOneByOneLeaveNoGaps(scale: Double) throws {
      let test = try TestHost(width: 40, height: 37) { $0.scale = scale }
      test.window.backgroundColor = .pureRed
      let rows = (0..<11).map { row in
        let view = View(frame: Rect(x: 0, y: Double(row) * 3.3, width: 40, height: 3.3 + 0.7))
        test.window.addSubview(view)
        return view
      }
      test.drawUntilClean()

      for row in rows {
        row.backgroundColor = .pureGreen
        test.drawUntilClean()
      }

      let image = test.host.screenshot()
      for y in 0..<image.height { #expect(image.color(x: 0, y: y) == .pureGreen, "line \(y)") }
    }

    @Test(arguments: [1, 1.25, 1.5, 2, 3])
    func hitTestMatchesTheDrawnPixels(scale: Double) throws {
      let test = try TestHost { $0.scale = scale }
      let badge = DrawnView(frame: Rect(x: 12, y: 4, width: 8, height: 4))
      badge.backgroundColor = .pureRed
      test.window.addSubview(badge)
      test.drawUntilClean()
      let image = test.host.screenshot()
      var translator = InputTranslator(size: test.window.frame.size, scale: scale)

      for y in 0..<image.height {
        for x in 0..<image.width {
          var event = SDL_Event()
          event.button.button = UInt8(SDL_BUTTON_LEFT)
          event.button.x = Int32(x)
          event.button.y = Int32(y)
          event.type = SDL_MOUSEBUTTONDOWN.rawValue
          guard case .input(.touch(_, _, let location)) = translator.translate(event).first else { continue }
          let isHit = test.window.hitTest(location) === badge
          #expect(isHit == (image.color(x: x, y: y) == .pureRed), "\(x), \(y)")
        }
      }
    }

    @Test func scaleChangeResizesTheWindowInPoints() throws {
      let test = try TestHost(width: 60, height: 30)
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 20, height: 10), color: .pureGreen) }
      test.drawUntilClean()

      test.window.scale = 1.5
      test.drawUntilClean()

      #expect(test.window.frame.size == Size(width: 40, height: 20))
      #expect(test.host.screenshot().width == 60)
      #expect(test.pixel(29, 14) == .pureGreen)
      #expect(test.pixel(30, 14) == .black)
    }

    @Test func scaleChangeAppliesToMouseLocations() throws {
      let test = try TestHost(width: 60, height: 30)
      let badge = DrawnView(frame: Rect(x: 20, y: 5, width: 10, height: 10))
      test.window.addSubview(badge)
      test.window.scale = 2
      var event = SDL_Event()
      event.button.button = UInt8(SDL_BUTTON_LEFT)
      event.button.x = 41
      event.button.y = 11
      event.type = SDL_MOUSEBUTTONDOWN.rawValue

      SDL_PushEvent(&event)
      test.frame()

      #expect(badge.touches == [.began])
    }

    @Test func scaleChangeDrawsTheSamePixelsAsAStartWithThatScale() throws {
      func image(_ start: Double, then scale: Double) throws -> Bitmap {
        let test = try TestHost(width: 120 * scale / start, height: 60 * scale / start) { $0.scale = start }
        let label = Label("Größe gjpq of a text that is cut", font: .bold(13))
        label.numberOfLines = 2
        let spinner = ActivityIndicator()
        spinner.frame.origin = Point(x: 90, y: 4)
        spinner.startAnimating()
        let root = FixedLabel(label: label)
        root.addSubview(spinner)
        test.window.rootView = root
        test.drawUntilClean()
        test.window.scale = scale
        test.drawUntilClean()
        defer { test.host.close() }
        return test.host.screenshot()
      }

      for (start, scale) in [(1.0, 2.0), (2.0, 1.25), (1.0, 1.5)] {
        let changed = try image(start, then: scale)
        let begun = try image(scale, then: scale)
        #expect(changed.firstDifference(from: begun) == nil, "\(start) to \(scale)")
      }
    }
  }
}

/// Gives a label the size that its text needs.
private final class FixedLabel: View {
  private let label: Label

  init(label: Label) {
    self.label = label
    super.init()
    addSubview(label)
  }

  override func layoutSubviews() {
    label.frame = Rect(origin: Point(x: 3, y: 2), size: label.sizeThatFits(Size(width: 80, height: 0)))
  }
}
