public import VitrineGraphics
public import VitrineWidgets

/// A window without a screen, whose time a test moves by hand.
///
/// It plays the host: sets the time, feeds events, runs a frame whenever the window asks for one, and draws
/// what is dirty into a list that the test reads.
///
/// ```swift
/// let test = TestWindow(size: Size(width: 200, height: 100))
/// test.window.addSubview(button)
/// test.tap(at: button.frame.center)
/// test.advance(by: 0.2)
/// #expect(test.texts == ["Playing"])
/// ```
///
/// Nothing waits for real time. Everything is on the main actor.
@MainActor
public final class TestWindow {
  /// The window under test; views are added to it.
  public let window: Window
  /// How many frames had something to draw.
  public private(set) var framesDrawn = 0
  /// How often the window was woken for a frame, whether there was something to draw or not.
  public private(set) var framesRun = 0
  /// What the last frame drew again, in window points.
  public private(set) var lastDirtyRects: [Rect] = []

  private var lastFrame = -1.0

  /// A window whose first frame has been drawn, at time 0.
  public init(
    size: Size = Size(width: 400, height: 300), scale: Double = 1,
    textMeasuring: any TextMeasuring = MonospaceMeasuring()
  ) {
    window = Window(size: size, scale: scale, textMeasuring: textMeasuring)
    draw()
  }

  // MARK: Time

  /// Seconds since the test began.
  public var now: Double { window.now }

  /// Lets time pass, with a frame whenever the window asks for one, at most one each `frameInterval`.
  public func advance(by seconds: Double) {
    let end = now + max(0, seconds)
    while let deadline = window.nextDeadline {
      let time = max(deadline, window.now, lastFrame + window.frameInterval)
      // A sum of intervals may miss the end by a rounding error.
      guard time <= end + 1e-9 else { break }
      runFrame(at: time)
    }
    window.now = max(end, window.now)
  }

  /// Draws what is dirty now, without letting time pass.
  public func draw() { runFrame(at: now) }

  /// Lets time pass until the window is idle.
  ///
  /// - Parameter limit: gives up after so many seconds.
  /// - Returns: whether it became idle.
  @discardableResult
  public func advanceUntilIdle(limit: Double = 30) -> Bool {
    let end = now + limit
    while !window.isIdle {
      guard let deadline = window.nextDeadline, deadline <= end else { return window.isIdle }
      advance(by: max(window.frameInterval, deadline - now))
    }
    return true
  }

  private func runFrame(at time: Double) {
    window.update(at: time)
    framesRun += 1
    lastFrame = time
    guard window.isDirty else { return }
    lastDirtyRects = window.takeDirtyRects()
    // As a host would: drawing is what lets a spinner turn.
    for rect in lastDirtyRects { _ = window.drawList(for: rect) }
    framesDrawn += 1
  }

  // MARK: Input

  /// A finger that comes down; it stays until `release(finger:)`.
  public func press(at point: Point, finger: Int64 = 0) { touch(.began, at: point, finger: finger) }

  /// The finger moves, in one event.
  public func move(to point: Point, finger: Int64 = 0) { touch(.moved, at: point, finger: finger) }

  /// The finger is lifted where it was last; does nothing for one that is not down.
  public func release(finger: Int64 = 0) {
    guard let point = fingers[finger] else { return }
    touch(.ended, at: point, finger: finger)
  }

  /// The finger is taken away by the system.
  public func cancel(finger: Int64 = 0) {
    guard let point = fingers[finger] else { return }
    touch(.cancelled, at: point, finger: finger)
  }

  /// A short press, 20 ms by default, and the time until what it does is done.
  public func tap(at point: Point, holding seconds: Double = 0.02) {
    press(at: point)
    advance(by: seconds)
    release()
    advance(by: Window.shortestPress + window.frameInterval)
  }

  /// A click of the mouse, without waiting.
  public func click(at point: Point) {
    press(at: point, finger: InputEvent.mouse)
    release(finger: InputEvent.mouse)
  }

  /// A finger goes from one point to another in a straight line, an event each frame, and is lifted there.
  public func drag(from start: Point, to end: Point, duration: Double, finger: Int64 = 0) {
    press(at: start, finger: finger)
    let steps = max(1, Int((duration / window.frameInterval).rounded()))
    for step in 1...steps {
      advance(by: duration / Double(steps))
      let share = Double(step) / Double(steps)
      let way = end - start
      move(to: Point(x: start.x + way.x * share, y: start.y + way.y * share), finger: finger)
    }
    release(finger: finger)
  }

  /// Turns the mouse wheel; positive moves the content down.
  public func wheel(at point: Point, steps: Double, horizontal: Double = 0) {
    window.handle(.wheel(location: point, deltaX: horizontal, deltaY: steps))
  }

  /// A key goes down and up.
  public func key(_ key: Key, modifiers: KeyModifiers = []) {
    window.handle(.keyDown(key, modifiers: modifiers))
    window.handle(.keyUp(key, modifiers: modifiers))
  }

  private var fingers: [Int64: Point] = [:]

  private func touch(_ phase: TouchPhase, at point: Point, finger: Int64) {
    fingers[finger] = phase == .ended || phase == .cancelled ? nil : point
    window.handle(.touch(id: finger, phase: phase, location: point))
  }

  // MARK: What is seen

  /// All of the window as it looks now.
  public var drawList: DrawList { window.drawList(for: window.bounds) }

  /// The lines of text that are seen, back to front.
  public var texts: [String] {
    drawList.commands.compactMap { if case .text(let text, _, _, _) = $0 { text } else { nil } }
  }

  /// The pictures that are seen, back to front; of one that turns into another both, each as opaque as its share.
  public var pictures: [DrawList.Picture] {
    drawList.commands.flatMap { command -> [DrawList.Picture] in
      switch command {
      case .image(let picture): return [picture]
      case .dissolve(var old, var new, let share):
        old.opacity *= 1 - share
        new.opacity *= share
        return [old, new]
      default: return []
      }
    }
  }

  /// The filled rectangles of a colour, back to front.
  public func fills(of color: Color) -> [Rect] {
    drawList.commands.compactMap {
      if case .fill(let rect, color, _) = $0 { rect } else { nil }
    }
  }
}
