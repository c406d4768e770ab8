import ScreenTurns
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Everything that opens a host. SDL is a single thing in a process, so a test never waits while it has a host: it has
/// the main actor, and SDL, to itself.
@Suite(.serialized, .screenTurn, .timeLimit(.minutes(5)))
struct GoldenTests {}

/// An off-screen window whose time stands still between `advance(by:)` and the next.
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

  /// Shows a view at a place of the window.
  @discardableResult
  func add<Shown: View>(_ view: Shown, x: Double, y: Double, width: Double, height: Double) -> Shown {
    view.frame = Rect(x: x, y: y, width: width, height: height)
    window.addSubview(view)
    return view
  }

  /// Hands an event to the window.
  func send(_ event: InputEvent) { host.inject(event) }

  /// A finger or the mouse at a place of the window.
  func touch(_ id: Int64, _ phase: TouchPhase, _ x: Double, _ y: Double) {
    send(.touch(id: id, phase: phase, location: Point(x: x, y: y)))
  }

  /// Lets time pass and draws what is due then.
  func advance(by seconds: Double) {
    time += seconds
    host.turn(waitUpTo: 0)
  }

  /// What the window shows once everything that is due now is drawn.
  func picture() -> Bitmap {
    for _ in 0..<10 { host.turn(waitUpTo: 0) }
    return host.screenshot()
  }
}

extension Window {
  /// What a host would show of a window that belongs to none, as a test's that waits for a picture to come.
  func picture() throws -> Bitmap {
    let stage = try Stage(width: frame.width, height: frame.height, scale: scale)
    let renderer = stage.host.renderer
    let rect = try #require(renderer.begin())
    // What is not at its best at first is drawn again.
    for _ in 0..<10 where !renderer.play(drawList(for: bounds), in: rect, scale: scale).isEmpty {
      _ = renderer.begin()
    }
    renderer.present([rect])
    return stage.host.screenshot()
  }
}
