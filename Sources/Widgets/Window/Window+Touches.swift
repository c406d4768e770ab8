import VitrineGraphics

/// Delivers touches: first to the superviews that observe them, then to the view that was hit.
///
/// A finger that comes down inside a scroll view may start a scroll, so the hit view receives the touch only after
/// `touchDelay`, or when the finger is lifted. In the latter case the end is delayed for a moment, because the press
/// would otherwise never be visible. Mouse buttons are not delayed.
extension Window {
  /// The delay of a finger's touch inside a scroll view, in seconds.
  package static let touchDelay = 0.1
  /// The minimum time for which a quick tap is shown as pressed, in seconds.
  package static let shortestPress = 0.05

  /// The maximum time from the end of a tap to the beginning of a tap that counts as its repetition, in seconds.
  package nonisolated static let tapInterval = 0.35
  /// The maximum distance of a repeated tap, in points; large because a finger is less precise than a mouse.
  package nonisolated static let tapDistance = 30.0

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
      cancel(touch.delay)
      if touch.isDelivered { view.touchCancelled(touch) }
    }
  }

  private func beginTouch(id: Int64, location: Point) {
    // Taps keep their order: the end of the previous tap is delivered before the beginning of this one.
    for touch in endingTouches { deliverDelayedEvent(of: touch) }
    // The end of the previous touch with this id was lost, so that touch is cancelled.
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
      delay(touch, until: now + Self.touchDelay)
    } else {
      touch.isDelivered = true
      view.touchBegan(touch)
    }
  }

  private func deliverEnd(of touch: Touch, to view: View) {
    guard touch.delay != nil else { return view.touchEnded(touch) }
    // Recorded before the view receives the beginning, because its handler may take the touch away.
    endingTouches.append(touch)
    deliverDelayedEvent(of: touch)
    guard touch.view != nil else { return endingTouches.removeAll { $0 === touch } }
    delay(touch, until: now + Self.shortestPress)
  }

  private func delay(_ touch: Touch, until time: Double) {
    let delay = TouchDelay(touch: touch, window: self)
    touch.delay = delay
    requestFrames(for: delay, at: time)
  }

  private func cancel(_ delay: TouchDelay?) {
    guard let delay else { return }
    delay.touch?.delay = nil
    cancelFrames(for: delay)
  }

  /// Delivers the delayed beginning of the touch, or its delayed end if the beginning has been delivered.
  func deliverDelayedEvent(of touch: Touch) {
    guard let delay = touch.delay else { return }
    cancel(delay)
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

  /// Transfers a touch to `view`, for a gesture such as a swipe that begins on a descendant. The view that had the
  /// touch receives `touchCancelled`, the other observers see a cancelled touch, and `view` alone continues to observe
  /// the touch with `observeTouch`.
  public func claim(_ touch: Touch, by view: View) {
    let previous = touch.view
    let phase = touch.phase
    let others = touch.observers
    cancel(touch.delay)
    touch.view = nil
    touch.observers = [view]
    touch.phase = .cancelled
    for observer in others where observer !== view { observer.observeTouch(touch) }
    if touch.isDelivered, previous !== view { previous?.touchCancelled(touch) }
    touch.phase = phase
  }

  /// Called for a view that leaves the window. The view loses the focus and its touches.
  func cancelInteraction(of view: View) {
    if focusedView === view { focus(nil) }
    cancelTouches { $0 === view }
  }

  /// Called for a view that is no longer visible or enabled. The view and all descendants lose the focus and their
  /// touches.
  func cancelInteraction(below view: View) {
    if focusedView?.isDescendant(of: view) == true { focus(nil) }
    cancelTouches { $0.isDescendant(of: view) }
  }

  /// Cancels the touches of the matching views. Views that received the beginning of a touch receive `touchCancelled`,
  /// observers see a cancelled touch.
  private func cancelTouches(where isAffected: (View) -> Bool) {
    for touch in Array(touches.values) + endingTouches {
      endObserving(touch, where: isAffected)
      guard let view = touch.view, isAffected(view) else { continue }
      cancel(touch.delay)
      endingTouches.removeAll { $0 === touch }
      touch.phase = .cancelled
      touch.view = nil
      if touch.isDelivered { view.touchCancelled(touch) }
    }
  }

  private func endObserving(_ touch: Touch, where isAffected: (View) -> Bool) {
    let observers = touch.observers.filter(isAffected)
    guard !observers.isEmpty else { return }
    touch.observers.removeAll(where: isAffected)
    let phase = touch.phase
    touch.phase = .cancelled
    for observer in observers { observer.observeTouch(touch) }
    touch.phase = phase
  }
}

/// The frame observer that wakes the window at the end of a touch's delay.
final class TouchDelay: FrameObserver {
  /// Weak, because the touch retains this object. The window retains the touch.
  private(set) weak var touch: Touch?
  private weak var window: Window?

  init(touch: Touch, window: Window) {
    self.touch = touch
    self.window = window
  }

  func frame(at now: Double) -> NextFrame {
    if let touch { window?.deliverDelayedEvent(of: touch) }
    return .never
  }
}
