import ScreenTurns
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Tests that open a host run one at a time, because a process has one SDL. Tests of other targets open hosts too, so a
/// test creates its host itself and never waits while the host is open.
@Suite(.serialized, .screenTurn, .timeLimit(.minutes(5)))
struct SDLTests {}

/// An off-screen host with a manual clock and one view whose content a test sets.
final class TestHost {
  let host: SDLHost
  let view: DrawnView
  private(set) var time = 0.0

  var window: Window { host.window }

  init(
    width: Double = 40, height: Double = 30,
    configure: (inout SDLHost.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = SDLHost.Configuration()
    configuration.size = Size(width: width, height: height)
    configuration.videoDriver = "offscreen"
    configure(&configuration)
    host = try SDLHost(configuration: configuration)
    view = DrawnView(frame: host.window.bounds)
    host.window.addSubview(view)
    host.clock = .manual { [unowned self] in time }
  }

  /// Sets the content of the view.
  func draw(_ content: @escaping (inout DrawList) -> Void) {
    view.content = content
    view.setNeedsDisplay()
  }

  /// Draws one frame if the window is dirty.
  func frame() { host.turn(waitUpTo: 0) }

  /// Draws frames until nothing is dirty; at most eleven.
  func drawUntilClean() {
    frame()
    for _ in 0..<10 where window.isDirty { frame() }
  }

  func advance(by seconds: Double) {
    time += seconds
    frame()
  }

  /// The color of a pixel on the screen.
  func pixel(_ x: Int, _ y: Int) -> Color { host.screenshot().color(x: x, y: y) }
}

final class DrawnView: View {
  var content: (inout DrawList) -> Void = { _ in }
  private(set) var touches: [TouchPhase] = []

  override func draw(into list: inout DrawList) { content(&list) }
  override func touchBegan(_ touch: Touch) { touches.append(.began) }
  override func touchMoved(_ touch: Touch) { touches.append(.moved) }
  override func touchEnded(_ touch: Touch) { touches.append(.ended) }
  override func touchCancelled(_ touch: Touch) { touches.append(.cancelled) }
}

extension Image {
  /// Creates an image whose pixels a closure returns.
  convenience init(
    width: Int, height: Int, format: PixelFormat = .bgra, isOpaque: Bool = true,
    color: (Int, Int) -> Color
  ) {
    self.init(Bitmap.drawn(width: width, height: height, format: format, isOpaque: isOpaque, color: color))
  }

  convenience init(width: Int, height: Int, color: Color) {
    self.init(width: width, height: height, isOpaque: color.alpha == 255) { _, _ in color }
  }
}

extension Bitmap {
  static func drawn(
    width: Int, height: Int, format: PixelFormat = .bgra, isOpaque: Bool = true, color: (Int, Int) -> Color
  ) -> Bitmap {
    Bitmap(width: width, height: height, format: format, isOpaque: isOpaque) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = color(x, y)
          let (first, third) = format == .rgba ? (pixel.red, pixel.blue) : (pixel.blue, pixel.red)
          let offset = y * bytesPerRow + x * 4
          for (index, byte) in [first, pixel.green, third, pixel.alpha].enumerated() {
            bytes[offset + index] = byte
          }
        }
      }
    }
  }
}

extension Color {
  /// The largest difference of a channel, without alpha.
  func distance(to other: Color) -> Int {
    [(red, other.red), (green, other.green), (blue, other.blue)].map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  static let pureRed = Color(red: 255, green: 0, blue: 0)
  static let pureGreen = Color(red: 0, green: 255, blue: 0)
  static let pureBlue = Color(red: 0, green: 0, blue: 255)

  /// Blends the color over another.
  func over(_ other: Color, alpha: Double) -> Color {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8((Double(a) * alpha + Double(b) * (1 - alpha)).rounded())
    }
    return Color(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
  }
}
