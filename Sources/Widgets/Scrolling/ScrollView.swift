public import VitrineGraphics

/// A view that shows a part of larger content and scrolls by finger, mouse wheel, keys or code.
///
/// Content follows a finger once the finger has moved 10 points. A flick decelerates as on iOS, and content
/// pulled beyond its ends springs back. The frames of subviews are in content coordinates. Offsets are whole pixels, so
/// that content stays sharp.
open class ScrollView: View {
  /// The distance that a finger moves before scrolling starts, in points.
  package nonisolated static let dragSlop = 10.0
  /// The distance of a step of the mouse wheel or of an arrow key, in points.
  package nonisolated static let step = 80.0

  /// The size of the content in points; zero by default. Content does not scroll along an axis in which it fits the
  /// view.
  public var contentSize: Size = .zero { didSet { if contentSize != oldValue { contentDidChange() } } }
  /// Insets around the content that scroll with it, in points; none by default.
  public var contentInsets: Insets = .zero {
    didSet { if contentInsets != oldValue { contentDidChange() } }
  }
  /// True if a finger can pull the content beyond the ends; true by default.
  public var bounces = true
  /// True if scroll indicators are shown while the content scrolls; true by default.
  public var showsIndicators = true { didSet { if showsIndicators != oldValue { setNeedsDisplay() } } }
  /// The color of the scroll indicators; a translucent gray by default.
  public var indicatorColor: Color {
    get { indicator.color }
    set { indicator.color = newValue }
  }
  /// The control that lets the user request new content by pulling down the upper end; `nil` by default. The pull works
  /// also if the content does not scroll.
  public var refreshControl: RefreshControl? {
    didSet {
      guard refreshControl !== oldValue else { return }
      oldValue?.detach()
      refreshControl?.attach(to: self)
    }
  }
  /// The height reserved above `contentInsets` while the refresh control refreshes, in points.
  var refreshInset: Double = 0 {
    didSet { if refreshInset != oldValue { refreshInsetDidChange(from: oldValue) } }
  }
  /// Called after each change of the offset, from any cause.
  public var onScroll: ((ScrollView) -> Void)?

  /// The point of the content at the view's top left corner. A new offset is limited to the ends of the content,
  /// applied at once, and stops any scrolling.
  public var contentOffset: Point {
    get { boundsOrigin }
    set { setContentOffset(newValue, animated: false) }
  }

  /// True while a finger moves the content.
  public private(set) var isDragging = false
  /// True while the content moves, by finger or by itself.
  public var isScrolling: Bool { isDragging || horizontalMotion != nil || verticalMotion != nil }

  var horizontalMotion, verticalMotion: ScrollMotion?
  private var trackedTouch: Touch?
  private var velocity = VelocityTracker()
  /// The content offset held by the finger and the location of the finger when the drag began.
  private var dragStart = (offset: Point.zero, location: Point.zero)
  private lazy var indicator = ScrollIndicator(scrollView: self)
  private lazy var longPress = ScrollLongPress(in: self)
  /// False between `followContent` and `reportScroll()`.
  private var isReportingScroll = true
  /// True if the offset has changed without a report.
  private var hasScrolled = false

  /// Creates a scroll view that clips all subviews. Nothing scrolls until `contentSize` is set.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    clipsToBounds = true
  }

  // MARK: Offset

  /// The range of horizontal offsets, in points.
  public var horizontalRange: ClosedRange<Double> {
    Self.range(
      content: contentSize.width, view: frame.width, before: contentInsets.left, after: contentInsets.right)
  }
  /// The range of vertical offsets, in points.
  public var verticalRange: ClosedRange<Double> {
    Self.range(
      content: contentSize.height, view: frame.height, before: contentInsets.top + refreshInset,
      after: contentInsets.bottom)
  }

  private static func range(
    content: Double, view: Double, before: Double, after: Double
  ) -> ClosedRange<Double> {
    // A length that is not finite does not scroll.
    let (start, end) = (-before, content + after - view)
    guard start.isFinite else { return 0...0 }
    return start...(end.isFinite ? max(start, end) : start)
  }

  /// Scrolls to an offset, limited to the ends of the content, at once or within 0.3 s. Stops any scrolling and
  /// dragging.
  public func setContentOffset(_ offset: Point, animated: Bool) {
    stopTracking()
    glide(to: offset, duration: animated && window != nil ? 0.3 : 0, curve: .easeInOut)
  }

  /// Scrolls by the smallest distance that makes a rectangle of the content visible. Of a rectangle that is larger than
  /// the view, the beginning is shown.
  public func scrollRectToVisible(_ rect: Rect, animated: Bool) {
    func offset(_ low: Double, _ high: Double, current: Double, length: Double) -> Double {
      if low < current || high - low > length { return low }
      return high > current + length ? high - length : current
    }
    let target = Point(
      x: offset(rect.minX, rect.maxX, current: bounds.minX, length: bounds.width),
      y: offset(rect.minY, rect.maxY, current: bounds.minY, length: bounds.height))
    if target != contentOffset { setContentOffset(target, animated: animated) }
  }

  /// Moves to an offset, limited to the ends of the content, within `duration` seconds; 0 moves at once.
  func glide(to offset: Point, duration: Double, curve: TimingCurve) {
    let target = Point(x: offset.x.clamped(to: horizontalRange), y: offset.y.clamped(to: verticalRange))
    guard duration > 0, let window else {
      horizontalMotion = nil
      verticalMotion = nil
      move(to: target)
      finishIfAtRest()
      return
    }
    func motion(_ current: ScrollMotion?, from: Double, to: Double) -> ScrollMotion? {
      // If each repeat of a held key restarted the motion, the last half pixel would never be covered.
      if let current, current.destination == to { return current }
      return from == to
        ? nil
        : ScrollMotion(.glide(from: from, to: to, duration: duration, curve: curve), at: window.now)
    }
    horizontalMotion = motion(horizontalMotion, from: bounds.minX, to: target.x)
    verticalMotion = motion(verticalMotion, from: bounds.minY, to: target.y)
    startMoving()
  }

  private func move(to offset: Point) {
    let scale = window?.scale ?? 1
    let snapped = Point(x: (offset.x * scale).rounded() / scale, y: (offset.y * scale).rounded() / scale)
    guard snapped != boundsOrigin else { return }
    boundsOrigin = snapped
    if isReportingScroll { scrolled() } else { hasScrolled = true }
  }

  private func scrolled() {
    longPress.cancel()
    refreshControl?.scrollViewDidScroll()
    didScroll()
    onScroll?(self)
  }

  /// Sets the size of the content and moves the offset by a distance by which the content has moved, so that the same
  /// content stays visible as far as the ends of the content allow. A drag and a motion continue over the same content.
  ///
  /// `didScroll()` and `onScroll` are called by `reportScroll()`, when the data of the content have changed as well.
  final func followContent(by distance: Double, resizedTo size: Size) {
    isReportingScroll = false
    if distance != 0 {
      dragStart.offset.y += distance
      verticalMotion?.shift(by: distance)
      move(to: Point(x: bounds.minX, y: bounds.minY + distance))
    }
    contentSize = size
    clampOffset()
  }

  /// Reports that the offset has changed since `followContent`, if it has.
  final func reportScroll() {
    isReportingScroll = true
    guard hasScrolled else { return }
    hasScrolled = false
    scrolled()
  }

  /// Called after the offset has changed, before `onScroll`. Overrides call super.
  open func didScroll() {}

  private func contentDidChange() {
    setNeedsLayout()
    setNeedsDisplay()
    clampOffset()
    refreshControl?.scrollViewDidScroll()
  }

  /// Animates the content when the height for the refresh control changes. During a drag, the content stays under the
  /// finger.
  private func refreshInsetDidChange(from old: Double) {
    setNeedsDisplay()
    if isDragging, let touch = trackedTouch {
      setDragStart(at: touch.location)
    } else if refreshInset < old, bounds.minY < verticalRange.lowerBound {
      guard let window else { return clampOffset() }
      verticalMotion = .release(at: bounds.minY, velocity: 0, range: verticalRange, now: window.now)
      startMoving()
    } else if refreshInset > old, bounds.minY <= verticalRange.lowerBound + refreshInset {
      // Reveals the refresh control only if the content is at its upper end or on the way back there.
      glide(
        to: Point(x: bounds.minX, y: verticalRange.lowerBound), duration: window == nil ? 0 : 0.25,
        curve: .easeOut)
    }
  }

  open override func boundsDidChange() {
    super.boundsDidChange()
    clampOffset()
    refreshControl?.scrollViewDidScroll()
  }

  /// Moves an offset from beyond an end back to the end. An axis in motion is left alone, because the motion leads back
  /// by itself.
  private func clampOffset() {
    guard !isDragging else { return }
    var offset = boundsOrigin
    if horizontalMotion == nil { offset.x = offset.x.clamped(to: horizontalRange) }
    if verticalMotion == nil { offset.y = offset.y.clamped(to: verticalRange) }
    move(to: offset)
  }

  // MARK: Motion

  private func startMoving() {
    guard let window, horizontalMotion != nil || verticalMotion != nil else { return finishIfAtRest() }
    window.requestFrames(for: self, at: window.now)
  }

  private func finishIfAtRest() { if !isScrolling { indicator.hide() } }

  private func step(
    _ motion: inout ScrollMotion?, from offset: Double, range: ClosedRange<Double>, now: Double
  ) -> Double {
    guard let step = motion?.step(at: now, range: range, bounces: bounces) else { return offset }
    if step.isOver { motion = nil }
    return step.offset
  }

  // MARK: Drags

  open override var observesDescendantTouches: Bool { true }
  open override var delaysDescendantTouches: Bool {
    scrollsHorizontally || scrollsVertically || pullsToRefresh
  }

  var scrollsHorizontally: Bool { horizontalRange.lowerBound < horizontalRange.upperBound }
  package var scrollsVertically: Bool { verticalRange.lowerBound < verticalRange.upperBound }
  /// True if a finger can pull down content that does not scroll.
  private var pullsToRefresh: Bool { bounces && refreshControl?.isEnabled == true }

  /// Scrolls with the touch, and recognizes a long press. Overrides call super.
  open override func observeTouch(_ touch: Touch) {
    follow(touch)
    longPress.observe(touch)
  }

  private func follow(_ touch: Touch) {
    guard trackedTouch == nil || trackedTouch === touch else {
      // A second finger on moving content is ignored.
      if isDragging, touch.phase == .began { window?.claim(touch, by: self) }
      return
    }
    switch touch.phase {
    case .began: touchDown(touch)
    case .moved:
      guard trackedTouch != nil else { return }
      velocity.add(touch.location, at: touch.time)
      if !isDragging, isDrag(touch) { beginDrag(touch) }
      if isDragging { drag(to: touch.location) }
    case .ended:
      velocity.add(touch.location, at: touch.time)
      endDrag(velocity: velocity.velocity)
    case .cancelled: endDrag(velocity: .zero)
    }
  }

  /// Starts to track a touch. Moving content stops under the finger, and the touch then does not press a subview.
  private func touchDown(_ touch: Touch) {
    trackedTouch = touch
    velocity = VelocityTracker()
    velocity.add(touch.location, at: touch.time)
    let speeds = [horizontalMotion, verticalMotion].map { abs($0?.catchableVelocity(at: touch.time) ?? 0) }
    horizontalMotion = nil
    verticalMotion = nil
    let isBeyondEnd = !verticalRange.contains(bounds.minY) || !horizontalRange.contains(bounds.minX)
    if isBeyondEnd || speeds.contains(where: { $0 > 30 }) {
      beginDrag(touch)
    } else {
      finishIfAtRest()
    }
  }

  private func isDrag(_ touch: Touch) -> Bool {
    let movement = touch.location - touch.startLocation
    let exceedsSlop =
      (scrollsHorizontally && abs(movement.x) >= Self.dragSlop)
      || ((scrollsVertically || (pullsToRefresh && movement.y > 0)) && abs(movement.y) >= Self.dragSlop)
    return exceedsSlop && touch.yields(to: self)
  }

  private func beginDrag(_ touch: Touch) {
    isDragging = true
    setDragStart(at: touch.location)
    window?.claim(touch, by: self)
  }

  private func setDragStart(at location: Point) {
    // Beyond an end, the drag continues from the finger position that would have pulled the content this far.
    dragStart.offset = Point(
      x: RubberBand.pulled(to: bounds.minX, range: horizontalRange, length: bounds.width),
      y: RubberBand.pulled(to: bounds.minY, range: verticalRange, length: bounds.height))
    dragStart.location = location
  }

  private func drag(to location: Point) {
    let draggedOffset = dragStart.offset - (location - dragStart.location)
    func offset(_ offset: Double, range: ClosedRange<Double>, length: Double, pulls: Bool = false) -> Double {
      let canPull = bounces && (range.lowerBound < range.upperBound || (pulls && offset < range.lowerBound))
      return canPull
        ? RubberBand.shown(for: offset, range: range, length: length) : offset.clamped(to: range)
    }
    indicator.show()
    move(
      to: Point(
        x: offset(draggedOffset.x, range: horizontalRange, length: bounds.width),
        y: offset(draggedOffset.y, range: verticalRange, length: bounds.height, pulls: pullsToRefresh)))
    refreshControl?.scrollViewDidPull()
  }

  private func endDrag(velocity: Point) {
    trackedTouch = nil
    guard isDragging else { return }
    isDragging = false
    refreshControl?.pullDidEnd()
    let now = window?.now ?? 0
    horizontalMotion = .release(
      at: bounds.minX, velocity: scrollsHorizontally ? -velocity.x : 0, range: horizontalRange, now: now)
    verticalMotion = .release(
      at: bounds.minY, velocity: scrollsVertically ? -velocity.y : 0, range: verticalRange, now: now)
    startMoving()
  }

  /// Stops to follow the finger; its further movement is ignored.
  final func stopTracking() {
    trackedTouch = nil
    if isDragging { refreshControl?.pullDidEnd() }
    isDragging = false
  }

  // MARK: Long presses

  /// Returns the view that a touch would press for long; `nil`, the default, if a long press there has no meaning. Called
  /// when the touch begins.
  open func longPressTarget(of touch: Touch) -> View? { nil }

  /// Called when a finger or the mouse has rested for 0.5 s on the view from `longPressTarget(of:)`, while it is still
  /// down. The view has received `touchCancelled`, and the lift of the finger has no effect. By default does nothing.
  ///
  /// A movement of more than 10 points, a second finger and scrolling cancel the long press.
  open func didLongPress(_ view: View) {}

  /// Cancels the long press on a view that is about to show something else. Does nothing if the view is not pressed.
  public final func cancelLongPress(on view: View) { longPress.cancel(on: view) }

  /// Takes over the touch of a long press, so that its lift has no effect.
  func press(_ view: View, with touch: Touch) {
    stopTracking()
    window?.claim(touch, by: self)
    didLongPress(view)
  }

  open override func didMoveToWindow() {
    super.didMoveToWindow()
    stopTracking()
    horizontalMotion = nil
    verticalMotion = nil
    indicator.hideAtOnce()
    clampOffset()
  }

  // MARK: Wheel, keys, drawing

  open override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    guard (scrollsVertically && deltaY != 0) || (scrollsHorizontally && deltaX != 0) else { return false }
    // The wheel is ignored while a finger holds the content.
    if !isDragging { glide(by: Point(x: -deltaX * Self.step, y: -deltaY * Self.step), duration: 0.12) }
    return true
  }

  /// Adds a distance to the destination of the current motion.
  func glide(by distance: Point, duration: Double) {
    let goal = Point(
      x: horizontalMotion?.destination ?? bounds.minX, y: verticalMotion?.destination ?? bounds.minY)
    glide(to: goal + distance, duration: duration, curve: .easeOut)
  }

  /// True if the content can scroll: keys that no view handled then scroll.
  open override var takesUnclaimedKeys: Bool { scrollsVertically || scrollsHorizontally }

  /// Scrolls with the arrow keys, page keys, Home, End and Space. An arrow key is passed on if the content cannot
  /// scroll further.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard let distance = ScrollKey.distance(of: key, modifiers: modifiers, page: bounds.height * 0.9),
      distance.x != 0 ? scrollsHorizontally : scrollsVertically
    else { return false }
    if FocusDirection(key) != nil, !canScroll(by: distance) { return false }
    if !isDragging { glide(by: distance, duration: 0.2) }
    return true
  }

  /// True if the content can scroll further in a direction after the current motion has ended.
  func canScroll(by distance: Point) -> Bool {
    let goal = Point(
      x: horizontalMotion?.destination ?? bounds.minX, y: verticalMotion?.destination ?? bounds.minY)
    return distance.x != 0 && (goal.x + distance.x).clamped(to: horizontalRange) != goal.x
      || distance.y != 0 && (goal.y + distance.y).clamped(to: verticalRange) != goal.y
  }

  /// The role `.scrollArea`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.scrollArea) }
    set { super.accessibilityRole = newValue }
  }

  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    if showsIndicators { indicator.draw(into: &list) }
  }
}

extension ScrollView: FrameObserver {
  /// Moves the content to the offset at the time `now`.
  public func frame(at now: Double) -> NextFrame {
    let x = step(&horizontalMotion, from: bounds.minX, range: horizontalRange, now: now)
    let y = step(&verticalMotion, from: bounds.minY, range: verticalRange, now: now)
    indicator.show()
    move(to: Point(x: x, y: y))
    // A finger that holds the content moves it without frame requests.
    if horizontalMotion != nil || verticalMotion != nil { return .soon }
    finishIfAtRest()
    return .never
  }
}
