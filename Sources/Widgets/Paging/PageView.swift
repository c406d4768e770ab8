public import VitrineGraphics

/// Pages side by side, each as large as the view, of which a swipe shows the next one.
///
/// Pages follow a finger or the mouse once it has moved 10 points sideways. When it is lifted, the next page moves into
/// place after a flick or past the middle, never more than one page per swipe. A finger catches moving pages. Left, Right,
/// the page keys, Home and End turn pages, and so does a horizontal wheel. Only the pages near the current one have views.
///
/// ```swift
/// pages.dataSource = self
/// pages.onPageChange = { page in dots.currentPage = page }
///
/// func pageView(_ pageView: PageView, viewForPage page: Int) -> View {
///   let view = ImageView()
///   view.setImage(from: urls[page])
///   return view
/// }
/// ```
///
/// The subviews are the views of the pages. Other views, such as `PageDots`, belong beside the page view.
open class PageView: View {
  /// The number of pages beyond those with views that the data source prepares on each side.
  package static let preparationMargin = 1
  /// The distance from its place at which a moving page counts as in place for a finger that comes down, in points.
  private static let restDistance = 3.0

  /// The provider of the pages. Not retained. A change reloads the pages.
  public weak var dataSource: (any PageViewDataSource)? { didSet { reloadData() } }
  /// Called after `currentPage` has changed, from any cause: for a swipe when the finger is lifted.
  public var onPageChange: ((Int) -> Void)?
  /// The number of pages on each side of the current one that also have views, at least 0; 1 by default.
  public var neighborCount = 1 { didSet { if neighborCount != oldValue { setNeedsLayout() } } }
  /// The gap between two pages in points, at least 0; 0 by default. The gap is visible only while pages move.
  public var pageSpacing = 0.0 { didSet { if pageSpacing != oldValue { resizePages() } } }
  /// True if the first page follows the last one, and the last one precedes the first; false by default. A single page
  /// does not move in any case.
  public var loops: Bool {
    get { motion.geometry.loops }
    set {
      motion.setLoops(newValue)
      setNeedsLayout()
    }
  }
  /// The number of pages as of the last `reloadData()` or `apply(_:update:)`.
  public var numberOfPages: Int { motion.geometry.count }
  /// The current page; 0 without pages. While pages move by themselves, the page that they move to. A new value is shown
  /// at once; a page that does not exist is ignored.
  public var currentPage: Int {
    get { motion.page ?? 0 }
    set { setCurrentPage(newValue, animated: false) }
  }
  /// True while a finger or the mouse moves the pages.
  public var isDragging: Bool { motion.isDragging }
  /// True while pages move, by finger or by themselves.
  public var isMoving: Bool { motion.isDragging || motion.isSettling }

  private var motion = PageMotion()
  private lazy var pages = LivePages(of: self)
  private var isReloadNeeded = false
  private var reportedPage = 0
  private var trackedTouch: Touch?
  private var velocity = VelocityTracker()
  private var wheel = PageWheel()

  /// Creates a page view without pages, which clips all subviews.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    clipsToBounds = true
    resizePages()
  }

  // MARK: Pages

  /// Shows a page. An animated change moves from the visible page to the new one as to its neighbor, on the shorter way if
  /// the pages loop. Does nothing for a page that does not exist. Ends a drag.
  public func setCurrentPage(_ page: Int, animated: Bool) {
    reloadIfNeeded()
    guard (0..<numberOfPages).contains(page) else { return }
    trackedTouch = nil
    motion.show(page, animated: animated && window != nil, at: window?.now ?? 0)
    startMoving()
  }

  /// Returns the view of a page; `nil` if the page is not near the current one.
  public func view(forPage page: Int) -> View? { pages.view(forPage: page) }

  /// Requests all pages from the data source again before the next frame. The number of the current page stays, unless
  /// there are fewer pages.
  public func reloadData() {
    isReloadNeeded = true
    setNeedsLayout()
  }

  /// Shows other pages. Pages that the view has already keep their views, and the current page stays the current one,
  /// also during a drag. If it was removed, the page that followed it takes its place.
  ///
  /// A page view that waits for a reload takes its views from the data source before the next frame. So does one whose
  /// number of pages is not `changes.oldCount`.
  ///
  /// - Parameters:
  ///   - changes: The difference between the pages of the view and the new pages.
  ///   - update: Changes the data of the data source. Called once, within this call. Before that, the data source is told
  ///     about the views of removed pages, in their old numbers.
  public func apply(_ changes: ListChanges, update: () -> Void) {
    let isApplicable =
      changes.oldCount == numberOfPages && !isReloadNeeded && !pages.isUpdating && dataSource != nil
    if isApplicable { pages.apply(changes) } else if !pages.isUpdating { pages.removeAll() }
    if changes.oldCount == numberOfPages { motion.apply(changes) }
    update()
    guard isApplicable, dataSource?.numberOfPages(in: self) == numberOfPages else { return reloadData() }
    pagesDidMove()
  }

  private func reloadIfNeeded() {
    guard isReloadNeeded, !pages.isUpdating else { return }
    isReloadNeeded = false
    pages.removeAll()
    motion.setCount(dataSource?.numberOfPages(in: self) ?? 0)
  }

  /// Shows the page that contains a descendant.
  func showPage(containing view: View, animated: Bool) {
    guard let page = pages.page(containing: view), page != currentPage else { return }
    setCurrentPage(page, animated: animated)
  }

  // MARK: Layout

  /// Reloads, if requested, and lays out the pages. Overrides call super.
  open override func layoutSubviews() {
    super.layoutSubviews()
    reloadIfNeeded()
    pagesDidMove()
  }

  /// Keeps the visible page, also in the middle of a drag. Overrides call super.
  open override func boundsDidChange() {
    super.boundsDidChange()
    resizePages()
  }

  private func resizePages() {
    motion.resize(pageWidth: frame.width, spacing: pageSpacing.clamped(to: 0...1e6))
    setNeedsLayout()
  }

  /// Places the pages at the current position, and reports a new current page.
  private func pagesDidMove() {
    placePages()
    let page = currentPage
    guard page != reportedPage else { return }
    reportedPage = page
    leaveFocusOfOtherPages()
    onPageChange?(page)
  }

  private func placePages() {
    // The data source, which is being called, has moved to another page.
    guard !pages.isUpdating else { return setNeedsLayout() }
    guard !isReloadNeeded, !frame.size.isEmpty else { return }
    let neighbors = max(0, min(neighborCount, numberOfPages))
    let near = motion.placements(neighbors: neighbors + Self.preparationMargin).map(\.page)
    pages.update(motion.placements(neighbors: neighbors), near: near) { slot in
      Rect(origin: Point(x: offset(at: Double(slot)), y: 0), size: frame.size)
    }
    boundsOrigin = Point(x: offset(at: motion.position), y: 0)
    pages.updateVisiblePages()
  }

  /// Returns the horizontal offset of a position in points, in whole pixels, so that pages stay sharp.
  private func offset(at position: Double) -> Double {
    let scale = window?.scale ?? 1
    return (position * motion.geometry.pitch * scale).rounded() / scale
  }

  /// Removes the focus from a view that is not on the current page, so that keys do not act out of sight.
  private func leaveFocusOfOtherPages() {
    guard let focused = window?.focusedView, let page = pages.page(containing: focused), page != currentPage
    else { return }
    window?.focus(nil)
  }

  open override func didMoveToWindow() {
    super.didMoveToWindow()
    trackedTouch = nil
    motion.rest()
    setNeedsLayout()
  }

  private func startMoving() {
    if motion.isSettling, let window { window.requestFrames(for: self, at: window.now) }
    pagesDidMove()
  }

  // MARK: Drags

  open override var observesDescendantTouches: Bool { true }
  open override var delaysDescendantTouches: Bool { motion.geometry.canMove }

  open override func observeTouch(_ touch: Touch) {
    if touch.phase == .began { return touchDown(touch) }
    guard touch === trackedTouch else { return }
    switch touch.phase {
    case .began: break
    case .moved:
      velocity.add(touch.location, at: touch.time)
      if !isDragging { beginDragIfSideways(touch) }
      guard isDragging else { return }
      motion.drag(to: touch.location.x)
      pagesDidMove()
    case .ended:
      trackedTouch = nil
      velocity.add(touch.location, at: touch.time)
      motion.endDrag(velocity: velocity.velocity.x, at: touch.time)
      startMoving()
    case .cancelled:
      trackedTouch = nil
      motion.cancelDrag(at: touch.time)
      startMoving()
    }
  }

  /// Starts to track a touch. Moving pages stop under the finger, and the touch then does not press a subview.
  private func touchDown(_ touch: Touch) {
    guard motion.geometry.canMove else { return }
    guard trackedTouch == nil else {
      // A second finger on moving pages is ignored.
      if isDragging { window?.claim(touch, by: self) }
      return
    }
    trackedTouch = touch
    velocity = VelocityTracker()
    velocity.add(touch.location, at: touch.time)
    guard motion.isSettling else { return }
    motion.advance(to: touch.time)
    let distance = abs(motion.position - Double(motion.slot)) * motion.geometry.pitch
    if distance > Self.restDistance { beginDrag(touch) } else { motion.rest() }
    pagesDidMove()
  }

  /// Begins a drag once the finger has moved 10 points sideways. A finger that has moved up or down belongs to others.
  private func beginDragIfSideways(_ touch: Touch) {
    let movement = touch.location - touch.startLocation
    guard max(abs(movement.x), abs(movement.y)) >= ScrollView.dragSlop else { return }
    guard abs(movement.x) > abs(movement.y), touch.yields(to: self) else {
      trackedTouch = nil
      return
    }
    beginDrag(touch)
  }

  private func beginDrag(_ touch: Touch) {
    motion.beginDrag(at: touch.location.x)
    window?.cancelFrames(for: self)
    window?.claim(touch, by: self)
  }

  // MARK: Wheel and keys

  open override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    guard motion.geometry.canMove, abs(deltaX) > abs(deltaY) else { return false }
    let step = wheel.pages(for: deltaX, at: window?.now ?? 0)
    if step != 0 { turnPage(by: step) }
    return true
  }

  /// True if there are pages to turn: keys that no view handled then turn pages.
  open override var takesUnclaimedKeys: Bool { motion.geometry.canMove }

  /// Turns pages with Left, Right, the page keys, Home and End. Left and Right are passed on at an end. A view on the
  /// current page receives all keys first.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    if offerToCurrentPage(key, modifiers) { return true }
    guard modifiers.isEmpty, motion.geometry.canMove else { return false }
    switch key {
    case .left: return turnPage(by: -1)
    case .right: return turnPage(by: 1)
    case .pageUp: turnPage(by: -1)
    case .pageDown: turnPage(by: 1)
    case .home: if !isDragging { setCurrentPage(0, animated: true) }
    case .end: if !isDragging { setCurrentPage(numberOfPages - 1, animated: true) }
    default: return false
    }
    return true
  }

  /// Offers a key to the current page, for example to a list on that page, unless the focused view has received the key.
  private func offerToCurrentPage(_ key: Key, _ modifiers: KeyModifiers) -> Bool {
    guard let window, window.focusedView?.isDescendant(of: self) != true,
      let page = view(forPage: currentPage)
    else { return false }
    return window.unclaimedKeyReceiver(below: page)?.keyDown(key, modifiers: modifiers) ?? false
  }

  /// Moves to the next or previous page. Returns false at an end.
  @discardableResult
  private func turnPage(by step: Int) -> Bool {
    reloadIfNeeded()
    guard motion.turn(by: step, animated: window != nil, at: window?.now ?? 0) else { return false }
    startMoving()
    return true
  }

  // MARK: Accessibility

  /// The role `.pages`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.pages) }
    set { super.accessibilityRole = newValue }
  }
  /// The value that was set, or else the current page and the number of pages, for example `2 of 5`.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (numberOfPages > 0 ? "\(currentPage + 1) of \(numberOfPages)" : nil) }
    set { super.accessibilityValue = newValue }
  }
}

extension PageView: FrameObserver {
  /// Moves the pages to their place at the time `now`.
  public func frame(at now: Double) -> NextFrame {
    motion.advance(to: now)
    pagesDidMove()
    return motion.isSettling ? .soon : .never
  }
}
