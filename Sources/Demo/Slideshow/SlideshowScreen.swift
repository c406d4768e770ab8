import Vitrine

/// The images of a feed one after another, with title and clock, or the reason why there is none.
final class SlideshowScreen: View, Screen {
  let slideshow = SlideshowView()
  private let caption = CaptionView()
  private let message = SlideshowMessage()
  private let content: SlideCaption
  /// Called when the user asks for newer images. The handler reloads the feed's list.
  var onRefresh: () -> Void = {}
  /// The name of the feed, with the state of its list in words.
  var feedText: String {
    get { message.feedText }
    set { message.feedText = newValue }
  }

  init(items: Feed.Items, options: SlideshowOptions) {
    content = options.caption
    super.init()
    slideshow.secondsPerImage = options.seconds
    slideshow.transition = SlideTransition.named(options.transition)
    slideshow.motion = options.moves ? .kenBurns : .none
    slideshow.order = options.order == "shuffled" ? .shuffled() : .list
    slideshow.onShow = { [unowned self] _, _ in
      message.slideDidShow()
      updateCaption()
    }
    slideshow.onFailure = { [unowned self] in message.slideDidFail($2, of: $0.url, in: slideshow) }
    slideshow.onPause = { [unowned self] _ in updateCaption() }
    if options.hasClock { caption.trailingView = ClockLabel { .local } }
    message.count = items.count
    for view in [slideshow, caption, message] as [View] { addSubview(view) }
    slideshow.setSlides(Slides(items))
  }

  /// Shows other items. The shown image stays until the next change.
  ///
  /// - Parameter changes: The difference from the items before.
  func show(_ items: Feed.Items, _ changes: ListChanges) {
    message.count = items.count
    slideshow.setSlides(Slides(items), changes: changes)
    updateCaption()
  }

  func reload() { onRefresh() }

  private func updateCaption() {
    let parts = content.parts(
      title: slideshow.shownTitle, captureTime: slideshow.shownMetadata?.captureTime)
    caption.text = (parts + (slideshow.isPaused ? ["Paused"] : [])).joined(separator: "  ·  ")
  }

  override func layoutSubviews() {
    slideshow.frame = bounds
    let height = min(bounds.height, caption.sizeThatFits(bounds.size).height)
    caption.frame = Rect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
    message.frame = Rect(x: 0, y: 0, width: bounds.width, height: caption.frame.minY).inset(
      by: 2 * Theme.unit)
  }
}

/// Scripts find the slideshow by the name “Slideshow”.
extension SlideshowScreen: ScriptNamed {
  var scriptTitle: String { "Slideshow" }
  var scriptStates: Set<ScriptState> {
    let load: ScriptState = slideshow.isLoading ? .loading : slideshow.shownSlide == nil ? .failed : .loaded
    return slideshow.isChanging ? [load, .changing] : [load]
  }
}
