import CSDL
import Glibc
import VitrineAnimation
import VitrineConcurrency
import VitrineGraphics
import VitrineWidgets

extension SDLHost {
  /// Shows the window and runs the loop until `quit()` is called, the window is closed, SIGINT or SIGTERM arrives, or
  /// the display server is lost. In the last case, `failure` is set.
  ///
  /// Runs the work of the main actor and the main dispatch queue, and sleeps while there is nothing to do. Must be
  /// called on the process's first thread, where a synchronous `main()` of `@main` runs. On any other thread no image
  /// would ever arrive: the method then writes one line to standard error, sets `failure` to `.notFirstThread` and
  /// returns at once.
  public func run() {
    guard Self.isFirstThread else {
      failure = .notFirstThread
      let line = "vitrine: \(SDLHostError.notFirstThread)\n"
      _ = write(STDERR_FILENO, line, line.utf8.count)
      return
    }
    while !isQuitting { turn() }
  }

  /// True on the process's first thread, the only one that can serve the main queue.
  package nonisolated static var isFirstThread: Bool { vitrine_is_main_thread() == SDL_TRUE }

  /// Runs one turn of the loop: waits until there is something to do, handles events and the main queue's work, and
  /// draws a frame if one is due. For a program that must do something between two turns, in place of `run()`.
  ///
  /// Only a turn on the process's first thread runs the main queue's work. On another thread, as in most tests, images
  /// that arrive and tasks of the main actor wait until the caller suspends, for example with an `await`.
  ///
  /// - Parameter seconds: The longest wait in seconds; 0 does not wait.
  public func turn(waitUpTo seconds: Double = .infinity) {
    guard video.isOpen else { return }
    sleeper.checkDisplay()
    guard !sleeper.isDisplayLost else { return loseDisplay() }
    SDL_PumpEvents()
    let hasEvents = SDL_HasEvents(SDL_FIRSTEVENT.rawValue, SDL_LASTEVENT.rawValue) == SDL_TRUE
    sleeper.wait(upTo: hasEvents ? 0 : min(seconds, timeToNextTask))

    if signals.consumeSignal() { quit() }
    guard !sleeper.isDisplayLost else { return loseDisplay() }
    let count = handleEvents()
    // A device's descriptor is readable without an event from SDL: a device may have been added or removed.
    if sleeper.areDevicesReady, count == 0 {
      sleeper.ignoreUnread()
      sleeper.scanDevices()
    }
    if sleeper.isMainQueueReady {
      window.now = now
      mainQueue.drain()
    }
    drawFrameIfDue()
    for observer in turnObservers.entries { observer.handler() }
  }

  /// Ends the loop without another call to SDL: Xlib exits the process when its server is gone, and SDL treats a lost
  /// compositor as an ordinary quit.
  private func loseDisplay() {
    failure = .displayLost(driver: videoDriver)
    renderer.abandon()
    video.abandon()
    quit()
  }

  // MARK: Waiting

  /// The number of seconds until the loop must act without input.
  private var timeToNextTask: Double {
    if isQuitting { return 0 }
    var wait = pollingInterval
    if let deadline = window.nextDeadline {
      wait = min(wait, max(untilDue(deadline), earliestFrame - SystemTime.now, postponement))
    }
    return wait
  }

  /// The interval in which SDL must be polled for events. SDL recognizes a lost focus on X11 only 0.2 s later, and
  /// repeats keys on Wayland only while it is polled.
  private var pollingInterval: Double {
    switch videoDriver {
    case "x11" where translator.hasTouches: 0.25
    case "wayland" where translator.hasRepeatingKey: 1.0 / 30
    default: .infinity
    }
  }

  /// The system time before which no frame begins, so that there is at most one frame per interval; 0 with a manual
  /// clock, where each step of the program is a frame.
  private var earliestFrame: Double {
    if case .manual = clock { return 0 }
    return nextFrame
  }

  private func untilDue(_ deadline: Double) -> Double {
    let wait = deadline - now
    if wait <= 0 { return 0 }
    // With a manual clock, the program that advances the clock also calls `turn`.
    if case .manual = clock { return .infinity }
    return wait
  }

  // MARK: Events

  /// Handles all pending events of SDL. Returns their number.
  private func handleEvents() -> Int {
    var count = 0
    var event = SDL_Event()
    while SDL_PollEvent(&event) == 1 {
      count += 1
      handle(event)
    }
    return count
  }

  /// Handles an event of a device.
  func handle(_ event: SDL_Event) {
    translator.scale = window.scale
    translator.size = window.frame.size
    translator.modifiers = KeyModifiers(keyboard: UInt16(truncatingIfNeeded: SDL_GetModState().rawValue))
    for event in translator.translate(event) { handle(event) }
    keyRepeat.setStroke(translator.repeatingStroke)
  }

  private func handle(_ event: HostEvent) {
    switch event {
    case .input(let input): inject(input)
    case .redraw: window.setNeedsDisplay()
    case .texturesLost:
      renderer.reset()
      window.setNeedsDisplay()
    case .resized:
      fitWindow()
      window.setNeedsDisplay()
    case .visible(let isVisible):
      self.isVisible = isVisible
      window.isVisible = isVisible
      window.setNeedsDisplay()
    case .cursor(let isVisible): video.showCursor(isVisible)
    case .gamepadAdded(let device):
      gamepads?.add(device: device)
      sleeper.scanDevices()
    case .gamepadRemoved(let identifier): gamepads?.remove(identifier)
    case .quit: quit()
    }
  }

  /// Sets the size of the view tree to the size of the window.
  func fitWindow() { window.frame.size = video.size(rotation: rotation, scale: window.scale) }

  // MARK: Frames

  private func drawFrameIfDue() {
    window.now = now
    guard let deadline = window.nextDeadline, deadline <= window.now, SystemTime.now >= earliestFrame else {
      return
    }
    if !postponesFirstFrame() { drawFrame() }
  }

  /// Updates the window now, even if no frame is due, and presents a frame if anything is dirty.
  func drawFrame() {
    guard video.isOpen else { return }
    let begin = SystemTime.now
    window.update(at: now)
    let waited = waitForImages(since: begin)
    // The handlers of an image may have closed the window.
    guard video.isOpen, window.isDirty else { return }
    let drawingBegin = SystemTime.now
    if window.showsDiagnostics { window.setNeedsDisplay(meter.rect(in: window)) }
    let dirty = window.takeDirtyRects()
    // A hidden window is redrawn completely when it becomes visible again.
    guard isVisible, let bounds = renderer.begin() else { return }
    let rects = dirty.map { PixelRect(covering: $0, scale: window.scale).intersection(bounds) }
      .filter { !$0.isEmpty }
    guard !rects.isEmpty else { return }

    var unfinished: [PixelRect] = []
    var shown: Set<UInt64>? = trace.awaitsFrames ? [] : nil
    for rect in rects {
      var list = window.drawList(for: rect.rect(scale: window.scale))
      if window.showsDiagnostics {
        meter.draw(frameStatistics, FramePool.shared.report, over: window, into: &list)
      }
      if shown != nil { list.forEachImageNumber { shown?.insert($0) } }
      unfinished += renderer.play(list, in: rect, scale: window.scale)
    }
    let drawn = SystemTime.now
    renderer.present(rects)
    let end = SystemTime.now
    if let shown { trace.recordFrame(with: shown) }
    let workEnd = video.waitsForScreen ? drawn : end
    let work = workEnd - begin - waited
    frameStatistics.record(work: work, at: now)
    lastDrawingTime = workEnd - drawingBegin
    firstFrameDue = nil
    if case .monotonic = clock { window.frameWorkDuration = work }
    nextFrame = video.waitsForScreen ? 0 : begin + window.frameInterval
    for rect in unfinished { window.setNeedsDisplay(rect.rect(scale: window.scale)) }
  }
}

extension DrawList {
  /// Calls `body` with the number of each image that is drawn. Both images of a dissolve are.
  func forEachImageNumber(_ body: (UInt64) -> Void) {
    for command in commands {
      switch command {
      case .image(let image): body(image.image.number)
      case .dissolve(let old, let new, _):
        body(old.image.number)
        body(new.image.number)
      default: break
      }
    }
  }
}
