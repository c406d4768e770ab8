public import VitrineGraphics

/// A rectangle on the screen that can show an image and contain other views.
///
/// Views form a tree below a `Window`. A visible change marks the affected area as dirty, and the host redraws the area
/// with the next frame. All views belong to the main actor.
@MainActor
open class View {
  // `@MainActor` is already the default of this module. It is explicit because members that other modules add to views
  // could otherwise be called from any thread.

  /// The position and size in the coordinates of the superview, in points.
  public var frame: Rect {
    didSet {
      propertyWasSet(.frame)
      guard frame != oldValue else { return }
      if isDrawn { superview?.setNeedsDisplay(coveredArea(in: oldValue)) }
      setAllNeedsDisplay()
      if frame.size != oldValue.size {
        setNeedsLayout()
        boundsDidChange()
        attachment?.boundsDidChange(of: self)
      }
    }
  }

  /// The rectangle of the view in the view's own coordinates. In a scroll view, the origin is the scroll offset.
  public var bounds: Rect { Rect(origin: boundsOrigin, size: frame.size) }

  /// The point of the view's coordinates that is shown at the top left. A change moves the subviews within the view.
  public var boundsOrigin: Point = .zero {
    didSet {
      guard boundsOrigin != oldValue else { return }
      setNeedsDisplay(coveredArea)
      if !clipsToBounds { setNeedsDisplay(coveredArea.offset(by: boundsOrigin - oldValue)) }
    }
  }

  /// The view that contains this view; `nil` at the root of a tree. Not retained.
  public private(set) weak var superview: View?
  /// The subviews, back to front.
  public private(set) var subviews: [View] = []
  /// The window at the root of the tree; `nil` outside a window. Not retained.
  public internal(set) weak var window: Window?

  /// The color drawn behind the content; `nil`, the default, draws nothing.
  public var backgroundColor: Color? {
    didSet {
      propertyWasSet(.backgroundColor)
      if backgroundColor != oldValue { setNeedsDisplay() }
    }
  }
  /// The radius of the corners of the background and of the drawn image, in points; 0 by default. With the content mode
  /// `fit`, the corners of the fitted image are rounded, wherever they lie in the view. Subviews are not clipped.
  public var cornerRadius: Double = 0 {
    didSet {
      propertyWasSet(.cornerRadius)
      if cornerRadius != oldValue { shadow == nil ? setNeedsDisplay() : setAllNeedsDisplay() }
    }
  }
  /// The width of the line along the inner side of the edges, in points, drawn over the image and under the subviews,
  /// at least one pixel wide. 0, the default, and negative widths draw nothing.
  public var borderWidth: Double = 0 { didSet { if borderWidth != oldValue { setNeedsDisplay() } } }
  /// The color of the border; opaque black by default.
  public var borderColor = Color.black {
    didSet {
      propertyWasSet(.borderColor)
      if borderColor != oldValue, borderWidth > 0 { setNeedsDisplay() }
    }
  }
  /// The shadow cast by the bounds with their rounded corners, regardless of what the view draws; `nil` by default. It
  /// lies outside the bounds, is not clipped by the view's own `clipsToBounds`, and shines through a background that is
  /// not opaque.
  public var shadow: Shadow? {
    didSet {
      guard shadow != oldValue else { return }
      if let oldValue { invalidate(oldValue.extent(of: bounds), isClipped: false) }
      setAllNeedsDisplay()
    }
  }
  /// The accent color, in which template images are drawn. `nil`, the default, inherits the superview's color. The
  /// effective color is `currentTintColor`.
  public var tintColor: Color? {
    didSet {
      propertyWasSet(.tintColor)
      if (tintColor ?? inheritedTintColor) != (oldValue ?? inheritedTintColor) { tintDidChange() }
    }
  }
  /// The rendering mode of images whose own `Image.renderingMode` is `automatic`. By default they are drawn unchanged,
  /// with `alwaysTemplate` in the tint color. In a button the mode applies to images but not to background images. The
  /// mode belongs to the view because images from the network are shared by all views that show them.
  public var renderingMode = Image.RenderingMode.automatic {
    didSet { if renderingMode != oldValue { setNeedsDisplay() } }
  }
  /// The opacity, 0…1, multiplied down the tree: each drawing command is faded separately, unless `groupsOpacity` is true.
  /// A view below 0.01 is not drawn and receives no touches.
  public var alpha: Double = 1 {
    didSet {
      propertyWasSet(.alpha)
      guard alpha != oldValue else { return }
      invalidate(coveredArea, isClipped: false)
      guard alpha < 0.01 else { return }
      suspendAnimations()
      window?.cancelInteraction(below: self)
    }
  }
  /// True if the view and all descendants are neither drawn nor touched. A hidden view keeps its frame, its slots
  /// continue to load, and `Window.isLoaded` does not wait for them.
  public var isHidden = false {
    didSet {
      guard isHidden != oldValue else { return }
      superview?.setNeedsDisplay(coveredArea(in: frame))
      guard isHidden else { return }
      suspendAnimations()
      window?.cancelInteraction(below: self)
    }
  }
  /// True if subviews are clipped to the bounds; false by default.
  public var clipsToBounds = false {
    willSet { if newValue { setNeedsDisplay(coveredArea) } }
    didSet { if oldValue, !clipsToBounds { setNeedsDisplay(coveredArea) } }
  }
  /// The way in which the image is scaled and aligned in the bounds; `fill` by default.
  public var contentMode: ContentMode = .fill {
    didSet { if contentMode != oldValue { imageFrameDidChange() } }
  }
  /// True if touches and keys reach the view and all subviews; true by default.
  public var isUserInteractionEnabled = true {
    didSet { if !isUserInteractionEnabled { window?.cancelInteraction(below: self) } }
  }
  /// True if an enclosing scroll view may take over a touch that this view has received, once the touch becomes a drag.
  /// True by default, as lists need; set false for a view that is dragged itself, for example a slider or a map. A
  /// finger that starts to drag within 0.1 s has not reached this view yet and scrolls.
  public var yieldsTouchesToScrolling = true

  /// The number of the view's slots that still wait for an image or a failure.
  package var pendingSlots = 0
  /// The number of unfinished `beginLoading()` calls. Counted apart from the slots, so that an `endLoading()` too many
  /// does not end the load of a slot.
  var applicationLoads = 0
  /// The observer of the view's size and window, which may draw over the view. ImageWidgets stores the view's image
  /// slots here.
  package var attachment: (any ViewAttachment)?

  /// The appearance that few views change, and the animations; `nil` for most views.
  var extras: AppearanceExtras?
  /// The overridden accessibility values; `nil` for most views, which use the values of their class.
  private var accessibilityOverrides: AccessibilityOverrides?
  /// The players of animated images; `nil` until the view draws one.
  var players: AnimationPlayers?
  private var contentsTransition: ContentsTransition?
  private var storedContents: Image?
  private var stateOfContents = ControlState.normal
  private(set) var needsLayout = true

  /// Creates an empty, transparent view with a frame in the coordinates of the superview.
  public init(frame: Rect = .zero) { self.frame = frame }

  /// Called when the image is laid out differently or the available size has changed.
  final func imageFrameDidChange() {
    setNeedsDisplay()
    attachment?.boundsDidChange(of: self)
  }

  // MARK: Contents

  /// The image of the view. A new value is shown at once, without a transition.
  public var contents: Image? {
    get { storedContents }
    set { setContents(newValue, transition: .none) }
  }

  /// Shows an image, or none, with a transition from the previous content.
  ///
  /// A running transition is ended, and the new transition starts from the more visible of its two images, so that an
  /// image replaced before it was visible does not appear. Setting the current image again keeps a running transition,
  /// unless `transition` is not animated. An animation plays on without a transition if the new image is the same
  /// animation at another size, or the same animation with more frames.
  open func setContents(_ image: Image?, transition: Transition) {
    showContents(image, replacing: storedContents, transition: transition)
  }

  /// Shows an image as `setContents(_:transition:)` does, for a view with images for several states.
  ///
  /// - Parameter replaced: The image that no longer belongs to the view, unless the view holds it for another state.
  final func showContents(
    _ image: Image?, of state: ControlState = .normal, replacing replaced: Image? = nil,
    transition: Transition
  ) {
    let previous = ImageAppearance(image: storedContents, state: stateOfContents)
    stateOfContents = state
    guard image != storedContents else {
      if !transition.isAnimated, let running = contentsTransition {
        running.stop()
        contentsTransition = nil
        setNeedsDisplay()
      }
      removeUnusedPlayers()
      return
    }
    storedContents = image
    playOn(from: replaced, to: image)
    contentsTransition = startTransition(
      transition, from: previous, to: ImageAppearance(image: image, state: state), after: contentsTransition)
    removeUnusedPlayers()
    setNeedsDisplay()
  }

  /// The images that belong to the view, also those that the view does not show in its present state.
  var heldImages: [Image] { storedContents.map { [$0] } ?? [] }

  /// The room for the image in points, for which a slot loads it: the size of the view, or more for an image that is
  /// enlarged in its view.
  package var imageRoom: Size { frame.size }

  /// True while an image of the view changes into another, or is about to. For a caption that changes with the image.
  public var isInTransition: Bool { !transitions.isEmpty }

  /// Calls `body` asynchronously when the transition to `image` has ended, or at once if there is none.
  package func afterTransition(to image: Image, _ body: @escaping () -> Void) {
    if let running = transitions.first(where: { $0.new.image == image }) {
      running.whenEnded(body)
    } else {
      body()
    }
  }

  /// Called after each step of a transition of the view, the last included.
  func transitionDidStep(_ running: ContentsTransition) {
    setNeedsDisplay()
    guard running.isOver else { return }
    if contentsTransition === running { contentsTransition = nil }
    removeUnusedPlayers()
  }

  var transitions: [ContentsTransition] { contentsTransition.map { [$0] } ?? [] }

  /// Ends the running transitions, so that their new images are shown at once.
  func endTransitions() {
    contentsTransition?.stop()
    contentsTransition = nil
  }

  /// Ends the running transition and starts a new one. Returns `nil` if the new image is to be shown at once.
  final func startTransition(
    _ transition: Transition, from previous: ImageAppearance, to new: ImageAppearance,
    after running: ContentsTransition?
  ) -> ContentsTransition? {
    if let image = new.image, let replaced = previous.image, image.continues(replaced) {
      // A running transition to the replaced image leads to the new one instead.
      if transition.isAnimated, running?.goOn(from: replaced, with: new) == true { return running }
      running?.stop()
      return nil
    }
    if let running, transition.isAnimated, running.replacePreview(with: new, by: transition) {
      return running
    }
    running?.stop()
    guard transition.isAnimated, let window else { return nil }
    // The transition starts from the more visible image, never from one that was not visible yet.
    let isOldMoreVisible = running.map { $0.progress < 0.5 } ?? false
    let old = isOldMoreVisible ? running?.old ?? previous : previous
    guard old.image != new.image else { return nil }
    return ContentsTransition(from: old, to: new, transition: transition, of: self, in: window)
  }

  // MARK: Drawing

  /// Draws the view's own content in the view's coordinates, over the background and under the subviews. By default
  /// draws the image; overrides that keep the image call super.
  open func draw(into list: inout DrawList) {
    draw(
      ImageAppearance(image: contents), renderingMode: renderingMode, in: bounds, mode: contentMode,
      cornerRadius: cornerRadius, transition: contentsTransition, into: &list)
  }

  /// Draws over the subviews, for example a scroll indicator or a spinner. By default draws nothing.
  open func drawOverlay(into list: inout DrawList) {}

  /// Draws an image laid out by `mode`, or, during a transition, the current moment of the transition.
  ///
  /// - Parameter oldRect: The rectangle of the transition's old image, if it differs from `rect`.
  final func draw(
    _ appearance: ImageAppearance, renderingMode: Image.RenderingMode = .automatic, in rect: Rect,
    oldRect: Rect? = nil,
    mode: ContentMode, cornerRadius: Double, transition: ContentsTransition?, into list: inout DrawList
  ) {
    func imageCommand(_ appearance: ImageAppearance, in rect: Rect) -> DrawList.ImageCommand? {
      guard let image = appearance.image else { return nil }
      let layout = mode.layout(
        pixelWidth: image.pixelWidth, pixelHeight: image.pixelHeight, size: image.size, in: rect)
      // A view outside the redrawn part does not count as drawn.
      let frame = list.isVisible(rect) ? frameToDraw(of: image) : image
      return DrawList.ImageCommand(
        image: frame, source: frame.sourceRect(layout.source, of: image), destination: layout.destination,
        opacity: appearance.opacity,
        tint: appearance.tint,
        templateColor: image.isTemplate(defaultMode: renderingMode) ? currentTintColor : nil,
        cornerRadius: cornerRadius)
    }
    let new = imageCommand(appearance, in: rect)
    if let transition {
      let oldRect = oldRect ?? rect
      transition.draw(
        from: imageCommand(transition.old, in: oldRect), to: new, in: rect.union(oldRect), into: &list)
    } else if let new {
      list.draw(new)
    }
  }

  /// Called when the effective tint color has changed, in this view or in a superview. Redraws the view; overrides call
  /// super.
  open func tintColorDidChange() { setNeedsDisplay() }

  // MARK: Tree

  /// Adds a view in front of the other subviews, after removal from the previous superview.
  public func addSubview(_ view: View) { insertSubview(view, at: subviews.count) }

  /// Inserts a view at an index among the subviews; 0 is the back, and indices beyond the end mean the front. The view
  /// is removed from its previous superview. Does nothing if `view` is this view or one of its superviews.
  public func insertSubview(_ view: View, at index: Int) {
    guard view !== self, !isDescendant(of: view) else { return }
    let tint = view.currentTintColor
    view.leaveSuperview()
    // Re-entrancy: callbacks of leaving the previous superview may have moved either view.
    guard view.superview == nil, !isDescendant(of: view) else { return }
    subviews.insert(view, at: min(max(0, index), subviews.count))
    view.superview = self
    view.setWindow(window)
    view.setAllNeedsDisplay()
    setNeedsLayout()
    if view.currentTintColor != tint { view.tintDidChange() }
  }

  /// Removes the view from the superview, if there is one.
  public func removeFromSuperview() {
    let tint = currentTintColor
    leaveSuperview()
    if currentTintColor != tint { tintDidChange() }
  }

  /// Puts subviews behind all others, in the given order. They stay in the window, so that their touches, transitions
  /// and loads continue.
  final func sendToBack(_ views: [View]) {
    let views = views.filter { $0.superview === self }
    guard !zip(views, subviews).allSatisfy({ $0 === $1 }) else { return }
    let rearmost = Set(views.map { ObjectIdentifier($0) })
    subviews = views + subviews.filter { !rearmost.contains(ObjectIdentifier($0)) }
    for view in views { view.setAllNeedsDisplay() }
  }

  private func leaveSuperview() {
    guard let parent = superview else { return }
    if isDrawn { parent.setNeedsDisplay(coveredArea(in: frame)) }
    parent.subviews.removeAll { $0 === self }
    superview = nil
    parent.setNeedsLayout()
    setWindow(nil)
  }

  /// True if this view is `view` or a descendant of `view`. O(depth of the tree).
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
    players?.suspend(in: old)
    endTransitions()
    extras?.animations?.finish(isCompleted: false)
    removeUnusedPlayers()
    old?.cancelInteraction(of: self)
    // Re-entrancy: a handler of a cancelled touch may have moved the view.
    guard window === new else { return }
    if needsLayout { new?.layoutRequested() }
    for child in subviews where child.superview === self {
      child.setWindow(new)
      guard window === new else { return }
    }
    didMoveToWindow()
    attachment?.didMoveToWindow(self)
  }

  /// Called when the view has entered or left a window. Overrides call super.
  open func didMoveToWindow() {}

  /// Called when the size has changed, in points or in pixels. Overrides call super.
  open func boundsDidChange() {}

  /// Measures, lays out and redraws the view and all descendants after a change of the window's scale.
  final func scaleDidChange() {
    setNeedsLayout()
    setAllNeedsDisplay()
    boundsDidChange()
    attachment?.boundsDidChange(of: self)
    for child in subviews { child.scaleDidChange() }
  }

  // MARK: Layout

  /// Lays out the subviews. Called before a frame is drawn if the size or the subviews have changed.
  open func layoutSubviews() {}

  /// Returns the size that suits the content, at most `size` wide if the content can wrap. By default the current size.
  open func sizeThatFits(_ size: Size) -> Size { frame.size }

  /// Requests a layout before the next frame.
  public func setNeedsLayout() {
    guard !needsLayout else { return }
    needsLayout = true
    window?.layoutRequested()
  }

  /// Lays out the view and all descendants now, where a layout is pending.
  public func layoutIfNeeded() {
    // A subview may request another layout of its superview. The limit of two rounds prevents an endless loop.
    for _ in 0..<2 where needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for child in subviews { child.layoutIfNeeded() }
  }

  // MARK: Touches, wheel, keys

  /// Returns the frontmost view at a point in the view's coordinates that can be touched; `nil` outside the bounds.
  /// O(views).
  open func hitTest(_ point: Point) -> View? {
    guard isUserInteractionEnabled, isDrawn, bounds.contains(point) else { return nil }
    for child in subviews.reversed() {
      if let hit = child.hitTest(child.convertFromSuperview(point)) { return hit }
    }
    return self
  }

  /// Called when a touch began on this view. By default forwards to the superview.
  open func touchBegan(_ touch: Touch) { superview?.touchBegan(touch) }
  /// Called on the view on which the touch began when the touch has moved, also outside the view. By default forwards
  /// to the superview.
  open func touchMoved(_ touch: Touch) { superview?.touchMoved(touch) }
  /// Called on the view on which the touch began when the finger was lifted, also outside the view. By default forwards
  /// to the superview.
  open func touchEnded(_ touch: Touch) { superview?.touchEnded(touch) }
  /// Called when the touch was cancelled: no action is intended. By default forwards to the superview.
  open func touchCancelled(_ touch: Touch) { superview?.touchCancelled(touch) }

  /// True if touches that began on a descendant are also reported to this view, through `observeTouch`.
  open var observesDescendantTouches: Bool { false }
  /// Called when a touch on a descendant has begun, moved, ended or was cancelled. `Window.claim` takes the touch over.
  open func observeTouch(_ touch: Touch) {}
  /// True if touches of fingers reach the descendants with a delay, until a drag can be ruled out.
  open var delaysDescendantTouches: Bool { false }

  /// Called when a wheel was turned over this view. Returns false to pass the event on to the superview.
  open func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool { false }
  /// Called when a wheel was turned over this view while Ctrl was held, which enlarges a view that can be enlarged. A
  /// positive `delta` turns the wheel away from the user. Returns false, by default, to pass the event on to the superview.
  open func zoomWheel(at location: Point, delta: Double) -> Bool { false }
  /// Called when a key went down while this view or a descendant had the focus. Returns false to pass the key on.
  open func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool { false }
  /// Called when a key went up while this view or a descendant had the focus. Returns false to pass the key on.
  open func keyUp(_ key: Key, modifiers: KeyModifiers) -> Bool { false }

  /// True if the view receives keys that neither the focused view nor its superviews handled.
  open var takesUnclaimedKeys: Bool { false }

  // MARK: Accessibility

  /// The role for assistive technology: the value that was set, or else the default of the class, `group` for a plain
  /// view. Overrides keep the setter; their getter replaces only the default of super.
  open var accessibilityRole: AccessibilityRole {
    get { accessibilityOverrides?.role ?? .group }
    set { overrideAccessibility { $0.role = newValue } }
  }
  /// The accessible name: the value that was set, or else the default of the class, for example the text of a label or
  /// the title of a button; `nil` without a name.
  open var accessibilityLabel: String? {
    get { accessibilityOverrides?.label }
    set { overrideAccessibility { $0.label = newValue } }
  }
  /// The accessible value: the value that was set, or else the default of the class, for example `on` or `off` for a
  /// toggle; `nil` without a value.
  open var accessibilityValue: String? {
    get { accessibilityOverrides?.value }
    set { overrideAccessibility { $0.value = newValue } }
  }
  /// The current accessibility states: `focused`, and `busy` while a slot waits; for a control also its state.
  /// Overrides add to the value of super.
  open var accessibilityStates: AccessibilityStates {
    var states: AccessibilityStates = isFocused ? .focused : []
    if isLoading { states.insert(.busy) }
    return states
  }

  /// True if the accessibility tree omits the view and all descendants, for purely decorative content. False by
  /// default; overrides keep the setter.
  open var isAccessibilityHidden: Bool {
    get { accessibilityOverrides?.isHidden ?? false }
    set { overrideAccessibility { $0.isHidden = newValue } }
  }

  /// Returns the role that was set, or else `defaultRole`, the default of the class.
  final func role(_ defaultRole: AccessibilityRole) -> AccessibilityRole {
    accessibilityOverrides?.role ?? defaultRole
  }

  private func overrideAccessibility(_ change: (AccessibilityOverrides) -> Void) {
    let overrides = accessibilityOverrides ?? AccessibilityOverrides()
    change(overrides)
    accessibilityOverrides = overrides
  }

  /// True if the Tab and arrow keys can move the focus to this view.
  open var canBecomeFocused: Bool { false }
  /// Called when the view has received or lost the focus.
  open func focusDidChange() {}
  /// True if the view has the focus.
  public var isFocused: Bool { window?.focusedView === self }
}
