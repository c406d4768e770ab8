import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  /// Extreme and non-finite measures of views must not trap or damage other views.
  struct OddViewTests {
    @Test(arguments: [SDLHost.Configuration.Renderer.software], oddNumbers)
    func extremeMeasuresKeepOtherViewsIntact(renderer: SDLHost.Configuration.Renderer, odd: Double) throws {
      try drawOddViews(renderer, odd)
    }

    @Test(arguments: oddNumbers)
    func extremeMeasuresOfIndicatorsKeepScrollOffsetsFinite(odd: Double) throws {
      let test = try TestHost(width: 60, height: 40)
      let ring = ProgressView(style: .ring)
      let indicators = [ring, ProgressView(style: .bar), ActivityIndicator(style: .large)]
      let scrollView = ScrollView(frame: test.window.bounds)
      for view in indicators + [scrollView] { test.window.addSubview(view) }
      (indicators[2] as? ActivityIndicator)?.startAnimating()
      let refresh = RefreshControl()
      scrollView.refreshControl = refresh
      let measures: [() -> Void] = [
        { for view in indicators { view.frame = Rect(x: 0, y: 0, width: odd, height: odd) } },
        { for view in indicators { view.frame = Rect(x: 0, y: 0, width: 0.3, height: 20) } },
        { ring.ringDiameter = odd },
        // A very large ring.
        { ring.frame = Rect(x: -99_000, y: -9, width: 100_000, height: 100_000) },
        { scrollView.contentSize = Size(width: odd, height: odd) },
        { scrollView.contentOffset = Point(x: odd, y: odd) },
        { scrollView.contentInsets = Insets(all: odd) },
        { scrollView.frame.size.height = odd },
        { scrollView.contentSize = Size(width: 90, height: 90) },
        { refresh.beginRefreshing() },
      ]
      for change in measures {
        change()
        test.drawUntilClean()
        test.advance(by: 0.1)
        #expect(scrollView.boundsOrigin.x.isFinite && scrollView.boundsOrigin.y.isFinite)
      }
    }
  }
}

extension SDLTests.OpenGLTests {
  struct OddViewTests {
    @Test(arguments: SDLHost.Configuration.Renderer.openGL, oddNumbers)
    func extremeMeasuresKeepOtherViewsIntact(renderer: SDLHost.Configuration.Renderer, odd: Double) throws {
      try drawOddViews(renderer, odd)
    }
  }
}

private nonisolated let oddNumbers: [Double] = [
  0, -1, 1e-9, 100_000, -100_000, 1e300, -1e300, .nan, .infinity, -.infinity,
]

/// Sets each measure of a view to `odd`, one at a time and all at once, and checks that a sound view beside it is still
/// drawn correctly.
private func drawOddViews(_ renderer: SDLHost.Configuration.Renderer, _ odd: Double) throws {
  let test = try TestHost(width: 60, height: 40) { $0.renderer = renderer }
  test.window.backgroundColor = .black
  let button = Button(title: "Odd")
  let sound = View(frame: Rect(x: 2, y: 2, width: 4, height: 4))
  sound.backgroundColor = .pureGreen
  test.window.addSubview(button)
  test.window.addSubview(sound)
  let image = Image(width: 9, height: 7, isOpaque: false) { x, y in
    Color(red: 200, green: 100, blue: UInt8(x * 20), alpha: UInt8(y * 30))
  }
  let usual = Rect(x: 20, y: 10, width: 20, height: 15)
  let measures: [(String, (View) -> Void)] = [
    ("x", { $0.frame.origin.x = odd }), ("y", { $0.frame.origin.y = odd }),
    ("width", { $0.frame.size.width = odd }), ("height", { $0.frame.size.height = odd }),
    ("corners", { $0.cornerRadius = odd }), ("border", { $0.borderWidth = odd }),
    ("blur", { $0.shadow = Shadow(radius: odd) }),
    ("offset", { $0.shadow = Shadow(offset: Point(x: odd, y: -odd)) }),
    ("alpha", { $0.alpha = odd }), ("scrolled", { $0.boundsOrigin = Point(x: odd, y: odd) }),
    ("insets", { ($0 as? Button)?.contentInsets = Insets(all: odd) }),
    ("image insets", { ($0 as? Button)?.imageInsets = Insets(all: odd) }),
    ("title insets", { ($0 as? Button)?.titleInsets = Insets(all: odd) }),
    ("image size", { ($0 as? Button)?.imageSize = Size(width: odd, height: odd) }),
    ("spacing", { ($0 as? Button)?.spacing = odd }),
    ("image corners", { ($0 as? Button)?.imageCornerRadius = odd }),
  ]
  func makeUsual(_ view: View) {
    view.frame = usual
    view.boundsOrigin = .zero
    view.alpha = 1
    view.cornerRadius = 4
    view.borderWidth = 1
    view.borderColor = .white
    view.shadow = Shadow()
    view.backgroundColor = .pureRed
    guard let button = view as? Button else { return }
    button.setImage(image, for: .normal)
    button.setBackgroundImage(image, for: .normal)
    button.imageSize = nil
    button.imageCornerRadius = 2
    button.spacing = 3
    for insets in [\Button.contentInsets, \.imageInsets, \.titleInsets] { button[keyPath: insets] = .zero }
  }
  for mode in [ContentMode.fill, .fit, .redraw, .bottomRight] {
    button.backgroundContentMode = mode
    button.imageContentMode = mode
    for (name, change) in measures {
      makeUsual(button)
      test.drawUntilClean()
      change(button)
      test.drawUntilClean()
      #expect(test.pixel(3, 3) == .pureGreen || name == "x" || name == "y", "\(name)")
      _ = button.sizeThatFits(Size(width: odd, height: odd))
      _ = test.window.hitTest(Point(x: odd, y: odd))
    }
    for (_, change) in measures { change(button) }
    test.drawUntilClean()
    test.window.setNeedsDisplay()
    test.drawUntilClean()
  }
  button.removeFromSuperview()
  test.drawUntilClean()
  #expect(test.pixel(3, 3) == .pureGreen)
  #expect(test.pixel(30, 20) == .black, "the removed button leaves no pixels")
}
