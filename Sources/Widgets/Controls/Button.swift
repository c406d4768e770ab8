public import VitrineGraphics

/// A control with a title, an image and a background image for each of its states.
///
/// ```swift
/// let button = Button(title: "Play")
/// button.setImage(play, for: .normal)
/// button.setTitle("Playing", for: .selected)
/// button.changesSelectionAsPrimaryAction = true
/// button.addAction(for: .valueChanged) { print($0.isSelected) }
/// ```
///
/// An entry applies to one exact set of states. A state without an entry shows the entry of `.normal`; `.focused` is
/// ignored unless an entry includes it. Images dim while the button is pressed or disabled, unless that state has an
/// image of its own.
open class Button: Control {
  /// The insets of the content from the bounds, in points; by default 8 at the top and bottom, 12 at the sides.
  public var contentInsets = Insets(top: 8, left: 12, bottom: 8, right: 12) {
    didSet { if contentInsets != oldValue { imageFrameDidChange() } }
  }
  /// The distance between image and title in points; 8 by default.
  public var spacing: Double {
    get { contentLayout.spacing }
    set { contentLayout.spacing = newValue }
  }
  /// The side of the title on which the image lies; `leading` by default.
  public var imagePlacement: ImagePlacement {
    get { contentLayout.placement }
    set { contentLayout.placement = newValue }
  }
  /// Insets that move the image, in points; none by default. They do not change the size that suits the button.
  ///
  /// As in UIKit, the insets shrink the rectangle in which the image is aligned: a centered image moves 5 points to the
  /// right with a `left` of 10, and 10 points with a `left` of 10 and a `right` of -10.
  public var imageInsets: Insets {
    get { contentLayout.imageInsets }
    set { contentLayout.imageInsets = newValue }
  }
  /// Insets that move the title, as `imageInsets` do for the image. A title without enough width is truncated.
  public var titleInsets: Insets {
    get { contentLayout.titleInsets }
    set { contentLayout.titleInsets = newValue }
  }
  /// The horizontal alignment of image and title in a button that is wider than both; centered by default.
  public var contentHorizontalAlignment: HorizontalAlignment {
    get { contentLayout.horizontal }
    set { contentLayout.horizontal = newValue }
  }
  /// The vertical alignment of image and title in a button that is higher than both; centered by default.
  public var contentVerticalAlignment: VerticalAlignment {
    get { contentLayout.vertical }
    set { contentLayout.vertical = newValue }
  }
  /// True if a press toggles `isSelected` and sends `valueChanged` together with `touchUpInside`. `isSelected` has the
  /// new value when the actions run. False by default.
  public var changesSelectionAsPrimaryAction = false
  /// The size of the box for the image, in points. The box is reserved also without an image, so that the layout does
  /// not change when an image arrives. `nil`, the default, uses the natural size of each image.
  public var imageSize: Size? { didSet { if imageSize != oldValue { imageFrameDidChange() } } }
  /// The way in which the image is scaled and aligned in its box; `fit` by default.
  public var imageContentMode = ContentMode.fit {
    didSet { if imageContentMode != oldValue { imageFrameDidChange() } }
  }
  /// The way in which the background image is scaled and aligned in the bounds; `fill` by default.
  public var backgroundContentMode = ContentMode.fill {
    didSet { if backgroundContentMode != oldValue { imageFrameDidChange() } }
  }
  /// The radius of the corners of the drawn image, in points; 0 by default. With `fit` these are the corners of the
  /// fitted image, not those of its box. The background image uses `cornerRadius`.
  public var imageCornerRadius = 0.0 {
    didSet { if imageCornerRadius != oldValue { setNeedsDisplay() } }
  }
  /// The font of the title; regular, 16 points by default.
  public var titleFont: Font {
    get { title.font }
    set {
      guard newValue != title.font else { return }
      title.font = newValue
      imageFrameDidChange()
    }
  }
  /// True if the images of a pressed button are darkened by 45 % black, unless that state has an image of its own. True
  /// by default.
  public var adjustsImageWhenHighlighted = true { didSet { setNeedsDisplay() } }
  /// True if the images of a disabled button are half transparent, unless that state has an image of its own. True by
  /// default.
  public var adjustsImageWhenDisabled = true { didSet { setNeedsDisplay() } }

  private var contentLayout = ButtonLayout() {
    didSet { if contentLayout != oldValue { imageFrameDidChange() } }
  }
  private var images = Images()
  private var backgrounds = Images()
  private var titles = StateTable<String>()
  private var titleColors = StateTable<Color>()
  private var title = TextBlock(font: .regular(16))

  private struct Images {
    var table = StateTable<Image>()
    var transition: ContentsTransition?
  }

  /// Creates a button with a title for `.normal` and an empty frame.
  public convenience init(title: String) {
    self.init()
    setTitle(title, for: .normal)
  }

  // MARK: Images

  /// Sets the image for one exact set of states. `nil` removes the entry, so that the state shows the image of
  /// `.normal`. The transition runs only if the displayed image changes.
  public func setImage(_ image: Image?, for state: ControlState, transition: Transition = .none) {
    setImage(image, in: .image, for: state, transition: transition)
  }

  /// Sets the background image for one exact set of states, as `setImage(_:for:transition:)` sets the image.
  public func setBackgroundImage(_ image: Image?, for state: ControlState, transition: Transition = .none) {
    setImage(image, in: .background, for: state, transition: transition)
  }

  /// Returns the image that was set for exactly these states; `nil` also if the state shows the image of `.normal`. The
  /// displayed image is `currentImage`.
  public func image(for state: ControlState) -> Image? { image(in: .image, for: state) }
  /// Returns the background image that was set for exactly these states.
  public func backgroundImage(for state: ControlState) -> Image? { image(in: .background, for: state) }

  /// The image for the current state.
  public var currentImage: Image? { currentImage(in: .image) }
  /// The background image for the current state.
  public var currentBackgroundImage: Image? { currentImage(in: .background) }

  /// Sets the image or the background image for one exact set of states.
  package func setImage(
    _ image: Image?, in slot: ButtonSlot, for state: ControlState, transition: Transition = .none
  ) {
    let before = appearance(of: slot)
    let replaced = self[slot].table[state]
    // Set in place, because the subscript would copy the table.
    switch slot {
    case .image: images.table[state] = image
    case .background: backgrounds.table[state] = image
    }
    playOn(from: replaced, to: image)
    defer { removeUnusedPlayers() }
    let after = appearance(of: slot)
    guard before != after else {
      // The removed image must not remain visible as the old image of a running transition.
      let old = self[slot].transition?.old
      let removesOld = replaced != nil && replaced != image && old?.image != nil && old?.state == state
      if self[slot].transition != nil, removesOld || !transition.isAnimated && isShowing(slot, state) {
        endTransition(in: slot)
        setNeedsDisplay()
      }
      return
    }
    self[slot].transition = startTransition(transition, from: before, to: after, after: self[slot].transition)
    setNeedsDisplay()
  }

  /// Returns the image or the background image that was set for exactly these states.
  package func image(in slot: ButtonSlot, for state: ControlState) -> Image? { self[slot].table[state] }

  /// Returns the image or the background image for the current state.
  package func currentImage(in slot: ButtonSlot) -> Image? { appearance(of: slot).image }

  override var heldImages: [Image] {
    Array(images.table.values) + Array(backgrounds.table.values) + super.heldImages
  }

  /// True if an image set for `state` is displayed in the current state, that is, if no existing entry takes
  /// precedence.
  package func isShowing(_ slot: ButtonSlot, _ state: ControlState) -> Bool {
    self[slot].table.shows(state, in: self.state)
  }

  /// Returns the frame of the image or of the background image, in the button's coordinates. While the button has
  /// neither an image nor an `imageSize`, the frame of the image is `contentRect`.
  package func frame(of slot: ButtonSlot) -> Rect {
    guard slot == .image else { return bounds }
    let frames = layout()
    return frames.hasImage ? frames.image : contentRect
  }

  private subscript(slot: ButtonSlot) -> Images {
    get { slot == .image ? images : backgrounds }
    set { if slot == .image { images = newValue } else { backgrounds = newValue } }
  }

  // MARK: Titles

  /// Sets the title for one exact set of states; `nil` removes the entry.
  public func setTitle(_ title: String?, for state: ControlState) {
    titles[state] = title
    refreshTitle()
  }

  /// Sets the color of the title for one exact set of states; `nil` removes the entry.
  public func setTitleColor(_ color: Color?, for state: ControlState) {
    let before = currentTitleColor
    titleColors[state] = color
    if before != currentTitleColor { setNeedsDisplay() }
  }

  /// Returns the title that was set for exactly these states.
  public func title(for state: ControlState) -> String? { titles[state] }
  /// Returns the title color that was set for exactly these states.
  public func titleColor(for state: ControlState) -> Color? { titleColors[state] }
  /// The title for the current state.
  public var currentTitle: String? { titles.value(for: state) }
  /// The color of the title for the current state; white if none is set.
  public var currentTitleColor: Color { titleColors.value(for: state) ?? .white }

  private func refreshTitle() {
    let shown = currentTitle ?? ""
    guard shown != title.text else { return }
    title.text = shown
    // With `fill`, the size of the image depends on the title.
    imageFrameDidChange()
  }

  // MARK: State

  override func applyPrimaryAction() -> ControlEvent {
    let events = super.applyPrimaryAction()
    guard changesSelectionAsPrimaryAction else { return events }
    isSelected.toggle()
    return events.union(.valueChanged)
  }

  /// Shows the images and the title of the new state at once. A transition continues if its new image is still
  /// displayed.
  open override func stateDidChange() {
    for slot in [ButtonSlot.image, .background] where self[slot].transition?.new != appearance(of: slot) {
      endTransition(in: slot)
    }
    removeUnusedPlayers()
    refreshTitle()
    super.stateDidChange()
  }

  override var transitions: [ContentsTransition] {
    super.transitions + [images.transition, backgrounds.transition].compactMap { $0 }
  }

  override func transitionDidStep(_ running: ContentsTransition) {
    if running.isOver {
      for slot in ButtonSlot.allCases where self[slot].transition === running { self[slot].transition = nil }
    }
    super.transitionDidStep(running)
  }

  override func endTransitions() {
    super.endTransitions()
    endTransition(in: .image)
    endTransition(in: .background)
  }

  private func endTransition(in slot: ButtonSlot) {
    self[slot].transition?.stop()
    self[slot].transition = nil
  }

  /// Returns the image for the current state with its dimming.
  private func appearance(of slot: ButtonSlot) -> ImageAppearance {
    let table = self[slot].table
    let state = state
    var appearance = ImageAppearance(image: table.value(for: state), state: table.key(for: state))
    if table.hasOwnEntry(for: state) { return appearance }
    // White multiplied by 55 % equals 45 % black over the image.
    if state.contains(.highlighted), adjustsImageWhenHighlighted {
      appearance.tint = Color(red: 140, green: 140, blue: 140)
    }
    if state.contains(.disabled), adjustsImageWhenDisabled { appearance.opacity = 0.5 }
    return appearance
  }

  // MARK: Accessibility

  /// The role `.toggle` if a press changes the selection, otherwise `.button`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(changesSelectionAsPrimaryAction ? .toggle : .button) }
    set { super.accessibilityRole = newValue }
  }
  /// The label that was set, or else the displayed title.
  open override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? (title.text.isEmpty ? nil : title.text) }
    set { super.accessibilityLabel = newValue }
  }
  /// The value that was set, or else `on` or `off` if a press changes the selection.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (changesSelectionAsPrimaryAction ? isSelected ? "on" : "off" : nil) }
    set { super.accessibilityValue = newValue }
  }

  // MARK: Layout and drawing

  private struct ContentFrames {
    var image, title: Rect
    var hasImage: Bool
    var line: TextLayout.Line?
  }

  /// The rectangle in which image and title are laid out, for subclasses that draw beside them: the bounds without
  /// `contentInsets`. Each inset is limited to a quarter of the side, so that a small button can still show its image.
  public var contentRect: Rect {
    let (width, height) = (bounds.width / 4, bounds.height / 4)
    return bounds.inset(
      by: Insets(
        top: min(contentInsets.top, height), left: min(contentInsets.left, width),
        bottom: min(contentInsets.bottom, height), right: min(contentInsets.right, width)))
  }

  private func layout() -> ContentFrames { layout(for: currentImage) }

  private func layout(for image: Image?) -> ContentFrames {
    let content = contentRect
    var layout = contentLayout
    layout.image = imageSize ?? image?.size
    if !title.text.isEmpty { layout.title = .zero }
    let (fitted, titleWidth) = layout.fitted(into: content.size)
    layout = fitted
    var line: TextLayout.Line?
    if !title.text.isEmpty {
      let text = title.layout(width: titleWidth, in: window)
      line = text.lines.first
      layout.title = text.size
    }
    let frames = layout.frames(in: content)
    return ContentFrames(image: frames.image, title: frames.title, hasImage: layout.image != nil, line: line)
  }

  /// Draws the background image, the image and the title.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    draw(
      appearance(of: .background), in: bounds, mode: backgroundContentMode, cornerRadius: cornerRadius,
      transition: backgrounds.transition, into: &list)
    let frames = layout()
    // The old image keeps its frame during the transition.
    let oldRect = images.transition?.old.image.map { layout(for: $0).image }
    // Content that is larger than the button must not be drawn outside the redrawn area.
    let isTooLarge = !bounds.contains(frames.image.union(frames.title).union(oldRect ?? .zero))
    if isTooLarge { list.enter(origin: .zero, opacity: 1, clip: bounds) }
    draw(
      appearance(of: .image), renderingMode: renderingMode, in: frames.image, oldRect: oldRect,
      mode: imageContentMode, cornerRadius: imageCornerRadius, transition: images.transition, into: &list)
    if let line = frames.line {
      list.text(
        line.text, font: titleFont, color: currentTitleColor, at: frames.title.origin,
        size: frames.title.size)
    }
    if isTooLarge { list.leave() }
  }

  /// Returns the size of the content insets, the image and the title. The background image is ignored, because it
  /// changes when images arrive.
  open override func sizeThatFits(_ size: Size) -> Size {
    var layout = contentLayout
    layout.image = imageSize ?? currentImage?.size
    if !title.text.isEmpty { layout.title = title.layout(width: .infinity, in: window).size }
    return Size(
      width: (layout.size.width + contentInsets.left + contentInsets.right).rounded(.up),
      height: (layout.size.height + contentInsets.top + contentInsets.bottom).rounded(.up))
  }
}
