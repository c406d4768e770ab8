import Vitrine

/// Plays a script. One command is played per turn of the loop, so that its effects are drawn before the next command.
///
/// With a manual clock, the effects of a command are drawn at once and the next command follows in the same turn, so
/// that no image can arrive in between unless the script waits for it. Waiting for images takes real time, during which
/// the manual clock stands still. Timeouts are always in real time.
final class ScriptPlayer: FrameObserver {
  /// The failure of the script in one line with the number of the script's line; `nil` for a script that succeeded.
  private(set) var failure: String?
  private(set) var isFinished = false
  /// The number of the current line; `nil` before the first line and after the last.
  private(set) var line: Int?

  /// The stage, which owns the player.
  private unowned let stage: any ScriptStage
  private var lines: ArraySlice<Script.Line>
  private var waiting: Waiting?
  private var pressedAt: Point?
  /// The manual clock; `nil` before the command `clock manual`.
  private var time: ManualTime?

  private enum Waiting {
    case time(Double)
    /// Until the window is loaded, at most until this time in seconds since the start of the process.
    case loaded(until: Double)
    /// Until the window is idle, at most until this time of the process, and on a manual clock until this time of the
    /// clock.
    case idle(until: Double, clock: Double)
    /// Until a view with a title is on the screen, at most until this time of the process.
    case title(String, until: Double)
    /// Until fingers have gone their way, which began at this time of the window.
    case strokes([ScriptStroke], start: Double, seconds: Double)
  }

  init(_ script: Script, stage: any ScriptStage) {
    lines = script.lines[...]
    self.stage = stage
  }

  /// Plays the initial `clock manual` commands before the first turn, so that the clock is manual from the start.
  func begin() {
    while lines.first?.command == .manualClock, let first = lines.popFirst() { play(first) }
  }

  /// Plays commands as far as possible now. Called after each turn of the loop.
  func advance() {
    while !isFinished, !stage.isQuitting {
      if let waiting {
        guard hasEnded(waiting) else { return }
        self.waiting = nil
        stage.scriptDidWait()
      }
      guard let next = lines.popFirst() else { return finish(nil) }
      line = next.number
      play(next)
      if isFinished { return }
      guard let time else {
        // Requests a turn for the next command, because there may be no other reason for one.
        if waiting == nil {
          stage.window.requestFrames(for: self, at: stage.window.now, keepsBusy: false)
        }
        return
      }
      time.advance(by: 0)
    }
  }

  /// Returns true if the window is loaded and idle. With a manual clock, first advances the clock until all animations
  /// end.
  ///
  /// - Parameter limit: The maximum time in seconds by which a manual clock is advanced.
  func isIdle(limit: Double = 30) -> Bool {
    guard let time else { return stage.window.isIdle }
    return stage.isLoadedThroughout && time.advanceUntilIdle(limit: limit)
  }

  /// Returns true if the next command may be played. A wait that has timed out ends the script.
  private func hasEnded(_ waiting: Waiting) -> Bool {
    switch waiting {
    case .time(let end): return stage.window.now >= end
    case .loaded(let end):
      if time.map({ $0.isLoaded && stage.isLoadedThroughout }) ?? stage.window.isLoaded { return true }
      if stage.realTime >= end { finish("line \(line ?? 0): not loaded in time") }
    case .idle(let end, let clock):
      if isIdle(limit: clock - stage.window.now) { return true }
      if stage.realTime >= end || stage.window.now >= clock { finish("line \(line ?? 0): not idle in time") }
    case .title(let title, let end):
      if stage.window.shows(title) { return true }
      if stage.realTime >= end { finish("line \(line ?? 0): there is no “\(title)” on the screen in time") }
    case .strokes(let strokes, let start, let seconds):
      let fraction = seconds > 0 ? min(1, (stage.window.now - start) / seconds) : 1
      for stroke in strokes { stage.inject(stroke.moved(by: fraction)) }
      guard fraction >= 1 else { return false }
      for stroke in strokes { stage.inject(stroke.end) }
      return true
    }
    return false
  }

  func frame(at now: Double) -> NextFrame {
    switch waiting {
    case .time(let end): now < end ? .at(end) : .never
    case .strokes: .soon
    case .loaded, .idle, .title, nil: .never
    }
  }

  private func wait(_ condition: Waiting) {
    waiting = condition
    stage.window.requestFrames(for: self, at: stage.window.now, keepsBusy: false)
  }

  /// Waits for images or other events in real time, with a timeout.
  private func wait(_ condition: Waiting, seconds: Double) {
    wait(condition)
    stage.wake(after: seconds)
  }

  private func finish(_ failure: String?) {
    self.failure = failure
    isFinished = true
    line = nil
    stage.scriptDidEnd()
  }

  private func play(_ line: Script.Line) {
    let now = stage.window.now
    switch line.command {
    case .waitIdle(let seconds):
      wait(.idle(until: stage.realTime + seconds, clock: now + seconds), seconds: seconds)
    case .waitLoaded(let seconds): wait(.loaded(until: stage.realTime + seconds), seconds: seconds)
    case .wait(let seconds), .advance(let seconds):
      if let time { time.advance(by: seconds) } else { wait(.time(now + seconds)) }
    case .waitFor(let title, let seconds):
      wait(.title(title, until: stage.realTime + seconds), seconds: seconds)
    case .manualClock: time = time ?? stage.stopClock()
    case .tap(let place):
      guard let point = point(of: place) else { return }
      mouse(.began, at: point)
      mouse(.ended, at: point)
    case .touch(let place):
      guard let point = point(of: place) else { return }
      let finger = ScriptStroke(finger: 1, from: point, to: point)
      stage.inject(finger.beginning)
      stage.inject(finger.end)
    case .press(let place):
      guard let point = point(of: place) else { return }
      pressedAt = point
      mouse(.began, at: point)
    case .move(let point):
      if pressedAt != nil { pressedAt = point }
      mouse(.moved, at: point)
    case .release:
      guard let point = pressedAt else { return finish("line \(line.number): nothing is pressed") }
      pressedAt = nil
      mouse(.ended, at: point)
    case .drag(let from, let to, let seconds):
      play([ScriptStroke(finger: 1, from: from, to: to)], seconds: seconds)
    case .hold(let place):
      guard let point = point(of: place) else { return }
      play([ScriptStroke(finger: 1, from: point, to: point)], seconds: Self.holdSeconds)
    case .pinch(let place, let from, let to, let seconds):
      guard let center = point(of: place) else { return }
      play(ScriptStroke.pinch(about: center, from: from, to: to), seconds: seconds)
    case .wheel(let place, let steps, let modifiers):
      guard let point = point(of: place) else { return }
      stage.inject(.wheel(location: point, deltaX: 0, deltaY: steps, modifiers: modifiers))
    case .key(let key, let modifiers):
      stage.inject(.keyDown(key, modifiers: modifiers))
      stage.inject(.keyUp(key, modifiers: modifiers))
    case .pad(let button):
      for isDown in [true, false] { stage.inject(gamepad: .button(button, isDown: isDown)) }
    case .stick(let x, let y): stage.inject(gamepad: .stick(x: x, y: y))
    case .screen(let name): stage.show(screen: name)
    case .screenshot(let file):
      if let problem = stage.saveScreenshot(to: file) { finish("line \(line.number): \(problem)") }
    case .expect(let title, let expectation): check(title, expectation, line: line.number)
    case .quit: finish(nil)
    }
  }

  /// Returns a place as a point. Ends the script if there is no such view.
  private func point(of place: ScriptPlace) -> Point? {
    let point = place.point(in: stage.window)
    if point == nil, case .view(let title) = place {
      finish("line \(line ?? 0): there is no “\(title)” on the screen")
    }
    return point
  }

  /// The time for which `hold` rests, in seconds: longer than a long press.
  private static let holdSeconds = 0.6

  /// Moves fingers: with a manual clock at once, in each frame of the time, otherwise as the time passes.
  private func play(_ strokes: [ScriptStroke], seconds: Double) {
    for stroke in strokes { stage.inject(stroke.beginning) }
    guard let time else { return wait(.strokes(strokes, start: stage.window.now, seconds: seconds)) }
    let start = time.now
    let frames = max(1, Int((seconds * ManualTime.framesPerSecond).rounded(.up)))
    for frame in 1...frames {
      let passed = min(seconds, Double(frame) / ManualTime.framesPerSecond)
      let fraction = frame < frames ? passed / seconds : 1
      time.advance(to: start + passed) {
        for stroke in strokes { stage.inject(stroke.moved(by: fraction)) }
      }
    }
    for stroke in strokes { stage.inject(stroke.end) }
  }

  private func mouse(_ phase: TouchPhase, at point: Point) {
    stage.inject(.touch(id: InputEvent.mouse, phase: phase, location: point))
  }

  private func check(_ title: String, _ expectation: ScriptExpectation, line: Int) {
    guard let view = stage.window.named(title) else {
      return finish("line \(line): there is no “\(title)” on the screen")
    }
    if let mismatch = expectation.mismatch(in: view) {
      finish("line \(line): “\(title)” \(mismatch)")
    }
  }
}

/// The environment that a script controls.
protocol ScriptStage: AnyObject {
  var window: Window { get }
  /// True if the program is about to end.
  var isQuitting: Bool { get }
  /// True if no view waits for an image, including the views of hidden screens, which may be shown again.
  var isLoadedThroughout: Bool { get }
  /// The time in seconds since the start of the process, regardless of the window's clock.
  var realTime: Double { get }
  /// Causes a turn of the loop after a number of seconds of real time.
  func wake(after seconds: Double)
  /// Called when a wait of the script has ended.
  func scriptDidWait()
  /// Replaces the window's clock by a manual clock. Returns the manual clock.
  func stopClock() -> ManualTime
  func inject(_ event: InputEvent)
  func inject(gamepad input: GamepadInput)
  func show(screen name: String)
  /// Writes a screenshot to a file. Returns an error message, or `nil` on success.
  func saveScreenshot(to file: String) -> String?
  func scriptDidEnd()
}
