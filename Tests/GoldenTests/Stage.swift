import ScreenTurns
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Tests that open a host. A process has one SDL, so a test never waits while its host is open and thus has the main
/// actor and SDL to itself.
@Suite(.serialized, .screenTurn, .timeLimit(.minutes(5)))
struct GoldenTests {}

/// An off-screen window with a manual clock.
final class Stage {
  static let background = Color(hex: 0x20242C)

  let host: SDLHost
  private(set) var time = 0.0

  var window: Window { host.window }

  init(width: Double, height: Double, scale: Double = 1) throws {
    var configuration = SDLHost.Configuration()
    configuration.size = Size(width: width, height: height)
    configuration.scale = scale
    configuration.videoDriver = "offscreen"
    configuration.renderer = .software
    host = try SDLHost(configuration: configuration)
    host.clock = .manual { [unowned self] in time }
    window.backgroundColor = Self.background
  }

  /// Adds a view to the window with the given frame.
  @discardableResult
  func add<Shown: View>(_ view: Shown, x: Double, y: Double, width: Double, height: Double) -> Shown {
    view.frame = Rect(x: x, y: y, width: width, height: height)
    window.addSubview(view)
    return view
  }

  /// Sends an event to the window.
  func send(_ event: InputEvent) { host.inject(event) }

  /// Sends a touch or mouse event at a point of the window.
  func touch(_ id: Int64, _ phase: TouchPhase, _ x: Double, _ y: Double) {
    send(.touch(id: id, phase: phase, location: Point(x: x, y: y)))
  }

  /// Advances the clock and draws a frame.
  func advance(by seconds: Double) {
    time += seconds
    host.turn(waitUpTo: 0)
  }

  /// Draws until nothing is dirty, and returns the window's pixels.
  func image() -> Bitmap {
    for _ in 0..<10 { host.turn(waitUpTo: 0) }
    return host.screenshot()
  }
}

extension Window {
  /// Draws a window without a host, for tests that wait for loads and so must not keep a host open.
  func image() throws -> Bitmap {
    let stage = try Stage(width: frame.width, height: frame.height, scale: scale)
    let renderer = stage.host.renderer
    let rect = try #require(renderer.begin())
    // Images drawn coarsely at first are drawn again.
    for _ in 0..<10 where !renderer.play(drawList(for: bounds), in: rect, scale: scale).isEmpty {
      _ = renderer.begin()
    }
    renderer.present([rect])
    return stage.host.screenshot()
  }
}
