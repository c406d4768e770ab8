import Vitrine

/// Plays a script: one command a turn of the loop, so that what a command causes is drawn before the next.
final class ScriptPlayer: FrameObserver {
  /// How it ended: nil for a script that held, else one line with the script's line number.
  private(set) var failure: String?
  private(set) var isFinished = false
  /// The number of the line that is being played; nil before the first and after the last.
  private(set) var line: Int?

  /// Owns the player.
  private unowned let stage: any ScriptStage
  private var lines: ArraySlice<Script.Line>
  private var waiting: Waiting?
  private var pressedAt: Point?

  private enum Waiting {
    case time(Double)
    case idle(until: Double, line: Int)
    case drag(from: Point, to: Point, start: Double, seconds: Double)
  }

  /// The finger of `drag`; `tap` and `press` use the mouse.
  private static let finger: Int64 = 1

  init(_ script: Script, stage: any ScriptStage) {
    lines = script.lines[...]
    self.stage = stage
  }

  /// Goes on as far as it can now. Called after each turn of the loop.
  func advance() {
    guard !isFinished else { return }
    let now = stage.window.now
    switch waiting {
    case .time(let end):
      guard now >= end else { return }
      waiting = nil
    case .idle(let end, let line):
      if stage.window.isIdle {
        waiting = nil
      } else if now >= end {
        return finish("line \(line): not idle in time")
      } else {
        return
      }
    case .drag(let from, let to, let start, let seconds):
      let share = seconds > 0 ? min(1, (now - start) / seconds) : 1
      let point = Point(x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share)
      stage.inject(.touch(id: Self.finger, phase: .moved, location: point))
      guard share >= 1 else { return }
      stage.inject(.touch(id: Self.finger, phase: .ended, location: to))
      waiting = nil
    case nil: break
    }
    guard waiting == nil else { return }
    guard let next = lines.popFirst() else { return finish(nil) }
    line = next.number
    play(next)
    // The next command is due with the next turn, which may have nothing else to do.
    if !isFinished, waiting == nil { stage.window.requestFrames(for: self, at: now, keepsBusy: false) }
  }

  func frame(at now: Double) -> NextFrame {
    switch waiting {
    case .time(let end), .idle(let end, _): now < end ? .at(end) : .never
    case .drag: .soon
    case nil: .never
    }
  }

  private func wait(_ what: Waiting) {
    waiting = what
    stage.window.requestFrames(for: self, at: stage.window.now, keepsBusy: false)
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
    case .waitIdle(let seconds): wait(.idle(until: now + seconds, line: line.number))
    case .wait(let seconds): wait(.time(now + seconds))
    case .tap(let point):
      mouse(.began, at: point)
      mouse(.ended, at: point)
    case .press(let point):
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
      stage.inject(.touch(id: Self.finger, phase: .began, location: from))
      wait(.drag(from: from, to: to, start: now, seconds: seconds))
    case .wheel(let point, let steps):
      stage.inject(.wheel(location: point, deltaX: 0, deltaY: steps))
    case .key(let key, let modifiers):
      stage.inject(.keyDown(key, modifiers: modifiers))
      stage.inject(.keyUp(key, modifiers: modifiers))
    case .screen(let name): stage.show(screen: name)
    case .screenshot(let file):
      if let problem = stage.saveScreenshot(to: file) { finish("line \(line.number): \(problem)") }
    case .expect(let title, let state): check(title, state, line: line.number)
    case .quit: finish(nil)
    }
  }

  private func mouse(_ phase: TouchPhase, at point: Point) {
    stage.inject(.touch(id: InputEvent.mouse, phase: phase, location: point))
  }

  private func check(_ title: String, _ state: String, line: Int) {
    guard let view = stage.window.named(title) else {
      return finish("line \(line): there is no “\(title)” on the screen")
    }
    let states = Set(view.scriptStates.map(\.rawValue))
    if !states.contains(state) {
      finish("line \(line): “\(title)” is \(states.sorted().joined(separator: ", ")), not \(state)")
    }
  }
}

/// What a script acts on.
protocol ScriptStage: AnyObject {
  var window: Window { get }
  func inject(_ event: InputEvent)
  func show(screen name: String)
  /// Writes what is on the screen; says what went wrong.
  func saveScreenshot(to file: String) -> String?
  func scriptDidEnd()
}
