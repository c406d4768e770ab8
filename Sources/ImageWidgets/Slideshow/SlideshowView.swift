public import VitrineGraphics
public import VitrineLoading
public import VitrineWidgets

/// A view that shows one image after another, as a photo frame does.
///
/// ```swift
/// let slideshow = SlideshowView()
/// slideshow.motion = .kenBurns
/// slideshow.onShow = { [weak caption, unowned slideshow] _, _ in caption?.text = slideshow.shownTitle ?? "" }
/// slideshow.setSlides(Slides(feed.items))
/// window.rootView = slideshow
/// ```
///
/// The next image is loaded and decoded, and uploaded to the graphics processor if there is one, while the current one is
/// shown. The current one stays until the next is ready: there is no empty frame. An image that fails is skipped and
/// tried again later. An image whose shape differs much from that of the view is shown whole, over a blurred copy of
/// itself; others fill the view. If there is no current image, the first one does not wait for its blurred copy, which
/// then fades in. The view holds at most three images: the shown one, the next one, and during a transition the outgoing
/// one.
///
/// The first image is in the first frame of a window if the disk has it, as in an image slot
/// (`Application.Configuration.firstFrameWait`), and appears without a transition.
///
/// A finger on the view pauses the slideshow, a tap pauses it until the next tap, and a flick shows the next or the
/// previous image. So do the keys ←, →, Page Up and Page Down, and a wheel of either direction; Space and Enter are the
/// same as a tap. A touch of several fingers, such as a pinch, only pauses. The time stands still while the view is not on
/// the screen. A slide that stands still requests no frames.
open class SlideshowView: View {
  /// The number of seconds for which an image is shown between two transitions; 10 by default. Values below 0.1 and NaN
  /// count as 0.1.
  public var secondsPerImage: Double {
    get { player.secondsPerImage }
    set { player.secondsPerImage = newValue }
  }
  /// The transition from one image to the next; by default a cross-dissolve of 1 s. Its `Transition.when` is ignored.
  public var transition: Transition {
    get { player.transition }
    set { player.transition = newValue }
  }
  /// The movement of images that fill the view; `none` by default. A change applies to images that are shown later.
  public var motion: SlideMotion {
    get { player.motion }
    set { player.motion = newValue }
  }
  /// The order of the slides; that of the list by default. A change begins the new order, and the shown image stays.
  public var order: SlideOrder {
    get { player.order }
    set { player.order = newValue }
  }
  /// The image shown whole until the first slide is ready; `nil`, the default, shows the background.
  public var placeholder: Image? { didSet { if placeholder != oldValue { setNeedsDisplay() } } }
  /// The downloader of the images; `nil`, the default, uses `sharedImageDownloader` of the view's class. A change applies
  /// to loads that start afterwards.
  public var downloader: ImageDownloader?
  /// True, the default, if the view handles keys that neither the focused view nor its superviews have handled.
  public var handlesUnclaimedKeys = true
  /// Called when a slide is shown, with the slide and its index. During a transition, this is the moment when the slide
  /// becomes more visible than the one before, so that a caption changes with the image.
  public var onShow: ((Slide, Int) -> Void)?
  /// Called for each image that cannot be loaded, with the slide, its index and the reason. The slide is tried again
  /// later.
  public var onFailure: ((Slide, Int, ImageError) -> Void)?
  /// Called for a tap, Space and Enter in place of `isPaused.toggle()`, for example to open the shown image; `nil` by
  /// default.
  public var onTap: (() -> Void)?
  /// Called with the new value of `isPaused` when it has changed.
  public var onPause: ((Bool) -> Void)?

  private lazy var player = SlideshowPlayer(view: self)
  /// The touches that pause the slideshow.
  private var touches: [Touch] = []
  /// True from the second finger on until all fingers are lifted: none of their touches is a tap or a flick.
  private var isMultiTouch = false
  private var wheel = PageWheel()

  /// Creates a black view without slides, with the accessibility role `.image`.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    backgroundColor = .black
    accessibilityRole = .image
  }

  // MARK: Slides

  /// The slides.
  public var slides: Slides { player.slides }
  /// The shown slide, in a transition the more visible one; `nil` before the first one.
  public var shownSlide: Slide? { player.shownSlide }
  /// The title of the shown slide; `nil` if there is none. Without a title of its own, or with one that is only the name of
  /// a file, a slide has the title in its image.
  public var shownTitle: String? {
    guard let slide = shownSlide else { return nil }
    return slide.title == nil || slide.isTitleFileName ? shownMetadata?.title ?? slide.title : slide.title
  }
  /// The title and the time in the image of the shown slide; `nil` if the image states neither.
  public var shownMetadata: ImageMetadata? { player.stage.mostVisible?.image.metadata }
  /// The index of the shown slide; `nil` if there is none, or if it is no longer among `slides`.
  public var shownIndex: Int? { player.shownIndex }
  /// The part of the view in which the image of the shown slide lies, in the view's coordinates: the whole view for an
  /// image that fills the view and is cropped, or else the image without its backdrop; `nil` before the first slide. For
  /// a `HeroTile` from which the slide opens. The movement of the image is ignored.
  public var shownImageFrame: Rect? { player.stage.mostVisible?.imageFrame(in: bounds) }
  /// True while an image is loading that is not shown yet, and while the blurred copy behind the shown image is being
  /// made.
  public var isPreparing: Bool { player.isPreparing }
  /// True while one slide changes into another, and while the blurred copy behind the first slide fades in.
  public var isChanging: Bool { player.stage.isChanging }

  /// Sets the slides. The shown image stays until the next change, also if it is not among the new slides; slides are
  /// matched by their URLs. Without slides, the placeholder is shown.
  ///
  /// - Parameters:
  ///   - slides: The new slides.
  ///   - changes: The difference from the slides before, as `Feed.onUpdate` reports it; `nil`, the default, compares the
  ///     URLs, in O(n log n).
  public func setSlides(_ slides: Slides, changes: ListChanges? = nil) { player.setSlides(slides, changes) }

  /// Shows the next slide now, or as soon as it is ready.
  public func showNext() { player.showNext() }

  /// Shows the previous slide as soon as it is ready. In a random order, there is none before the first one.
  public func showPrevious() { player.showPrevious() }

  /// Loads the shown slide again, for example after the caches have been cleared. Meanwhile, the placeholder is shown. If
  /// the slide fails, the next one is shown. Without a shown slide, the one that is being prepared is loaded again.
  public func reload() { player.reload() }

  /// True if the shown image stays until this property is false again; false by default. Steps are possible meanwhile.
  public var isPaused: Bool {
    get { player.plan.pauses.contains(.user) }
    set {
      guard newValue != isPaused else { return }
      player.setPaused(newValue, .user)
      onPause?(newValue)
    }
  }

  var currentDownloader: ImageDownloader { downloader ?? type(of: self).sharedImageDownloader }

  // MARK: Events of the view

  /// Prepares the slides for another size.
  open override func boundsDidChange() {
    super.boundsDidChange()
    player.sizeMayHaveChanged()
  }

  /// Begins in a window, and stops outside of one.
  open override func didMoveToWindow() {
    super.didMoveToWindow()
    player.windowDidChange()
  }

  /// Draws the slides, or the placeholder.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    player.draw(placeholderCommand, into: &list)
  }

  private var placeholderCommand: DrawList.ImageCommand? {
    guard let placeholder else { return nil }
    let layout = ContentMode.fit.layout(
      pixelWidth: placeholder.pixelWidth, pixelHeight: placeholder.pixelHeight, size: placeholder.size,
      in: bounds)
    return DrawList.ImageCommand(image: placeholder, source: layout.source, destination: layout.destination)
  }

  // MARK: Touches, wheel and keys

  /// Pauses the slideshow while a finger is down.
  open override func touchBegan(_ touch: Touch) {
    touches.append(touch)
    if touches.count > 1 { isMultiTouch = true }
    player.setPaused(true, .touch)
  }

  /// Does nothing: the touch is judged at its end.
  open override func touchMoved(_ touch: Touch) {}

  /// Continues the slideshow after the last finger, and performs a tap or a flick of a single finger.
  open override func touchEnded(_ touch: Touch) {
    let isSingle = !isMultiTouch
    guard end(touch), isSingle else { return }
    let meaning = SlideTouch(
      distance: touch.location - touch.startLocation, seconds: touch.time - touch.startTime)
    switch meaning {
    case .tap: performTap()
    case .flickLeft: showNext()
    case .flickRight: showPrevious()
    case .other: break
    }
  }

  /// Continues the slideshow after the last finger.
  open override func touchCancelled(_ touch: Touch) { end(touch) }

  /// Returns false for a touch whose beginning the view has not received.
  @discardableResult
  private func end(_ touch: Touch) -> Bool {
    guard let index = touches.firstIndex(where: { $0 === touch }) else { return false }
    touches.remove(at: index)
    guard touches.isEmpty else { return true }
    isMultiTouch = false
    player.setPaused(false, .touch)
    return true
  }

  /// Shows the next or the previous slide, one per step of the wheel and at most one in 0.3 s. A vertical wheel is passed
  /// on if it scrolls a superview.
  open override func wheel(at location: Point, deltaX: Double, deltaY: Double) -> Bool {
    let isSideways = abs(deltaX) > abs(deltaY)
    let delta = isSideways ? deltaX : deltaY
    guard delta != 0, slides.count > 1, isSideways || !isInVerticalScrollView else { return false }
    switch wheel.pages(for: delta, at: window?.now ?? 0) {
    case 1: showNext()
    case -1: showPrevious()
    default: break
    }
    return true
  }

  private var isInVerticalScrollView: Bool {
    sequence(first: self as View, next: \.superview).contains {
      ($0 as? ScrollView)?.scrollsVertically == true
    }
  }

  private func performTap() { if let onTap { onTap() } else { isPaused.toggle() } }

  /// The value of `handlesUnclaimedKeys`.
  open override var takesUnclaimedKeys: Bool { handlesUnclaimedKeys }

  /// Handles the arrow keys to both sides, Page Up, Page Down, Space and Enter, without modifiers.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard modifiers.isEmpty else { return false }
    switch key {
    case .right, .pageDown: showNext()
    case .left, .pageUp: showPrevious()
    // A gamepad has Enter only.
    case .space, .enter: performTap()
    default: return false
    }
    return true
  }

  // MARK: Accessibility

  /// The label that was set, or else `shownTitle`.
  open override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? shownTitle }
    set { super.accessibilityLabel = newValue }
  }
  /// The value that was set, or else the number of the shown slide, such as `3 of 12` or `3 of 12, paused`.
  open override var accessibilityValue: String? {
    get {
      if let value = super.accessibilityValue { return value }
      let number = shownIndex.map { "\($0 + 1) of \(slides.count)" }
      let words = [number, isPaused ? "paused" : nil].compactMap { $0 }
      return words.isEmpty ? nil : words.joined(separator: ", ")
    }
    set { super.accessibilityValue = newValue }
  }
}
