public import VitrineGraphics

/// A rectangle on the screen that can hold a picture and other views.
///
/// Views form a tree under a `Window`. A change that can be seen marks the area as dirty; the host draws it
/// with the next frame. Everything is on the main actor.
@MainActor
open class View {
  // The isolation holds for the module, and is said all the same: what others add to views in their own modules could
  // be called from any thread otherwise.

  /// Place and size in the coordinates of the superview, in points.
  public var frame: Rect {
    didSet {
      guard frame != oldValue else { return }
      if !isHidden, alpha >= 0.01 { superview?.setNeedsDisplay(covered(in: oldValue)) }
      setAllNeedsDisplay()
      if frame.size != oldValue.size {
        setNeedsLayout()
        boundsDidChange()
        attachment?.boundsDidChange(of: self)
      }
    }
  }

  /// The view's own rectangle, in its own coordinates. Its origin is where a scroll view has scrolled to.
  public var bounds: Rect { Rect(origin: boundsOrigin, size: frame.size) }

  /// Moves the subviews against the view: what lies at this point is shown at the top left.
  public var boundsOrigin: Point = .zero {
    didSet {
      guard boundsOrigin != oldValue else { return }
      setNeedsDisplay(covered)
      if !clipsToBounds { setNeedsDisplay(covered.offset(by: boundsOrigin - oldValue)) }
    }
  }

  /// What it was added to; nil at the top of a tree. Held weakly.
  public private(set) weak var superview: View?
  /// Back to front.
  public private(set) var subviews: [View] = []
  /// The window at the top of the tree, if there is one.
  public internal(set) weak var window: Window?

  /// Nil draws nothing.
  public var backgroundColor: Color? { didSet { if backgroundColor != oldValue { setNeedsDisplay() } } }
  /// Rounds the background and the picture; subviews are not cut off by it. In points.
  public var cornerRadius: Double = 0 {
    didSet { if cornerRadius != oldValue { shadow == nil ? setNeedsDisplay() : setAllNeedsDisplay() } }
  }
  /// Of the line along the inside of the edges, over the background and the picture and under the subviews, in points;
  /// at least a pixel wide. 0 by default, and less, draw nothing.
  public var borderWidth: Double = 0 { didSet { if borderWidth != oldValue { setNeedsDisplay() } } }
  /// Opaque black by default.
  public var borderColor = Color.black {
    didSet { if borderColor != oldValue, borderWidth > 0 { setNeedsDisplay() } }
  }
  /// Thrown by the bounds with their rounded corners, whatever the view draws, on what lies behind. It lies outside the
  /// bounds, where the view's own `clipsToBounds` does not cut it off, and shines through a background that is not
  /// opaque. Nil by default.
  public var shadow: Shadow? {
    didSet {
      guard shadow != oldValue else { return }
      if let oldValue { invalidate(oldValue.extent(of: bounds), isCutOff: false) }
      setAllNeedsDisplay()
    }
  }
  /// What templates are drawn in, and what a program wants to show in an accent colour; nil, as by default, takes that
  /// of the superview. `currentTintColor` is the one that holds.
  public var tintColor: Color? {
    didSet { if (tintColor ?? inheritedTintColor) != (oldValue ?? inheritedTintColor) { tintDidChange() } }
  }
  /// How pictures are drawn that do not say so themselves (`Image.renderingMode`): as they are by default, and with
  /// `alwaysTemplate` in the tint colour. Of a button it goes for the images, not for the background images. A picture
  /// from the network is shared with all who show it, so it is the view that says what it makes of it.
  public var renderingMode = Image.RenderingMode.automatic {
    didSet { if renderingMode != oldValue { setNeedsDisplay() } }
  }
  /// 0…1; multiplied down the tree (each command fades by itself, not the group as one). Below 0.01 nothing
  /// is drawn and nothing is hit.
  public var alpha: Double = 1 {
    didSet {
      guard alpha != oldValue else { return }
      invalidate(covered, isCutOff: false)
      if alpha < 0.01 { window?.withdraw(from: self) }
    }
  }
  /// Neither drawn nor touched, with all below, and not waited for; it keeps its place, and slots go on loading.
  public var isHidden = false {
    didSet {
      guard isHidden != oldValue else { return }
      superview?.setNeedsDisplay(covered(in: frame))
      if isHidden { window?.withdraw(from: self) }
    }
  }
  /// Whether subviews are cut off at the bounds.
  public var clipsToBounds = false {
    willSet { if newValue { setNeedsDisplay(covered) } }
    didSet { if oldValue, !clipsToBounds { setNeedsDisplay(covered) } }
  }
  /// How the picture is laid into the bounds; `fill` by default.
  public var contentMode: ContentMode = .fill {
    didSet { if contentMode != oldValue { pictureRoomDidChange() } }
  }
  /// Whether touches and keys reach the view and its subviews.
  public var isUserInteractionEnabled = true {
    didSet { if !isUserInteractionEnabled { window?.withdraw(from: self) } }
  }
  /// Whether a scroll view around it may take a touch away that has reached this view, once it turns out to be a
  /// drag. True by default, as lists want it; false suits what is dragged itself, as a slider or a map. A finger
  /// that drags within `Window.touchDelay` has not reached it yet, and scrolls.
  public var yieldsTouchesToScrolling = true

  /// How many slots of this view still wait for a picture or a failure. Kept by whoever loads them; a window
  /// is loaded when no view that can be seen waits.
  public var pendingSlots = 0
  /// What hears of the view's size and window and draws over it; ImageWidgets keeps the view's slots here.
  package var attachment: (any ViewAttachment)?

  /// Nil for most views, which are what their class says.
  private var accessibilityWords: AccessibilityWords?
  private var contentsTransition: ContentsTransition?
  private var storedContents: Image?
  private var stateOfContents = ControlState.normal
  private(set) var needsLayout = true

  /// An empty, transparent view, in the coordinates of its superview.
  public init(frame: Rect = .zero) { self.frame = frame }

  /// A picture is laid out in another way, or has more or less room.
  final func pictureRoomDidChange() {
    setNeedsDisplay()
    attachment?.boundsDidChange(of: self)
  }

  // MARK: Contents

  /// The picture that the view shows; setting it shows it at once, without a transition.
  public var contents: Image? {
    get { storedContents }
    set { setContents(newValue, transition: .none) }
  }

  /// Shows a picture, or none, with a transition from what was there. A transition under way is cut short, and the
  /// new one begins with that of its two pictures of which there is more to be seen: one that was replaced before
  /// it was ever seen takes no part. The same picture again lets its transition go on.
  open func setContents(_ image: Image?, transition: Transition) {
    showContents(image, transition: transition)
  }

  /// The same, for a view that has pictures of several states.
  final func showContents(_ image: Image?, of state: ControlState = .normal, transition: Transition) {
    let previous = PictureLook(image: storedContents, state: stateOfContents)
    stateOfContents = state
    guard image != storedContents else {
      if !transition.isAnimated, let running = contentsTransition {
        running.stop()
        contentsTransition = nil
        setNeedsDisplay()
      }
      return
    }
    storedContents = image
    contentsTransition = startTransition(
      transition, from: previous, to: PictureLook(image: image, state: state), after: contentsTransition)
    setNeedsDisplay()
  }

  /// Whether a picture of the view is turning into another, or soon will.
  public var isInTransition: Bool { !transitions.isEmpty }

  /// Calls `body` once the transition to a picture has ended, a moment later; at once where there is none.
  package func afterTransition(to image: Image, _ body: @escaping () -> Void) {
    if let running = transitions.first(where: { $0.new.image == image }) {
      running.whenEnded(body)
    } else {
      body()
    }
  }

  /// A transition of the view has made a step, maybe its last.
  func transitionDidStep(_ running: ContentsTransition) {
    setNeedsDisplay()
    if running.isOver, contentsTransition === running { contentsTransition = nil }
  }

  /// Those under way.
  var transitions: [ContentsTransition] { contentsTransition.map { [$0] } ?? [] }

  /// Lets each picture be there at once that another one is turning into.
  func endTransitions() {
    contentsTransition?.stop()
    contentsTransition = nil
  }

  /// Ends the transition before it and starts one; nil where the new picture is to be seen at once.
  final func startTransition(
    _ transition: Transition, from previous: PictureLook, to new: PictureLook,
    after running: ContentsTransition?
  ) -> ContentsTransition? {
    if let running, transition.isAnimated, running.goesOn(into: new, by: transition) { return running }
    running?.stop()
    guard transition.isAnimated, let window else { return nil }
    // It begins with what is seen: not with a picture that has never been, or of which there is less than of another.
    let isHardlyBegun = running.map { $0.progress < 0.5 } ?? false
    let old = isHardlyBegun ? running?.old ?? previous : previous
    guard old.image != new.image else { return nil }
    return ContentsTransition(from: old, to: new, transition: transition, of: self, in: window)
  }

  // MARK: Drawing

  /// Draws the view's own content, in own coordinates, over the background and under the subviews. By default
  /// the picture; overriders that keep it call super.
  open func draw(into list: inout DrawList) {
    draw(
      PictureLook(image: contents), renderingMode: renderingMode, in: bounds, mode: contentMode,
      cornerRadius: cornerRadius,
      transition: contentsTransition, into: &list)
  }

  /// Draws over the subviews: a scroll indicator, a spinner. By default nothing.
  open func drawOverlay(into list: inout DrawList) {}

  /// Draws a picture laid out by `mode`; while a transition runs, what it shows of both pictures.
  ///
  /// - Parameter oldRect: the room of the picture before, where that is another.
  final func draw(
    _ look: PictureLook, renderingMode: Image.RenderingMode = .automatic, in rect: Rect, oldRect: Rect? = nil,
    mode: ContentMode, cornerRadius: Double, transition: ContentsTransition?, into list: inout DrawList
  ) {
    func picture(_ look: PictureLook, in rect: Rect) -> DrawList.Picture? {
      guard let image = look.image else { return nil }
      let place = mode.layout(
        pixelWidth: image.pixelWidth, pixelHeight: image.pixelHeight, size: image.size, in: rect)
      return DrawList.Picture(
        image: image, source: place.source, destination: place.destination, opacity: look.opacity,
        tint: look.tint, templateColor: image.isTemplate(whereUsual: renderingMode) ? currentTintColor : nil,
        cornerRadius: cornerRadius)
    }
    let new = picture(look, in: rect)
    if let transition {
      let oldRect = oldRect ?? rect
      transition.draw(
        from: picture(transition.old, in: oldRect), to: new, in: rect.union(oldRect), into: &list)
    } else if let new {
      list.draw(new)
    }
  }

  /// Called when the tint colour has become another one, here or in a view around it. Draws the view anew; overriders
  /// call super.
  open func tintColorDidChange() { setNeedsDisplay() }

  // MARK: Tree

  /// Adds a view in front of the others; it leaves the superview that it had.
  public func addSubview(_ view: View) { insertSubview(view, at: subviews.count) }

  /// Adds a view at a place among the others, 0 being the back; a place beyond the end is the front.
  public func insertSubview(_ view: View, at index: Int) {
    guard view !== self, !isDescendant(of: view) else { return }
    let tint = view.currentTintColor
    view.leaveSuperview()
    // What hears that it has left may have put it, or this one, elsewhere.
    guard view.superview == nil, !isDescendant(of: view) else { return }
    subviews.insert(view, at: min(max(0, index), subviews.count))
    view.superview = self
    view.setWindow(window)
    view.setAllNeedsDisplay()
    setNeedsLayout()
    if view.currentTintColor != tint { view.tintDidChange() }
  }

  /// Takes the view out of its superview.
  public func removeFromSuperview() {
    let tint = currentTintColor
    leaveSuperview()
    if currentTintColor != tint { tintDidChange() }
  }

  private func leaveSuperview() {
    guard let parent = superview else { return }
    if !isHidden, alpha >= 0.01 { parent.setNeedsDisplay(covered(in: frame)) }
    parent.subviews.removeAll { $0 === self }
    superview = nil
    parent.setNeedsLayout()
    setWindow(nil)
  }

  /// Whether it is `view` or lies below it in the tree.
  public func isDescendant(of view: View) -> Bool {
    var ancestor: View? = self
    while let current = ancestor {
      if current === view { return true }
      ancestor = current.superview
    }
    return false
  }

  func setWindow(_ new: Window?) {
    guard window !== new else { return }
    let old = window
    window = new
    endTransitions()
    old?.forget(self)
    // Who hears of a touch that is taken away may have put the view elsewhere.
    guard window === new else { return }
    if needsLayout { new?.layoutRequested() }
    for child in subviews where child.superview === self {
      child.setWindow(new)
      guard window === new else { return }
    }
    didMoveToWindow()
    attachment?.didMoveToWindow(self)
  }

  /// Called when the view has come into a window, or left one. Overriders call super.
  open func didMoveToWindow() {}

  /// Called when the size has changed, in points or in pixels. Overriders call super.
  open func boundsDidChange() {}

  /// Lets everything be measured, laid out and drawn anew from here down: a point has another number of pixels.
  final func scaleDidChange() {
    setNeedsLayout()
    setAllNeedsDisplay()
    boundsDidChange()
    attachment?.boundsDidChange(of: self)
    for child in subviews { child.scaleDidChange() }
  }

  // MARK: Layout

  /// Places the subviews. Called before a frame is drawn, when the size or the subviews have changed.
  open func layoutSubviews() {}

  /// The size that suits the content, at most `size` wide where it can wrap. By default the present one.
  open func sizeThatFits(_ size: Size) -> Size { frame.size }

  /// Lays out again before the next frame.
  public func setNeedsLayout() {
    guard !needsLayout else { return }
    needsLayout = true
    window?.layoutRequested()
  }

  /// Lays the tree below out now, where that is needed.
  public func layoutIfNeeded() {
    // A subview may ask its superview to lay out again once more; two rounds settle that, endless ones do not.
    for _ in 0..<2 where needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for child in subviews { child.layoutIfNeeded() }
  }

  // MARK: Touches, wheel, keys

  /// The view that a point in own coordinates belongs to: the frontmost that can be touched; nil outside.
  open func hitTest(_ point: Point) -> View? {
    guard isUserInteractionEnabled, !isHidden, alpha >= 0.01, bounds.contains(point) else { return nil }
    for child in subviews.reversed() {
      if let hit = child.hitTest(point - child.frame.origin + child.boundsOrigin) { return hit }
    }
    return self
  }

  /// A touch began on this view. By default the superview hears of it.
  open func touchBegan(_ touch: Touch) { superview?.touchBegan(touch) }
  /// The touch moved, anywhere. Comes to the view on which it began, and by default to its superview.
  open func touchMoved(_ touch: Touch) { superview?.touchMoved(touch) }
  /// The finger was lifted, anywhere. Comes where `touchMoved` does.
  open func touchEnded(_ touch: Touch) { superview?.touchEnded(touch) }
  /// The touch was taken away: nothing was meant.
  open func touchCancelled(_ touch: Touch) { superview?.touchCancelled(touch) }

  /// Whether touches that began on a view below are shown to this one too, by `observeTouch`.
  open var observesDescendantTouches: Bool { false }
  /// A touch below began, moved or ended; `Window.claim` takes it over.
  open func observeTouch(_ touch: Touch) {}
  /// Whether fingers are held back from the views below until it is clear that they are not dragging.
  open var delaysDescendantTouches: Bool { false }

  /// A wheel was turned over this view; false passes it on to the superview.
  open func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool { false }
  /// A key went down while this view, or one below, had the focus; false passes it on.
  open func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool { false }
  /// A key went up while this view, or one below, had the focus; false passes it on.
  open func keyUp(_ key: Key, modifiers: KeyModifiers) -> Bool { false }

  /// Whether it gets keys that neither the view with the focus nor one around it has taken.
  open var takesUnclaimedKeys: Bool { false }

  // MARK: Accessibility

  /// What the view is to somebody who does not see it: what was set, or else what its class says; `group` for a plain
  /// view. Overriders keep the setter, and say in the getter what holds where super says no more than its class.
  open var accessibilityRole: AccessibilityRole {
    get { accessibilityWords?.role ?? .group }
    set { say { $0.role = newValue } }
  }
  /// What it is called: what was set, or else what its class says, as a label its text and a button its title; nil for
  /// what has no name.
  open var accessibilityLabel: String? {
    get { accessibilityWords?.label }
    set { say { $0.label = newValue } }
  }
  /// What it is set to: what was set, or else what its class says, as a toggle `on` or `off`; nil without a value.
  open var accessibilityValue: String? {
    get { accessibilityWords?.value }
    set { say { $0.value = newValue } }
  }
  /// What holds at present: whether it has the focus and waits for a picture; of a control its state too. Overriders
  /// add to what super says.
  open var accessibilityStates: AccessibilityStates {
    var states: AccessibilityStates = isFocused ? .focused : []
    if pendingSlots > 0 { states.insert(.busy) }
    return states
  }

  /// Whether the tree leaves it out, with all below: what is only for the eye. False by default; overriders keep the
  /// setter.
  open var isAccessibilityHidden: Bool {
    get { accessibilityWords?.isHidden ?? false }
    set { say { $0.isHidden = newValue } }
  }

  /// The role that was set, for classes that have another than a group.
  final func role(_ usual: AccessibilityRole) -> AccessibilityRole { accessibilityWords?.role ?? usual }

  private func say(_ change: (AccessibilityWords) -> Void) {
    let words = accessibilityWords ?? AccessibilityWords()
    change(words)
    accessibilityWords = words
  }

  /// Whether Tab and arrows stop here.
  open var canBecomeFocused: Bool { false }
  /// Called when the focus came or went.
  open func focusDidChange() {}
  /// Whether it has the focus.
  public var isFocused: Bool { window?.focusedView === self }
}
