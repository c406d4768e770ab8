import VitrineGraphics

/// Hands touches to views: to the one that was hit, and first to those around it that watch.
///
/// A finger that comes down inside a scroll view may be the beginning of a scroll, so the view that was hit
/// hears of it only after `touchDelay`, or when the finger is lifted; then its end is held back for a moment,
/// or the press would never be seen. A mouse button is told at once.
extension Window {
  /// How long a finger is held back from what lies in a scroll view, in seconds.
  public static let touchDelay = 0.1
  /// How long a quick tap is shown as pressed, in seconds.
  public static let shortestPress = 0.05

  /// How soon after a tap another one has to begin to count as its repetition, in seconds.
  public static let tapInterval = 0.35
  /// How far from it, in points, as a finger is less exact than a mouse.
  public static let tapDistance = 30.0

  func handleTouch(id: Int64, phase: TouchPhase, location: Point) {
    if phase == .began { beginTouch(id: id, location: location) }
    guard let touch = touches[id] else { return }
    touch.phase = phase
    touch.previousLocation = touch.location
    touch.location = location
    touch.time = now
    if phase == .ended || phase == .cancelled {
      touches[id] = nil
      taps.end(touch)
    }
    for observer in touch.observers where touch.isObserved(by: observer) { observer.observeTouch(touch) }
    guard let view = touch.view else { return }
    switch phase {
    case .began: deliverBeginning(of: touch, to: view)
    case .moved: if touch.isDelivered { view.touchMoved(touch) }
    case .ended: deliverEnd(of: touch, to: view)
    case .cancelled:
      drop(touch.hold)
      if touch.isDelivered { view.touchCancelled(touch) }
    }
  }

  private func beginTouch(id: Int64, location: Point) {
    // Taps keep their order: the end of the last one goes before the beginning of this one.
    for touch in endingTouches { release(touch) }
    // A finger that begins again without having ended has lost its end: take the old one back.
    if touches[id] != nil { handleTouch(id: id, phase: .cancelled, location: location) }
    let touch = Touch(id: id, location: location, time: now)
    touches[id] = touch
    touch.view = hitTest(location)
    touch.tapCount = taps.count(of: touch)
    var ancestor = touch.view
    while let current = ancestor {
      if current.observesDescendantTouches { touch.observers.append(current) }
      ancestor = current.superview
    }
  }

  private func deliverBeginning(of touch: Touch, to view: View) {
    if touch.id != InputEvent.mouse, touch.observers.contains(where: \.delaysDescendantTouches) {
      hold(touch, until: now + Self.touchDelay)
    } else {
      touch.isDelivered = true
      view.touchBegan(touch)
    }
  }

  private func deliverEnd(of touch: Touch, to view: View) {
    guard touch.hold != nil else { return view.touchEnded(touch) }
    // Before the view hears of the beginning, which may let it lose the touch.
    endingTouches.append(touch)
    release(touch)
    guard touch.view != nil else { return endingTouches.removeAll { $0 === touch } }
    hold(touch, until: now + Self.shortestPress)
  }

  private func hold(_ touch: Touch, until time: Double) {
    let hold = TouchHold(touch: touch, window: self)
    touch.hold = hold
    requestFrames(for: hold, at: time)
  }

  private func drop(_ hold: TouchHold?) {
    guard let hold else { return }
    hold.touch?.hold = nil
    cancelFrames(for: hold)
  }

  /// Tells the view what was held back: the beginning, or the end of what it has heard the beginning of.
  func release(_ touch: Touch) {
    guard let hold = touch.hold else { return }
    drop(hold)
    if touch.isDelivered {
      endingTouches.removeAll { $0 === touch }
      touch.view?.touchEnded(touch)
    } else {
      let phase = touch.phase
      touch.phase = .began
      touch.isDelivered = true
      touch.view?.touchBegan(touch)
      if touch.phase == .began { touch.phase = phase }
    }
  }

  /// Takes a touch over: the view that had it hears that it is cancelled, so do the others that watched it,
  /// and `view` goes on watching it alone, by `observeTouch`.
  public func claim(_ touch: Touch, by view: View) {
    let previous = touch.view
    let phase = touch.phase
    let others = touch.observers
    drop(touch.hold)
    touch.view = nil
    touch.observers = [view]
    touch.phase = .cancelled
    for observer in others where observer !== view { observer.observeTouch(touch) }
    if touch.isDelivered, previous !== view { previous?.touchCancelled(touch) }
    touch.phase = phase
  }

  /// Called for a view that leaves: it loses the focus and its touches.
  func forget(_ view: View) {
    if focusedView === view { focus(nil) }
    takeTouches { $0 === view }
  }

  /// Called for a view that can no longer be seen or used: neither it nor one below it keeps the focus or a touch.
  func withdraw(from view: View) {
    if focusedView?.isDescendant(of: view) == true { focus(nil) }
    takeTouches { $0.isDescendant(of: view) }
  }

  /// Takes touches away from views, which hear of it where they have heard of the beginning.
  private func takeTouches(from isMeant: (View) -> Bool) {
    for touch in Array(touches.values) + endingTouches {
      touch.observers.removeAll(where: isMeant)
      guard let view = touch.view, isMeant(view) else { continue }
      drop(touch.hold)
      endingTouches.removeAll { $0 === touch }
      touch.phase = .cancelled
      touch.view = nil
      if touch.isDelivered { view.touchCancelled(touch) }
    }
  }
}

/// What wakes the window for a touch that is held back.
final class TouchHold: FrameObserver {
  /// The window has it, and it has this.
  private(set) weak var touch: Touch?
  private weak var window: Window?

  init(touch: Touch, window: Window) {
    self.touch = touch
    self.window = window
  }

  func frame(at now: Double) -> NextFrame {
    if let touch { window?.release(touch) }
    return .never
  }
}
