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
/// An entry is for an exact set of states; a state without one shows the entry of `.normal`. (Focus takes part
/// only where an entry names it.) Pictures dim while the button is pressed or disabled, unless that state has
/// one of its own.
open class Button: Control {
  /// Room between the bounds and the content; 8 points above and below, 12 at the sides by default.
  public var contentInsets = Insets(top: 8, left: 12, bottom: 8, right: 12) {
    didSet { if contentInsets != oldValue { pictureRoomDidChange() } }
  }
  /// Between image and title, in points. 8 by default.
  public var spacing: Double {
    get { arranged.spacing }
    set { arranged.spacing = newValue }
  }
  /// On which side of the title the image lies; `leading` by default.
  public var imagePlacement: ImagePlacement {
    get { arranged.placement }
    set { arranged.placement = newValue }
  }
  /// Distances from the edges of its place that move the image, and change the size that suits the button in nothing.
  /// As in UIKit they make the room smaller in which it is aligned: in the middle, `left` 10 moves it by 5 to the right,
  /// and `left` 10 with `right` -10 by 10. None by default.
  public var imageInsets: Insets {
    get { arranged.imageInsets }
    set { arranged.imageInsets = newValue }
  }
  /// The same for the title; it is cut short where they leave it no room.
  public var titleInsets: Insets {
    get { arranged.titleInsets }
    set { arranged.titleInsets = newValue }
  }
  /// Where image and title lie in a button wider than they are; in the middle by default.
  public var contentHorizontalAlignment: HorizontalAlignment {
    get { arranged.horizontal }
    set { arranged.horizontal = newValue }
  }
  /// Where image and title lie in a button higher than they are; in the middle by default.
  public var contentVerticalAlignment: VerticalAlignment {
    get { arranged.vertical }
    set { arranged.vertical = newValue }
  }
  /// Whether a press selects the button, or ends that, and sends `valueChanged` together with `touchUpInside`:
  /// `isSelected` is new already when the actions run. False by default.
  public var changesSelectionAsPrimaryAction = false
  /// The box that the image is laid into, in points, kept free also while there is none: with a size of its
  /// own nothing moves when a picture arrives. Nil, the default, takes each image's natural size.
  public var imageSize: Size? { didSet { if imageSize != oldValue { pictureRoomDidChange() } } }
  /// How the image lies in its box; `fit` by default.
  public var imageContentMode = ContentMode.fit {
    didSet { if imageContentMode != oldValue { pictureRoomDidChange() } }
  }
  /// How the background image lies in the bounds; `fill` by default.
  public var backgroundContentMode = ContentMode.fill {
    didSet { if backgroundContentMode != oldValue { pictureRoomDidChange() } }
  }
  /// Of the image's corners, in points; those of the background image follow `cornerRadius`.
  public var imageCornerRadius = 0.0 {
    didSet { if imageCornerRadius != oldValue { setNeedsDisplay() } }
  }
  /// Regular, 16 points by default.
  public var titleFont: Font {
    get { title.font }
    set {
      guard newValue != title.font else { return }
      title.font = newValue
      pictureRoomDidChange()
    }
  }
  /// Whether a pressed button's pictures darken where the state has none of its own: by black at 45 %.
  public var adjustsImageWhenHighlighted = true { didSet { setNeedsDisplay() } }
  /// Whether a disabled button's pictures are half transparent where the state has none of its own.
  public var adjustsImageWhenDisabled = true { didSet { setNeedsDisplay() } }

  private var arranged = ButtonLayout() { didSet { if arranged != oldValue { pictureRoomDidChange() } } }
  private var images = Pictures()
  private var backgrounds = Pictures()
  private var titles = StateTable<String>()
  private var titleColors = StateTable<Color>()
  private var title = TextBlock(font: .regular(16))

  private struct Pictures {
    var table = StateTable<Image>()
    var transition: ContentsTransition?
  }

  /// A button with a title for `.normal`, to be placed later.
  public convenience init(title: String) {
    self.init()
    setTitle(title, for: .normal)
  }

  // MARK: Pictures

  /// Sets the image of exactly one set of states; nil removes it, so that the state shows that of `.normal`.
  /// The transition is seen only if this is the image that shows.
  public func setImage(_ image: Image?, for state: ControlState, transition: Transition = .none) {
    setPicture(image, in: .image, for: state, transition: transition)
  }

  /// The same for the background image.
  public func setBackgroundImage(
    _ image: Image?, for state: ControlState, transition: Transition = .none
  ) {
    setPicture(image, in: .background, for: state, transition: transition)
  }

  /// The image that was set for exactly these states; nil also where `.normal` is shown instead. What is
  /// shown is `currentImage`.
  public func image(for state: ControlState) -> Image? { picture(in: .image, for: state) }
  /// The background image that was set for exactly these states.
  public func backgroundImage(for state: ControlState) -> Image? { picture(in: .background, for: state) }

  /// What the button shows now.
  public var currentImage: Image? { currentPicture(in: .image) }
  /// What the button shows now.
  public var currentBackgroundImage: Image? { currentPicture(in: .background) }

  /// `setImage` or `setBackgroundImage`.
  public func setPicture(
    _ image: Image?, in slot: ButtonSlot, for state: ControlState, transition: Transition = .none
  ) {
    let before = look(of: slot)
    let replaced = self[slot].table[state]
    // In place: what is read and written back as a whole is copied.
    switch slot {
    case .image: images.table[state] = image
    case .background: backgrounds.table[state] = image
    }
    let after = look(of: slot)
    guard before != after else {
      // A picture that is gone is not seen as that which goes either, nor is the one that was there before it.
      let going = self[slot].transition?.old
      let isGoing = replaced != nil && replaced != image && going?.image != nil && going?.state == state
      if self[slot].transition != nil, isGoing || !transition.isAnimated && isShowing(slot, state) {
        endTransition(in: slot)
        setNeedsDisplay()
      }
      return
    }
    self[slot].transition = startTransition(
      transition, from: before, to: after, after: self[slot].transition)
    setNeedsDisplay()
  }

  /// `image(for:)` or `backgroundImage(for:)`.
  public func picture(in slot: ButtonSlot, for state: ControlState) -> Image? {
    self[slot].table[state]
  }

  /// `currentImage` or `currentBackgroundImage`.
  public func currentPicture(in slot: ButtonSlot) -> Image? { look(of: slot).image }

  /// Whether a picture set there would be seen at once: nothing that is set already goes before it in the
  /// present state.
  public func isShowing(_ slot: ButtonSlot, _ state: ControlState) -> Bool {
    self[slot].table.shows(state, in: self.state)
  }

  /// Where a picture goes, in own coordinates. For an image without `imageSize` that is not there yet: all of
  /// the content.
  public func place(of slot: ButtonSlot) -> Rect {
    guard slot == .image else { return bounds }
    let places = layout()
    return places.hasImage ? places.image : contentRect
  }

  private subscript(slot: ButtonSlot) -> Pictures {
    get { slot == .image ? images : backgrounds }
    set { if slot == .image { images = newValue } else { backgrounds = newValue } }
  }

  // MARK: Titles

  /// Sets the title of exactly one set of states; nil removes it.
  public func setTitle(_ title: String?, for state: ControlState) {
    titles[state] = title
    refreshTitle()
  }

  /// Sets the title's colour of exactly one set of states; nil removes it.
  public func setTitleColor(_ color: Color?, for state: ControlState) {
    let before = currentTitleColor
    titleColors[state] = color
    if before != currentTitleColor { setNeedsDisplay() }
  }

  /// The title that was set for exactly these states.
  public func title(for state: ControlState) -> String? { titles[state] }
  /// The colour that was set for exactly these states.
  public func titleColor(for state: ControlState) -> Color? { titleColors[state] }
  /// What the button shows now.
  public var currentTitle: String? { titles.value(for: state) }
  /// What the button shows now; white where none is set.
  public var currentTitleColor: Color { titleColors.value(for: state) ?? .white }

  private func refreshTitle() {
    let shown = currentTitle ?? ""
    guard shown != title.text else { return }
    title.text = shown
    // An image that fills takes what the title leaves.
    pictureRoomDidChange()
  }

  // MARK: State

  override func primaryEvents() -> ControlEvent {
    let events = super.primaryEvents()
    guard changesSelectionAsPrimaryAction else { return events }
    isSelected.toggle()
    return events.union(.valueChanged)
  }

  /// Shows the pictures and the title of the new state at once; a transition to what still shows goes on.
  open override func stateDidChange() {
    for slot in [ButtonSlot.image, .background] where self[slot].transition?.new != look(of: slot) {
      endTransition(in: slot)
    }
    refreshTitle()
    super.stateDidChange()
  }

  override var transitions: [ContentsTransition] {
    super.transitions + [images.transition, backgrounds.transition].compactMap { $0 }
  }

  override func transitionDidStep(_ running: ContentsTransition) {
    super.transitionDidStep(running)
    guard running.isOver else { return }
    for slot in ButtonSlot.allCases where self[slot].transition === running { self[slot].transition = nil }
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

  /// A picture as it shows: which one, and how far dimmed.
  private func look(of slot: ButtonSlot) -> PictureLook {
    let table = self[slot].table
    let state = state
    var look = PictureLook(image: table.value(for: state), state: table.key(for: state))
    if table.hasOwn(state) { return look }
    // White times 55 % is what black at 45 % over the picture gives.
    if state.contains(.highlighted), adjustsImageWhenHighlighted {
      look.tint = Color(red: 140, green: 140, blue: 140)
    }
    if state.contains(.disabled), adjustsImageWhenDisabled { look.opacity = 0.5 }
    return look
  }

  // MARK: Accessibility

  /// `button`, or `toggle` where a press changes the selection.
  open override var accessibilityRole: AccessibilityRole {
    get { role(changesSelectionAsPrimaryAction ? .toggle : .button) }
    set { super.accessibilityRole = newValue }
  }
  /// The title that shows.
  open override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? (title.text.isEmpty ? nil : title.text) }
    set { super.accessibilityLabel = newValue }
  }
  /// Of a toggle `on` or `off`.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (changesSelectionAsPrimaryAction ? isSelected ? "on" : "off" : nil) }
    set { super.accessibilityValue = newValue }
  }

  // MARK: Layout and drawing

  private struct Places {
    var image: Rect
    var title: Rect
    var hasImage: Bool
    var line: TextLayout.Line?
  }

  /// Where image and title are laid out: the bounds without the insets, which take a quarter of a side at most, so
  /// that a small button still has room for its image.
  public var contentRect: Rect {
    let (width, height) = (bounds.width / 4, bounds.height / 4)
    return bounds.inset(
      by: Insets(
        top: min(contentInsets.top, height), left: min(contentInsets.left, width),
        bottom: min(contentInsets.bottom, height), right: min(contentInsets.right, width)))
  }

  private func layout() -> Places { layout(for: currentImage) }

  private func layout(for image: Image?) -> Places {
    let content = contentRect
    var layout = arranged
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
    let places = layout.places(in: content)
    return Places(image: places.image, title: places.title, hasImage: layout.image != nil, line: line)
  }

  /// Draws background image, image and title.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    draw(
      look(of: .background), in: bounds, mode: backgroundContentMode, cornerRadius: cornerRadius,
      transition: backgrounds.transition, into: &list)
    let places = layout()
    // The picture before keeps its place.
    let oldRect = images.transition?.old.image.map { layout(for: $0).image }
    // What is larger than the button must not leave the area that is drawn again with it.
    let isTooLarge = !bounds.contains(places.image.union(places.title).union(oldRect ?? .zero))
    if isTooLarge { list.enter(origin: .zero, opacity: 1, clip: bounds) }
    draw(
      look(of: .image), renderingMode: renderingMode, in: places.image, oldRect: oldRect,
      mode: imageContentMode,
      cornerRadius: imageCornerRadius, transition: images.transition, into: &list)
    if let line = places.line {
      list.text(
        line.text, font: titleFont, color: currentTitleColor, at: places.title.origin,
        size: places.title.size)
    }
    if isTooLarge { list.leave() }
  }

  /// Insets, image and title. The background image takes no part, since it changes as pictures arrive.
  open override func sizeThatFits(_ size: Size) -> Size {
    var layout = arranged
    layout.image = imageSize ?? currentImage?.size
    if !title.text.isEmpty { layout.title = title.layout(width: .infinity, in: window).size }
    return Size(
      width: (layout.size.width + contentInsets.left + contentInsets.right).rounded(.up),
      height: (layout.size.height + contentInsets.top + contentInsets.bottom).rounded(.up))
  }
}
