public import VitrineGraphics
public import VitrineSDLBackend
public import VitrineWidgets

/// An off-screen window that draws what a screen would show, with a clock that a test moves by hand.
///
/// ```swift
/// let screen = try await TestScreen(size: Size(width: 320, height: 240))
/// screen.window.addSubview(cover)
/// cover.setImage(from: address, options: options)
/// try await screen.load()
/// screen.advance(by: 0.1)
/// try screen.expect("cover-fades-in")
/// ```
///
/// There is one host at a time in a process, while tests run side by side: making a screen waits until the screens of other
/// tests are closed, so a test may await whatever it likes while it has one. A screen closes when it goes, or by `close()`.
@MainActor
public final class TestScreen {
  /// What draws.
  public let host: SDLHost
  /// The host's clock, which stands still until it is moved.
  public let time: ManualTime
  /// The top of the view tree.
  public var window: Window { host.window }

  /// Tests that open hosts on their own take turns with screens here.
  package nonisolated static let turns = Turns()
  private var isOpen = true

  /// Opens the screen, as soon as no other test has one.
  ///
  /// - Parameters:
  ///   - size: in points.
  ///   - scale: pixels to a point.
  ///   - configure: changes the host's configuration, as its fonts or its rotation.
  public init(
    size: Size = Size(width: 400, height: 300), scale: Double = 1,
    configure: (inout SDLHost.Configuration) -> Void = { _ in }
  ) async throws {
    var configuration = SDLHost.Configuration()
    configuration.size = size
    configuration.scale = scale
    configuration.videoDriver = "offscreen"
    configuration.readsGamepads = false
    configure(&configuration)
    try await Self.turns.begin()
    do {
      host = try await Self.open(configuration)
    } catch {
      Self.turns.end()
      throw error
    }
    time = ManualTime(of: host)
    time.advance(by: 0)
  }

  isolated deinit { close() }

  /// Closes the window, and lets the next test have its screen. A second call does nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    host.close()
    Self.turns.end()
  }

  /// A host that a test has made itself takes no turns; it is waited for.
  private static func open(_ configuration: SDLHost.Configuration) async throws -> SDLHost {
    var host: SDLHost?
    try await until {
      do throws(SDLHostError) {
        host = try SDLHost(configuration: configuration)
      } catch .anotherHostIsOpen {
        return false
      }
      return true
    }
    guard let host else { throw SDLHostError.anotherHostIsOpen }
    return host
  }

  // MARK: Time

  /// Lets time pass; each frame on the way is drawn at its time, and the last at the end. See `ManualTime.advance(by:then:)`.
  public func advance(by seconds: Double) { time.advance(by: seconds) }

  /// Lets time pass until nothing fades or scrolls any more; whether that came about.
  @discardableResult
  public func advanceUntilIdle(limit: Double = 30) -> Bool { time.advanceUntilIdle(limit: limit) }

  /// Waits until no view waits for an image any more, and draws: what has come begins its transition now. The time of the
  /// screen stands still meanwhile.
  ///
  /// - Parameter seconds: real time after which it throws a `WaitFailure`, as for a transfer that no test answers.
  public func load(
    within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws {
    // A layout gives views the sizes that they load their images at.
    time.advance(by: 0)
    try await until(within: seconds, file: file, line: line) {
      time.advance(by: 0)
      return time.isLoaded
    }
    time.advance(by: 0)
  }

  // MARK: What is seen

  /// What is on the screen at this moment.
  public func screenshot() -> Bitmap {
    time.advance(by: 0)
    return host.screenshot()
  }
}
