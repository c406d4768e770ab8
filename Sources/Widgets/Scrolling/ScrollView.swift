public import VitrineGraphics

/// A window onto content that is larger than itself, moved by finger, mouse wheel, keys or program.
///
/// A finger takes the content along once it has moved `dragSlop` points; thrown, the content slows down as on
/// iOS and springs back from beyond its ends. Subviews lie in the content's coordinates. Offsets are whole
/// pixels, so that content stays sharp.
open class ScrollView: View {
  /// How far a finger moves before it scrolls, in points.
  public nonisolated static let dragSlop = 10.0
  /// How far a step of a mouse wheel or an arrow key goes, in points.
  public nonisolated static let step = 80.0

  /// Size of the content, in points. An axis that fits into the view does not scroll.
  public var contentSize: Size = .zero { didSet { if contentSize != oldValue { contentDidChange() } } }
  /// Room around the content that scrolls with it.
  public var contentInsets: Insets = .zero {
    didSet { if contentInsets != oldValue { contentDidChange() } }
  }
  /// Whether a finger can pull the content past its ends. True by default.
  public var bounces = true
  /// Whether bars show where the content is while it scrolls. True by default.
  public var showsIndicators = true { didSet { if showsIndicators != oldValue { setNeedsDisplay() } } }
  /// Of the bars.
  public var indicatorColor: Color {
    get { indicator.color }
    set { indicator.color = newValue }
  }
  /// Lets a finger that pulls the content past its upper end ask for new content. It pulls also where there is nothing
  /// to scroll. Nil by default.
  public var refreshControl: RefreshControl? {
    didSet {
      guard refreshControl !== oldValue else { return }
      oldValue?.leave()
      refreshControl?.enter(self)
    }
  }
  /// Room for the refresh control while it refreshes, above `contentInsets`.
  var refreshInset: Double = 0 {
    didSet { if refreshInset != oldValue { refreshInsetDidChange(from: oldValue) } }
  }
  /// Called whenever the offset has changed, by whatever cause.
  public var onScroll: ((ScrollView) -> Void)?

  /// The point of the content that is shown at the top left. Setting it ends a scroll under way and goes
  /// there at once, within the ends.
  public var contentOffset: Point {
    get { boundsOrigin }
    set { setContentOffset(newValue, animated: false) }
  }

  /// Whether a finger moves the content.
  public private(set) var isDragging = false
  /// Whether the content moves, by a finger or by itself.
  public var isScrolling: Bool { isDragging || horizontalMotion != nil || verticalMotion != nil }

  var horizontalMotion: ScrollMotion?
  var verticalMotion: ScrollMotion?
  private var trackedTouch: Touch?
  private var velocity = VelocityTracker()
  /// What the finger holds, and where it was when it began to.
  private var grip = (offset: Point.zero, location: Point.zero)
  private lazy var indicator = ScrollIndicator(scrollView: self)

  /// An empty view that cuts its subviews off; nothing scrolls until `contentSize` is set.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    clipsToBounds = true
  }

  // MARK: Offset

  /// The offsets between which the content scrolls sideways.
  public var horizontalRange: ClosedRange<Double> {
    Self.range(
      content: contentSize.width, view: frame.width, before: contentInsets.left,
      after: contentInsets.right)
  }
  /// The offsets between which it scrolls up and down.
  public var verticalRange: ClosedRange<Double> {
    Self.range(
      content: contentSize.height, view: frame.height, before: contentInsets.top + refreshInset,
      after: contentInsets.bottom)
  }

  private static func range(
    content: Double, view: Double, before: Double, after: Double
  ) -> ClosedRange<Double> {
    // Where a measure is not finite there is nothing to scroll.
    let (start, end) = (-before, content + after - view)
    guard start.isFinite else { return 0...0 }
    return start...(end.isFinite ? max(start, end) : start)
  }

  /// Goes to an offset, within the ends, at once or in 0.3 s. A scroll under way ends; so does a drag.
  public func setContentOffset(_ offset: Point, animated: Bool) {
    endTracking()
    glide(to: offset, duration: animated && window != nil ? 0.3 : 0, curve: .easeInOut)
  }

  /// Scrolls as little as it takes to show a rectangle of the content; its beginning, if it is too large.
  public func scrollRectToVisible(_ rect: Rect, animated: Bool) {
    func offset(_ low: Double, _ high: Double, now: Double, length: Double) -> Double {
      if low < now || high - low > length { return low }
      return high > now + length ? high - length : now
    }
    let target = Point(
      x: offset(rect.minX, rect.maxX, now: bounds.minX, length: bounds.width),
      y: offset(rect.minY, rect.maxY, now: bounds.minY, length: bounds.height))
    if target != contentOffset { setContentOffset(target, animated: animated) }
  }

  /// Moves to a place within the ends; a duration of 0 is at once.
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
      // Begun anew by each repeat of a held key, it would never cover the last half of a pixel.
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
    let snapped = Point(
      x: (offset.x * scale).rounded() / scale, y: (offset.y * scale).rounded() / scale)
    guard snapped != boundsOrigin else { return }
    boundsOrigin = snapped
    refreshControl?.scrollViewDidScroll()
    didScroll()
    onScroll?(self)
  }

  /// Called when the offset has changed, before `onScroll`. Overriders call super.
  open func didScroll() {}

  private func contentDidChange() {
    setNeedsLayout()
    setNeedsDisplay()
    settle()
    refreshControl?.scrollViewDidScroll()
  }

  /// The room for the refresh control comes and goes with the content gliding; a finger keeps what it holds.
  private func refreshInsetDidChange(from old: Double) {
    setNeedsDisplay()
    if isDragging, let touch = trackedTouch {
      takeGrip(at: touch.location)
    } else if refreshInset < old, bounds.minY < verticalRange.lowerBound {
      guard let window else { return settle() }
      verticalMotion = .release(at: bounds.minY, velocity: 0, range: verticalRange, now: window.now)
      startMoving()
    } else if refreshInset > old, bounds.minY <= verticalRange.lowerBound + refreshInset {
      // Content that is at its upper end, or is on its way back to it, makes room.
      glide(
        to: Point(x: bounds.minX, y: verticalRange.lowerBound), duration: window == nil ? 0 : 0.25,
        curve: .easeOut)
    }
  }

  open override func boundsDidChange() {
    super.boundsDidChange()
    settle()
    refreshControl?.scrollViewDidScroll()
  }

  /// Brings an offset back that has come to lie beyond an end; one that moves finds its way by itself, across or down.
  private func settle() {
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

  private func finishIfAtRest() {
    if !isScrolling { indicator.hide() }
  }

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
  var scrollsVertically: Bool { verticalRange.lowerBound < verticalRange.upperBound }
  /// Whether a finger can pull content past its upper end that does not scroll.
  private var pullsToRefresh: Bool { bounces && refreshControl?.isEnabled == true }

  open override func observeTouch(_ touch: Touch) {
    guard trackedTouch == nil || trackedTouch === touch else {
      // A second finger on content that moves means nothing.
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

  /// Content that moves stops under the finger, and what lies there is not meant.
  private func touchDown(_ touch: Touch) {
    trackedTouch = touch
    velocity = VelocityTracker()
    velocity.add(touch.location, at: touch.time)
    let speeds = [horizontalMotion, verticalMotion].map { abs($0?.catchableVelocity(at: touch.time) ?? 0) }
    horizontalMotion = nil
    verticalMotion = nil
    let isBeyond = !verticalRange.contains(bounds.minY) || !horizontalRange.contains(bounds.minX)
    if isBeyond || speeds.contains(where: { $0 > 30 }) {
      beginDrag(touch)
    } else {
      finishIfAtRest()
    }
  }

  private func isDrag(_ touch: Touch) -> Bool {
    let way = touch.location - touch.startLocation
    let isFar =
      (scrollsHorizontally && abs(way.x) >= Self.dragSlop)
      || ((scrollsVertically || (pullsToRefresh && way.y > 0)) && abs(way.y) >= Self.dragSlop)
    guard isFar, touch.isDelivered else { return isFar }
    var view = touch.view
    while let current = view, current !== self {
      if !current.yieldsTouchesToScrolling { return false }
      view = current.superview
    }
    return true
  }

  private func beginDrag(_ touch: Touch) {
    isDragging = true
    takeGrip(at: touch.location)
    window?.claim(touch, by: self)
  }

  private func takeGrip(at location: Point) {
    // From beyond an end the pull goes on where the finger would have had to be.
    grip.offset = Point(
      x: RubberBand.pulled(to: bounds.minX, range: horizontalRange, length: bounds.width),
      y: RubberBand.pulled(to: bounds.minY, range: verticalRange, length: bounds.height))
    grip.location = location
  }

  private func drag(to location: Point) {
    let held = grip.offset - (location - grip.location)
    func offset(_ held: Double, range: ClosedRange<Double>, length: Double, pulls: Bool = false) -> Double {
      let canPull = bounces && (range.lowerBound < range.upperBound || (pulls && held < range.lowerBound))
      return canPull
        ? RubberBand.shown(for: held, range: range, length: length) : held.clamped(to: range)
    }
    indicator.show()
    move(
      to: Point(
        x: offset(held.x, range: horizontalRange, length: bounds.width),
        y: offset(held.y, range: verticalRange, length: bounds.height, pulls: pullsToRefresh)))
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

  /// Lets a finger go that the content follows; what it does from here on means nothing.
  private func endTracking() {
    trackedTouch = nil
    if isDragging { refreshControl?.pullDidEnd() }
    isDragging = false
  }

  open override func didMoveToWindow() {
    super.didMoveToWindow()
    endTracking()
    horizontalMotion = nil
    verticalMotion = nil
    indicator.hideAtOnce()
    settle()
  }

  // MARK: Wheel, keys, drawing

  open override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    guard (scrollsVertically && deltaY != 0) || (scrollsHorizontally && deltaX != 0) else { return false }
    // While a finger holds the content, a wheel does not move it.
    if !isDragging { glide(by: Point(x: -deltaX * Self.step, y: -deltaY * Self.step), duration: 0.12) }
    return true
  }

  /// Adds a way to where the content is going.
  func glide(by way: Point, duration: Double) {
    let goal = Point(
      x: horizontalMotion?.destination ?? bounds.minX, y: verticalMotion?.destination ?? bounds.minY)
    glide(to: goal + way, duration: duration, curve: .easeOut)
  }

  /// True: keys that nobody else wants scroll.
  open override var takesUnclaimedKeys: Bool { scrollsVertically || scrollsHorizontally }

  /// Arrows, page keys, Home, End and Space scroll. An arrow for which there is no way left is passed on.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard let way = ScrollKey.way(of: key, modifiers: modifiers, page: bounds.height * 0.9),
      way.x != 0 ? scrollsHorizontally : scrollsVertically
    else { return false }
    if FocusDirection(key) != nil, !canScroll(by: way) { return false }
    if !isDragging { glide(by: way, duration: 0.2) }
    return true
  }

  /// Whether some of a way is left, once it has come to where it is going.
  func canScroll(by way: Point) -> Bool {
    let goal = Point(
      x: horizontalMotion?.destination ?? bounds.minX, y: verticalMotion?.destination ?? bounds.minY)
    return way.x != 0 && (goal.x + way.x).clamped(to: horizontalRange) != goal.x
      || way.y != 0 && (goal.y + way.y).clamped(to: verticalRange) != goal.y
  }

  /// `scrollArea`.
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
  /// Moves the content to where it is at `now`.
  public func frame(at now: Double) -> NextFrame {
    let x = step(&horizontalMotion, from: bounds.minX, range: horizontalRange, now: now)
    let y = step(&verticalMotion, from: bounds.minY, range: verticalRange, now: now)
    indicator.show()
    move(to: Point(x: x, y: y))
    // A finger that holds the content moves it by itself.
    if horizontalMotion != nil || verticalMotion != nil { return .soon }
    finishIfAtRest()
    return .never
  }
}
