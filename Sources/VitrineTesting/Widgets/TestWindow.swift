public import VitrineGraphics
public import VitrineWidgets

/// A window without a screen, whose clock the test advances by hand.
///
/// Takes the role of the host: sets the time, delivers events, runs a frame whenever the window asks for one, and draws
/// the dirty region into a list that the test can read.
///
/// ```swift
/// let test = TestWindow(size: Size(width: 200, height: 100))
/// test.window.addSubview(button)
/// test.tap(at: button.frame.center)
/// test.advance(by: 0.2)
/// #expect(test.texts == ["Playing"])
/// ```
///
/// Never waits for real time.
@MainActor
public final class TestWindow {
  /// The window under test, to which the test adds views.
  public let window: Window
  /// The number of frames in which something was drawn.
  public private(set) var framesDrawn = 0
  /// The number of frames that were run, including frames in which nothing was drawn.
  package private(set) var framesRun = 0
  /// The rectangles that the last drawn frame redrew, in window points.
  package private(set) var lastDirtyRects: [Rect] = []

  private var lastFrame = -1.0

  /// Creates a window and draws the first frame, at time 0. Each character of a text counts as half as wide as the font
  /// size, so that layouts do not depend on the fonts of the machine.
  public convenience init(size: Size = Size(width: 400, height: 300), scale: Double = 1) {
    self.init(size: size, scale: scale, textMeasuring: MonospaceMeasuring())
  }

  /// Creates a window that measures text with `textMeasuring`, and draws the first frame, at time 0. For tests that need
  /// other widths of text.
  public init(
    size: Size = Size(width: 400, height: 300), scale: Double = 1, textMeasuring: any TextMeasuring
  ) {
    window = Window(size: size, scale: scale, textMeasuring: textMeasuring)
    draw()
  }

  // MARK: Time

  /// The current time in seconds since the window was created.
  public var now: Double { window.now }

  /// Advances the time by `seconds`. Runs a frame whenever the window asks for one, at most one per `frameInterval`.
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

  /// Draws the dirty region now, without advancing the time.
  public func draw() { runFrame(at: now) }

  /// Advances the time until the window is idle.
  ///
  /// - Parameter limit: The maximum time to advance, in seconds.
  /// - Returns: True if the window became idle.
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
    // A host draws at this point, and spinners turn only if they are drawn.
    for rect in lastDirtyRects { _ = window.drawList(for: rect) }
    framesDrawn += 1
  }

  // MARK: Input

  /// Puts a finger down, which stays until `release(finger:)`.
  public func press(at point: Point, finger: Int64 = 0) { touch(.began, at: point, finger: finger) }

  /// Moves the finger to a point in one event.
  public func move(to point: Point, finger: Int64 = 0) { touch(.moved, at: point, finger: finger) }

  /// Lifts the finger at the last location. Does nothing if the finger is not down.
  public func release(finger: Int64 = 0) {
    guard let point = fingers[finger] else { return }
    touch(.ended, at: point, finger: finger)
  }

  /// Ends the touch as cancelled, as the system does. Does nothing if the finger is not down.
  public func cancel(finger: Int64 = 0) {
    guard let point = fingers[finger] else { return }
    touch(.cancelled, at: point, finger: finger)
  }

  /// Taps: presses for 20 ms by default, then advances the time until the effect of the tap is complete.
  public func tap(at point: Point, holding seconds: Double = 0.02) {
    press(at: point)
    advance(by: seconds)
    release()
    advance(by: Window.shortestPress + window.frameInterval)
  }

  /// Clicks the mouse at a point, without advancing the time.
  public func click(at point: Point) {
    press(at: point, finger: InputEvent.mouse)
    release(finger: InputEvent.mouse)
  }

  /// Drags a finger in a straight line, with one event per frame, and lifts the finger at the end.
  public func drag(from start: Point, to end: Point, duration: Double, finger: Int64 = 0) {
    press(at: start, finger: finger)
    let steps = max(1, Int((duration / window.frameInterval).rounded()))
    for step in 1...steps {
      advance(by: duration / Double(steps))
      let fraction = Double(step) / Double(steps)
      let distance = end - start
      move(to: Point(x: start.x + distance.x * fraction, y: start.y + distance.y * fraction), finger: finger)
    }
    release(finger: finger)
  }

  /// Turns the mouse wheel. Positive steps move the content down.
  public func wheel(at point: Point, steps: Double, horizontal: Double = 0, modifiers: KeyModifiers = []) {
    window.handle(.wheel(location: point, deltaX: horizontal, deltaY: steps, modifiers: modifiers))
  }

  /// Presses and releases a key.
  public func key(_ key: Key, modifiers: KeyModifiers = []) {
    window.handle(.keyDown(key, modifiers: modifiers))
    window.handle(.keyUp(key, modifiers: modifiers))
  }

  private var fingers: [Int64: Point] = [:]

  private func touch(_ phase: TouchPhase, at point: Point, finger: Int64) {
    fingers[finger] = phase == .ended || phase == .cancelled ? nil : point
    window.handle(.touch(id: finger, phase: phase, location: point))
  }

  // MARK: Contents

  /// The draw list of the whole window in the current state.
  package var drawList: DrawList { window.drawList(for: window.bounds) }

  private var contents: DrawnContents { DrawnContents(drawList) }

  /// The visible lines of text, back to front.
  public var texts: [String] { contents.texts }

  /// The visible images, back to front. A dissolve yields both images, each with its opacity scaled by the progress.
  /// Images in a group are as translucent as the group.
  public var images: [DrawList.ImageCommand] { contents.images }

  /// Returns the rectangles filled with a color, back to front.
  public func fills(of color: Color) -> [Rect] { contents.fills(of: color) }
}
