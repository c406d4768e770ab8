import Vitrine

/// The first screen: a slideshow of the feed with title, clock and cost, over a strip with a tile for each image.
///
/// A tap on the slideshow or on a tile opens the image.
final class HomeScreen: View, ImageScreen {
  let slideshow = SlideshowView()
  let strip: HomeStrip
  /// Called when the user asks for newer images. The handler reloads the feed's list.
  var onRefresh: () -> Void = {}
  var onOpen: (Int) -> Void = { _ in }
  private(set) var feedItems: Feed.Items
  /// The name of the feed, with the state of its list in words.
  var feedText: String {
    get { message.feedText }
    set { message.feedText = newValue }
  }

  private let caption = CaptionView()
  private let clock: ClockLabel
  private let cost: CostLine
  private let message = SlideshowMessage()
  private var isPausedByUser = false { didSet { updatePause() } }
  private var isViewerOpen = false { didSet { updatePause() } }
  /// True if the image in the viewer was opened from the slideshow, not from the strip.
  private var isOpenedFromSlideshow = false

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - failure: The image of tiles that cannot be loaded.
  ///   - time: Returns the time of day.
  ///   - readCost: Returns the cost of the process up to now; `nil` shows no cost.
  init(
    items: Feed.Items, failure: Image?, time: @escaping () -> ClockTime,
    readCost: @escaping () -> ProcessCost?
  ) {
    feedItems = items
    strip = HomeStrip(items: items, failure: failure)
    clock = ClockLabel(time: time)
    cost = CostLine(read: readCost)
    super.init()
    slideshow.secondsPerImage = 7
    // The keys move the cursor of the strip instead.
    slideshow.handlesUnclaimedKeys = false
    slideshow.onShow = { [unowned self] _, index in slideshowDidShow(index) }
    slideshow.onFailure = { [unowned self] in message.slideDidFail($2, of: $0.url, in: slideshow) }
    slideshow.onTap = { [unowned self] in openShownImage() }
    strip.onOpen = { [unowned self] in open($0, fromSlideshow: false) }
    caption.trailingView = clock
    message.count = items.count
    for view in [slideshow, caption, cost, strip, message] as [View] { addSubview(view) }
    slideshow.setSlides(Slides(items))
    updateTexts()
  }

  // MARK: Images

  /// Shows other items. The shown image stays until the next change.
  ///
  /// - Parameter changes: The difference from the items before.
  func show(_ items: Feed.Items, _ changes: ListChanges) {
    feedItems = items
    message.count = items.count
    strip.show(items, changes)
    slideshow.setSlides(Slides(items), changes: changes)
    strip.setCurrentRow(slideshow.shownIndex)
    updateTexts()
    setNeedsLayout()
  }

  func reload() {
    strip.reload()
    slideshow.reload()
  }

  func refresh() { onRefresh() }

  /// Reads the time of day and the cost again, after their sources have changed.
  func updateReadings() {
    clock.update()
    cost.update()
  }

  private func slideshowDidShow(_ index: Int) {
    message.slideDidShow()
    strip.setCurrentRow(index)
    updateTexts()
  }

  private func updateTexts() {
    let words = [slideshow.shownTitle, isPausedByUser ? "Paused" : nil].compactMap { $0 }
    caption.text = words.joined(separator: "  ·  ")
  }

  private func updatePause() {
    slideshow.isPaused = isPausedByUser || isViewerOpen
    cost.isRunning = !isViewerOpen
    updateTexts()
  }

  // MARK: Images over the whole window

  private func openShownImage() {
    if let row = slideshow.shownIndex { open(row, fromSlideshow: true) }
  }

  private func open(_ row: Int, fromSlideshow: Bool) {
    isOpenedFromSlideshow = fromSlideshow
    onOpen(row)
  }

  func viewerDidChange(isOpen: Bool) { isViewerOpen = isOpen }

  var images: [any FeedImage] { strip.allTiles }
  var visibleImages: [any FeedImage]? { strip.isHidden ? nil : strip.visibleTiles }

  /// Returns the place of the slide, if the image was opened from there, or else of its tile.
  func tile(of row: Int) -> HeroTile? {
    guard isSlide(row) else { return strip.isHidden ? nil : strip.heroTile(of: row) }
    return slideshow.shownImageFrame.map {
      // Caption and strip lie on the slide.
      HeroTile(
        frame: Rect(origin: slideshow.frameInWindow.origin + $0.origin, size: $0.size), isOverlaid: true)
    }
  }

  func reveal(_ row: Int) { if !isSlide(row) { strip.reveal(row, animated: false) } }

  func hideImage(of row: Int?) { strip.hideImage(of: row.flatMap { isSlide($0) ? nil : $0 }) }

  /// True if an image returns into the slideshow, not into the strip.
  private func isSlide(_ row: Int) -> Bool {
    slideshow.shownIndex == row && (isOpenedFromSlideshow || strip.isHidden)
  }

  // MARK: Keys

  /// True: the first arrow key gives the focus to the strip, at the image that is shown.
  override var takesUnclaimedKeys: Bool { true }

  override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard modifiers.isEmpty, window?.focusedView == nil || strip.isFocused else { return false }
    switch key {
    case .space: isPausedByUser.toggle()
    // A strip with the focus has had its chance.
    case _ where strip.isFocused: return false
    case .enter where slideshow.shownIndex != nil: openShownImage()
    case .left where strip.isHidden: slideshow.showPrevious()
    case .right where strip.isHidden: slideshow.showNext()
    case .left, .right, .up, .down, .pageUp, .pageDown, .home, .end:
      guard !strip.isHidden, strip.canBecomeFocused else { return false }
      window?.focus(strip)
    default: return false
    }
    return true
  }

  // MARK: Layout

  override func layoutSubviews() {
    let layout = HomeLayout(bounds.size)
    slideshow.frame = bounds
    strip.isHidden = layout.tile == nil || feedItems.isEmpty
    let stripHeight = strip.isHidden ? 0 : layout.stripHeight
    strip.frame = Rect(x: 0, y: bounds.height - stripHeight, width: bounds.width, height: stripHeight)
    if let tile = layout.tile {
      strip.arrange(tile: tile, gap: layout.gap, margin: layout.margin, padding: layout.padding)
    }
    layoutTexts(layout, above: strip.frame.minY)
  }

  private func layoutTexts(_ layout: HomeLayout, above bottom: Double) {
    caption.isHidden = layout.titleSize == nil
    cost.isHidden = caption.isHidden || !layout.showsCost
    caption.font = .bold(layout.titleSize ?? 14)
    clock.font = caption.font
    caption.insets = layout.captionInsets
    caption.setNeedsLayout()
    let height = min(bottom, caption.sizeThatFits(bounds.size).height)
    caption.frame = Rect(x: 0, y: bottom - height, width: bounds.width, height: height)
    cost.frame = Rect(
      x: layout.margin, y: bottom - layout.captionInsets.bottom,
      width: max(0, bounds.width - 2 * layout.margin), height: HomeLayout.costHeight)
    message.frame = Rect(
      x: layout.margin, y: 0, width: max(0, bounds.width - 2 * layout.margin),
      height: max(0, caption.isHidden ? bottom : caption.frame.minY))
  }
}

/// Scripts find the screen by the name “Slideshow”.
extension HomeScreen: ScriptNamed {
  var scriptTitle: String { "Slideshow" }
  var scriptStates: Set<ScriptState> {
    let load: ScriptState = slideshow.isLoading ? .loading : slideshow.shownSlide == nil ? .failed : .loaded
    return slideshow.isChanging ? [load, .changing] : [load]
  }
}
