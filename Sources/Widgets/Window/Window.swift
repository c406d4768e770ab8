public import VitrineGraphics

/// The top of a view tree: hands out touches and keys, keeps what is dirty, and knows what time it is.
///
/// A window reads no clock and draws nothing itself. Its host sets `now` whenever it wakes up, feeds events,
/// calls `update(at:)` for each frame, draws `drawList(for:)` for each rectangle of `takeDirtyRects()`, and
/// sleeps until `nextDeadline`. An off-screen host in a test does the same with a clock of its own.
public final class Window: View {
  /// Pixels to a point. A change measures texts and lays views out anew, and asks for larger pictures where they
  /// have become much too small; on a screen, the window's size in points follows. What is not a positive number
  /// is ignored.
  public var scale: Double {
    didSet {
      guard scale != oldValue else { return }
      guard Self.isScale(scale) else {
        scale = oldValue
        return
      }
      hostScale?(scale)
      scaleDidChange()
    }
  }
  /// Time of the frame or event being handled, in seconds since the host began. The host sets it.
  public var now = 0.0
  /// Seconds from one frame to the next while something moves. The host sets it to what the screen does.
  public var frameInterval = 1.0 / 60
  /// The time from which frames are counted, so that their times do not depend on earlier requests; nil counts each
  /// frame from the previous one.
  package var frameOrigin: Double?
  /// The host's current time; nil without a host. Between two frames this is later than `now`.
  package var hostTime: (() -> Double)?
  /// Seconds that the host worked on its last frame; 0 where it does not say, as under a manual clock. What repeats for
  /// ever makes longer pauses where frames are slow.
  package var frameWork = 0.0
  /// Measures text as the renderer draws it.
  public var textMeasuring: any TextMeasuring
  /// A view that always fills the window; nil by default. Subviews may be added beside it.
  public var rootView: View? {
    didSet {
      guard rootView !== oldValue else { return }
      oldValue?.removeFromSuperview()
      if let rootView {
        rootView.frame = bounds
        insertSubview(rootView, at: 0)
      }
    }
  }
  /// Who gets keys first; nil sends them to the window.
  public private(set) weak var focusedView: View?
  /// Asked for keys that no view has taken; true if it was of use.
  public var unhandledKey: ((Key, KeyModifiers) -> Bool)?
  /// Asked last: the host's own keys, as Escape.
  package var hostKey: ((Key, KeyModifiers) -> Bool)?
  /// Hears of a new scale first: texts have to be measured by it.
  package var hostScale: ((Double) -> Void)?

  /// Whether everything says how it came about: slots colour their pictures by source and write size and time over
  /// them, and the host counts frames in a corner. For developers; false by default.
  public var showsDiagnostics = false { didSet { if showsDiagnostics != oldValue { setNeedsDisplay() } } }

  private var dirty = DirtyRegion()
  private var frames = FrameRequests()
  /// Fingers that are down.
  var touches: [Int64: Touch] = [:]
  /// Fingers that are up, whose end the view is yet to hear of.
  var endingTouches: [Touch] = []
  /// The taps before, for telling double ones.
  var taps = TapCounter()
  private var isLayoutRequested = true

  /// A black window of a size in points, as a host makes it; one pixel to a point unless said otherwise.
  public init(
    size: Size, scale: Double = 1, textMeasuring: any TextMeasuring = MonospaceMeasuring()
  ) {
    self.scale = Self.isScale(scale) ? scale : 1
    self.textMeasuring = textMeasuring
    super.init(frame: Rect(origin: .zero, size: size))
    window = self
    backgroundColor = .black
    setNeedsDisplay()
  }

  /// Whether a point can have so many pixels.
  package nonisolated static func isScale(_ scale: Double) -> Bool { scale > 0 && scale.isFinite }

  /// Lets `rootView` fill the window.
  public override func layoutSubviews() { rootView?.frame = bounds }

  // MARK: Frames

  /// Asks for calls of `observer.frame(at:)` from a time on; a second request replaces the first.
  ///
  /// - Parameters:
  ///   - observer: what is called; held until it is served or cancelled.
  ///   - time: in seconds of the window; one that has passed means the next frame.
  ///   - keepsBusy: whether the window counts as busy until the observer is done. False for what may go on
  ///     for ever, as a spinner.
  public func requestFrames(for observer: any FrameObserver, at time: Double, keepsBusy: Bool = true) {
    frames.insert(observer, at: time, keepsBusy: keepsBusy)
  }

  /// Ends the calls; does nothing where there were none.
  public func cancelFrames(for observer: any FrameObserver) { frames.remove(observer) }

  /// Calls the frame observers that are due at `now` and performs the layout, so that the tree is ready to be drawn.
  ///
  /// An observer that is first requested during the update, by another observer or by a layout, is called in the same
  /// frame: a fade that begins at `now` begins at `now` regardless of when the next frame comes. Each observer is
  /// called once.
  public func update(at now: Double) {
    self.now = now
    // Retains the observers, so that a new observer cannot have the identity of a released one.
    var served: [ObjectIdentifier: any FrameObserver] = [:]
    for _ in 0..<Self.roundsOfAnUpdate {
      callObservers(dueAt: now, served: &served)
      guard isLayoutRequested else { break }
      // A layout may request another layout. Three rounds are enough for reasonable view trees.
      for _ in 0..<3 where isLayoutRequested {
        isLayoutRequested = false
        layoutIfNeeded()
      }
    }
  }

  private static let roundsOfAnUpdate = 3

  private func callObservers(dueAt now: Double, served: inout [ObjectIdentifier: any FrameObserver]) {
    for _ in 0..<Self.roundsOfAnUpdate {
      let count = frames.requestCount
      for observer in frames.due(at: now) where served[ObjectIdentifier(observer)] == nil {
        // An earlier observer may have cancelled this one.
        guard let request = frames.remove(observer) else { continue }
        served[ObjectIdentifier(observer)] = observer
        switch observer.frame(at: now) {
        case .soon:
          frames.insert(observer, at: frameTime(after: now), orAfter: now, keepsBusy: request.keepsBusy)
        case .at(let time): frames.insert(observer, at: time, keepsBusy: request.keepsBusy)
        case .never: break
        }
      }
      // Without new requests, no other observer can be due.
      guard frames.requestCount != count else { return }
    }
  }

  /// Returns the time of the next frame while something moves: one interval after `now`, or at the next multiple of the
  /// interval since `frameOrigin`.
  package func frameTime(after now: Double) -> Double {
    guard let frameOrigin, frameInterval > 0 else { return now + frameInterval }
    // The tolerance corrects rounding errors in the quotient of a multiple.
    let frame = ((now - frameOrigin) / frameInterval + 1e-6).rounded(.down) + 1
    return frameOrigin + frame * frameInterval
  }

  /// When the next `update(at:)` is wanted: now or earlier if there is something to draw; nil if the window
  /// can sleep until an event.
  public var nextDeadline: Double? {
    if !dirty.isEmpty || isLayoutRequested { return now }
    return frames.nextDeadline
  }

  /// Whether there is something to draw.
  public var isDirty: Bool { !dirty.isEmpty }

  /// The rectangles that have changed since the last call, in window points.
  public func takeDirtyRects() -> [Rect] { dirty.take(within: Rect(origin: .zero, size: frame.size)) }

  /// What a part of the window looks like now.
  public func drawList(for rect: Rect) -> DrawList {
    var list = DrawList(visibleRect: rect)
    render(into: &list)
    return list
  }

  /// Whether no view that can be seen waits for a picture. Walks the tree.
  public var isLoaded: Bool { !hasPendingSlots(below: self, visible: bounds) }

  /// Whether no view of the tree waits for a picture, those that cannot be seen included. Walks the tree.
  package var isLoadedThroughout: Bool {
    func waits(_ view: View) -> Bool { view.pendingSlots > 0 || view.subviews.contains(where: waits) }
    return !waits(self)
  }

  /// Whether it is loaded, and nothing is dirty, fading or scrolling.
  public var isIdle: Bool { dirty.isEmpty && !isLayoutRequested && !frames.isBusy && isLoaded }

  private func hasPendingSlots(below view: View, visible: Rect) -> Bool {
    guard !view.isHidden, view.alpha >= 0.01 else { return false }
    let frame = view.frameInWindow
    let seen = frame.intersection(visible)
    if view.pendingSlots > 0, !seen.isEmpty { return true }
    let inner = view.clipsToBounds ? seen : visible
    if inner.isEmpty { return false }
    return view.subviews.contains { hasPendingSlots(below: $0, visible: inner) }
  }

  func invalidateWindow(_ rect: Rect) { dirty.insert(rect.intersection(bounds).roundedOut) }
  func layoutRequested() { isLayoutRequested = true }

  /// `window`.
  public override var accessibilityRole: AccessibilityRole {
    get { role(.window) }
    set { super.accessibilityRole = newValue }
  }

  // MARK: Input

  /// Hands an event to the views. `now` is its time.
  public func handle(_ event: InputEvent) {
    switch event {
    case .touch(let id, let phase, let location): handleTouch(id: id, phase: phase, location: location)
    case .wheel(let location, let deltaX, let deltaY):
      var view = hitTest(location)
      while let current = view {
        if current.wheel(at: current.convertFromWindow(location), deltaX: deltaX, deltaY: deltaY) { return }
        view = current.superview
      }
    case .keyDown(let key, let modifiers):
      handleKeyDown(key, modifiers)
    case .keyUp(let key, let modifiers): _ = offer(key, modifiers, { $0.keyUp($1, modifiers: $2) })
    }
  }

  private func handleKeyDown(_ key: Key, _ modifiers: KeyModifiers) {
    if modifiers.isEmpty, focusedView != nil, let direction = FocusDirection(key) {
      if handleArrow(key, direction) { return }
    } else if offer(key, modifiers, { $0.keyDown($1, modifiers: $2) }) {
      return
    }
    if key == .tab { return moveFocus(forward: !modifiers.contains(.shift)) }
    let taker = unclaimedKeyTaker(below: self)
    if taker?.keyDown(key, modifiers: modifiers) == true { return }
    // Where no arrow scrolls, or Enter meets nothing to press, it is the focus that is asked for.
    let asksForFocus = key == .enter || FocusDirection(key) != nil && taker == nil
    if unhandledKey?(key, modifiers) == true { return }
    if modifiers.isEmpty, asksForFocus, beginFocus() { return }
    _ = hostKey?(key, modifiers)
  }

  /// The frontmost view that wants keys which nobody with the focus has taken.
  private func unclaimedKeyTaker(below view: View) -> View? {
    guard !view.isHidden, view.alpha >= 0.01 else { return nil }
    if view.takesUnclaimedKeys { return view }
    for child in view.subviews.reversed() {
      if let taker = unclaimedKeyTaker(below: child) { return taker }
    }
    return nil
  }

  private func offer(
    _ key: Key, _ modifiers: KeyModifiers, _ handler: (View, Key, KeyModifiers) -> Bool
  ) -> Bool {
    var view: View? = focusedView ?? self
    while let current = view {
      if handler(current, key, modifiers) { return true }
      view = current.superview
    }
    return false
  }

  // MARK: Focus

  /// Gives a view the focus, or nobody.
  public func focus(_ view: View?) {
    guard focusedView !== view else { return }
    let previous = focusedView
    focusedView = view
    previous?.focusDidChange()
    view?.focusDidChange()
  }
}
