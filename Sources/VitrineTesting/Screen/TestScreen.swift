public import VitrineGraphics
public import VitrineSDLBackend
public import VitrineWidgets

/// An off-screen window that draws as on a real screen, with a clock that the test advances by hand.
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
/// A process has one host at a time, while tests run in parallel: opening a screen waits until the screens of other
/// tests are closed. A test may therefore await anything while it has a screen. A screen closes when it is released, or
/// by `close()`.
@MainActor
public final class TestScreen {
  /// The host that draws the window.
  public let host: SDLHost
  /// The host's clock, which the test advances.
  public let time: ManualTime
  /// The root of the view tree.
  public var window: Window { host.window }

  /// The lock on the process's only host, shared with tests that open a host themselves.
  package nonisolated static let turns = Turns()
  private var isOpen = true

  /// Opens the screen, after waiting until no other test has one.
  ///
  /// - Parameters:
  ///   - size: The size in points.
  ///   - scale: The number of pixels per point.
  ///   - configure: Changes the host's configuration, such as its fonts or its rotation.
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

  /// Closes the window so that the next test can open its screen. Further calls do nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    host.close()
    Self.turns.end()
  }

  /// Opens a host. Waits for hosts that tests have opened without taking turns.
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

  /// Advances the time. Draws each frame on the way at its time, and one more at the end. See
  /// `ManualTime.advance(by:then:)`.
  public func advance(by seconds: Double) { time.advance(by: seconds) }

  /// Advances the time until no animation and no scrolling is left, by at most `limit` seconds. Returns false if the
  /// window is not idle or a view still waits for an image.
  @discardableResult
  public func advanceUntilIdle(limit: Double = 30) -> Bool { time.advanceUntilIdle(limit: limit) }

  /// Waits until no view waits for an image, then draws, so that the transitions of the images that have arrived begin.
  /// The time of the screen does not advance.
  ///
  /// Throws a `WaitFailure` after `seconds` of real time, for example because the test does not send the response of a
  /// transfer.
  public func load(
    within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line
  ) async throws {
    // The layout gives views the sizes at which they load their images.
    time.advance(by: 0)
    try await until(within: seconds, file: file, line: line) {
      time.advance(by: 0)
      return time.isLoaded
    }
    time.advance(by: 0)
  }

  // MARK: Contents

  /// Returns the current contents of the screen.
  public func screenshot() -> Bitmap {
    time.advance(by: 0)
    return host.screenshot()
  }
}
