package import VitrineGraphics

/// The root of a view tree. A window delivers touches and keys, collects the dirty region and provides the time.
///
/// An application finds its window in `Application.window`, a test in `TestWindow.window` or `TestScreen.window`.
///
/// A window reads no clock and draws nothing itself. Its host sets `now` when it wakes up, passes events, updates and
/// draws the window for each frame, and sleeps until the next deadline. An off-screen host in a test does the same with
/// its own clock.
public final class Window: View {
  /// Pixels per point. A change measures and lays out all views again and reloads images that have become much too
  /// small. On a screen, the window's size in points changes accordingly. Values that are not positive and finite are
  /// ignored.
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
  /// The time of the current frame or event, in seconds since the host started. Set by the host.
  public package(set) var now = 0.0
  /// The interval between frames while the window animates, in seconds; 1/60 by default. The host sets it to the
  /// interval of the screen. For views that limit their own rate.
  public package(set) var frameInterval = 1.0 / 60
  /// The time from which frames are counted, so that frame times do not depend on earlier requests. If `nil`, each
  /// frame is counted from the previous one.
  package var frameOrigin: Double?
  /// Returns the host's current time, which is later than `now` between two frames; `nil` without a host.
  package var hostTime: (() -> Double)?
  /// Makes the texture of an image that a later frame draws, so that the later frame is in time. The command is in the
  /// coordinates of the window. `nil` without a host.
  package var prepareImage: ((DrawList.ImageCommand) -> Void)?
  /// True if a host draws the window in real time. An image that arrives before its slot was drawn then appears without
  /// a transition. If a program advances the time, that would depend on the speed of loading, so only an image whose
  /// decoded pixels are on disk appears in this way.
  package var isInRealTime = false
  /// False while the host knows that the window cannot be seen, because it is hidden or minimized. Its views do not count
  /// as being on the screen then, and their animations stop. Set by the host.
  package var isVisible = true { didSet { if !isVisible { suspendAnimations() } } }
  /// True if a slot on the screen has begun to load an image since the last `takeNewLoads()`.
  var hasNewLoads = false
  /// The time that the host spent on its last frame, in seconds; 0 if the host does not measure it, as with a manual
  /// clock. Endless animations pause longer between frames if frames are slow.
  package var frameWorkDuration = 0.0
  /// Measures text as the renderer draws it, for views that draw text themselves. Set by the host.
  public package(set) var textMeasuring: any TextMeasuring
  /// A view that always fills the window, behind all other subviews; `nil` by default.
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
  /// The view that receives keys first; `nil` sends keys to the window.
  public private(set) weak var focusedView: View?
  /// Called for keys that no view handled. Returns true if the key was handled.
  public var unhandledKey: ((Key, KeyModifiers) -> Bool)?
  /// Called last, for the host's own keys such as Escape.
  package var hostKey: ((Key, KeyModifiers) -> Bool)?
  /// Called when `scale` changes, before the views are laid out again, so that the host measures text at the new scale.
  package var hostScale: ((Double) -> Void)?

  /// True if diagnostics are drawn: image slots tint their images by source and overlay size and load time, and the
  /// host shows a frame counter in a corner, with the decoded and the dropped frames of animations. For developers; false
  /// by default.
  public var showsDiagnostics = false { didSet { if showsDiagnostics != oldValue { setNeedsDisplay() } } }

  private var dirty = DirtyRegion()
  private var frames = FrameRequests()
  /// The number of commands of the last list, for which the next one has room.
  private var commandCount = 0
  /// Drives the animations of all views.
  lazy var animationDriver = AnimationDriver(window: self)
  /// The touches that are down, by id.
  var touches: [Int64: Touch] = [:]
  /// The touches that are up but whose end is delayed.
  var endingTouches: [Touch] = []
  /// Counts consecutive taps.
  var taps = TapCounter()
  private var isLayoutRequested = true

  /// Creates a black window with a size in points; by default with one pixel per point. A host calls this.
  package init(size: Size, scale: Double = 1, textMeasuring: any TextMeasuring = MonospaceMeasuring()) {
    self.scale = Self.isScale(scale) ? scale : 1
    self.textMeasuring = textMeasuring
    super.init(frame: Rect(origin: .zero, size: size))
    window = self
    backgroundColor = .black
    setNeedsDisplay()
  }

  /// True if `scale` is positive and finite.
  package nonisolated static func isScale(_ scale: Double) -> Bool { scale > 0 && scale.isFinite }

  /// Sizes `rootView`, and views over the whole window, to fill the window.
  public override func layoutSubviews() {
    rootView?.frame = bounds
    for case let hero as HeroView in subviews { hero.frame = bounds }
  }

  // MARK: Frames

  /// Requests a call of `observer.frame(at:)` at or after a time. A second request by an observer replaces the first.
  ///
  /// - Parameters:
  ///   - observer: The observer, retained until it is called or cancelled.
  ///   - time: The time in seconds, as in `now`. A time in the past requests the next frame.
  ///   - keepsBusy: True if the window counts as busy until the observer is done. False for endless animations such as
  ///     a spinner.
  public func requestFrames(for observer: any FrameObserver, at time: Double, keepsBusy: Bool = true) {
    frames.insert(observer, at: time, keepsBusy: keepsBusy)
  }

  /// Removes the observer's request, if there is one.
  public func cancelFrames(for observer: any FrameObserver) { frames.remove(observer) }

  /// Calls the frame observers that are due at `now`, performs the layout, and stops animations that have left the screen,
  /// so that the tree is ready to be drawn.
  ///
  /// An observer that is first requested during the update, by another observer or by a layout, is called in the same
  /// frame: a fade that begins at `now` begins at `now` regardless of when the next frame comes. Each observer is
  /// called once.
  package func update(at now: Double) {
    self.now = now
    // Retains the observers, so that a new observer cannot have the identity of a released one.
    var served: [ObjectIdentifier: any FrameObserver] = [:]
    for _ in 0..<Self.maximumUpdateRounds {
      callObservers(dueAt: now, served: &served)
      guard isLayoutRequested else { break }
      // A layout may request another layout. Three rounds are enough for reasonable view trees.
      for _ in 0..<3 where isLayoutRequested {
        isLayoutRequested = false
        layoutIfNeeded()
      }
    }
    suspendPlayersOffScreen()
  }

  /// Stops the animations of views that have been scrolled or moved off the screen, so that no frame is decoded for them.
  /// O(requests · depth of the tree).
  private func suspendPlayersOffScreen() {
    for player in frames.observers(of: AnimationPlayer.self) where !player.isOnScreen {
      player.suspend(in: self)
    }
  }

  private static let maximumUpdateRounds = 3

  private func callObservers(dueAt now: Double, served: inout [ObjectIdentifier: any FrameObserver]) {
    for _ in 0..<Self.maximumUpdateRounds {
      let count = frames.requestCount
      let due = frames.dueObservers(at: now)
      served.reserveCapacity(served.count + due.count)
      for observer in due where served[ObjectIdentifier(observer)] == nil {
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

  /// Returns the time of the first frame at or after a time, so that views that change at nearly the same time share a
  /// frame.
  func frameTime(notBefore time: Double) -> Double {
    guard frameInterval > 0 else { return time }
    let origin = frameOrigin ?? 0
    return origin + ((time - origin) / frameInterval - 1e-6).rounded(.up) * frameInterval
  }

  /// The time of the next `update(at:)`: now or earlier if there is something to draw, `nil` if the window can sleep
  /// until an event. O(requests).
  package var nextDeadline: Double? {
    if !dirty.isEmpty || isLayoutRequested { return now }
    return frames.nextDeadline
  }

  /// True if there is something to draw.
  package var isDirty: Bool { !dirty.isEmpty }

  /// Returns the rectangles that changed since the last call, in window points.
  package func takeDirtyRects() -> [Rect] { dirty.takeRects(within: Rect(origin: .zero, size: frame.size)) }

  /// Returns the drawing commands of a part of the window.
  package func drawList(for rect: Rect) -> DrawList {
    var list = DrawList(visibleRect: rect, pixelScale: scale, capacity: commandCount)
    render(into: &list)
    commandCount = list.commands.count
    return list
  }

  /// True if the window is loaded and nothing is dirty, fading or scrolling, for programs that end, or take a
  /// screenshot, when the screen is at rest. Endless animations do not count. O(views).
  public var isIdle: Bool { dirty.isEmpty && !isLayoutRequested && !frames.isBusy && isLoaded }

  func invalidateWindow(_ rect: Rect) { dirty.insert(rect.intersection(bounds).roundedOut) }
  func layoutRequested() { isLayoutRequested = true }

  /// The role `.window`, unless another role was set.
  public override var accessibilityRole: AccessibilityRole {
    get { role(.window) }
    set { super.accessibilityRole = newValue }
  }

  // MARK: Input

  /// Delivers an event to the views. `now` is the time of the event.
  package func handle(_ event: InputEvent) {
    switch event {
    case .touch(let id, let phase, let location): handleTouch(id: id, phase: phase, location: location)
    case .wheel(let location, let deltaX, let deltaY, let modifiers):
      let isSideways = modifiers.contains(.shift) && deltaX == 0
      let delta = isSideways ? Point(x: deltaY, y: 0) : Point(x: deltaX, y: deltaY)
      var view = hitTest(location)
      while let current = view {
        let place = current.convertFromWindow(location)
        let isHandled =
          modifiers.contains(.control)
          ? current.zoomWheel(at: place, delta: deltaY)
          : current.wheel(at: place, deltaX: delta.x, deltaY: delta.y)
        if isHandled { return }
        view = current.superview
      }
    case .keyDown(let key, let modifiers): handleKeyDown(key, modifiers)
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
    let receiver = unclaimedKeyReceiver(below: self)
    if receiver?.keyDown(key, modifiers: modifiers) == true { return }
    // An arrow that no view scrolls with, or Enter without a focused control, sets the focus.
    let asksForFocus = key == .enter || FocusDirection(key) != nil && receiver == nil
    if unhandledKey?(key, modifiers) == true { return }
    if modifiers.isEmpty, asksForFocus, beginFocus() { return }
    _ = hostKey?(key, modifiers)
  }

  /// Returns the outermost, then frontmost view that accepts keys left over by the focused view and its superviews.
  func unclaimedKeyReceiver(below view: View) -> View? {
    guard view.isDrawn else { return nil }
    if view.takesUnclaimedKeys { return view }
    for child in view.subviews.reversed() {
      if let receiver = unclaimedKeyReceiver(below: child) { return receiver }
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

  /// Moves the focus to a view; `nil` removes the focus. Both views receive `focusDidChange()`.
  public func focus(_ view: View?) {
    guard focusedView !== view else { return }
    let previous = focusedView
    focusedView = view
    previous?.focusDidChange()
    view?.focusDidChange()
  }
}
