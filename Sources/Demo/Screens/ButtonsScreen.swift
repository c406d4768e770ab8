import Vitrine

/// Buttons with a remote image for each state: cards, a catalogue of all states, and a media bar below them.
final class ButtonsScreen: View, ScrollingScreen {
  private let images: ButtonImages
  private let bar: MediaBar
  private let scroll = ScrollView()
  private var cards: [ButtonCard] = []
  private var catalogue: StateCatalogue?
  private var loads: [() -> Void] = []
  private var attempt = 0

  init(gallery: Gallery, failure: Image?) {
    images = ButtonImages(gallery: gallery, failure: failure)
    bar = MediaBar(items: gallery.items(MediaBar.count, query: "media"), images: images)
    super.init()
    addSubview(bar)
    addSubview(scroll)
    addImageCard()
    addBackgroundCard()
    addBothCard()
    addDisabledCard()
    addFailingCard()
    addIdentifierCard()
    addCatalogue()
    reload()
  }

  var scrollView: ScrollView { scroll }

  func reload() {
    bar.load()
    for load in loads { load() }
  }

  // MARK: Cards

  private func addImageCard() {
    add(
      "Image per state", hint: "Press, release, press again: an image for each of four states.",
      ButtonStack(
        [
          icon("Heart", "heart", side: 64), icon("Star", "star", side: 64),
          icon("Small heart", "heart", side: 48), icon("Small star", "star", side: 48),
        ], gap: 16))
  }

  /// Returns a square button with an icon, whose file names begin with `name`.
  private func icon(_ title: String, _ name: String, side: Double) -> (view: View, size: Size) {
    let button = DemoButton(title)
    let isSmall = side < 64
    button.imageSize = Size(width: isSmall ? 28 : 40, height: isSmall ? 28 : 40)
    button.contentInsets = Insets(all: 8)
    if isSmall { button.imageIdentifier = "small" }
    makeToggle(button)
    loads.append { [unowned self, unowned button] in self.loadImages(name, into: button) }
    return (button, Size(width: side, height: side))
  }

  private func addBackgroundCard() {
    add(
      "Background per state", hint: "The plate behind the title is an image from the network.",
      ButtonStack(
        [plate("Background", height: 60), plate("Small background", height: 48)], isVertical: true, gap: 16))
  }

  /// Returns a button with a title on a plate.
  private func plate(_ name: String, height: Double) -> (view: View, size: Size) {
    let button = DemoButton(name)
    button.setTitle("Turn on", for: .normal)
    button.setTitle("On", for: .selected)
    if height < 60 {
      button.titleFont = .bold(13)
      button.imageIdentifier = "small"
    }
    makeToggle(button)
    loads.append { [unowned self, unowned button] in self.loadBackgrounds("plate", "png", into: button) }
    // The shape of the images.
    return (button, Size(width: height * 10 / 3, height: height))
  }

  private func addBothCard() {
    let button = DemoButton("Both", cornerRadius: 10)
    button.imageSize = Size(width: 64, height: 64)
    makeToggle(button)
    loads.append { [unowned self, unowned button] in
      self.loadBackgrounds("scene", "jpg", into: button)
      self.loadImages("play", into: button)
    }
    add(
      "Both", hint: "Noon, dusk when pressed, night when selected; a sign on top.",
      ButtonStack([button], size: Size(width: 272, height: 160)))
  }

  private func addDisabledCard() {
    let withImage = DemoButton("Disabled", cornerRadius: 10)
    let dimmed = DemoButton("Dimmed", cornerRadius: 10)
    for button in [withImage, dimmed] { button.isEnabled = false }
    loads.append { [unowned self, unowned withImage, unowned dimmed] in
      self.loadBackgrounds("scene", "jpg", into: withImage)
      self.loadBackgrounds("scene", "jpg", into: dimmed, states: 1)
    }
    add(
      "Disabled", hint: "Left with an image for the state; right without one, so dimmed.",
      ButtonStack([withImage, dimmed], size: Size(width: 136, height: 112)))
  }

  private func addFailingCard() {
    let button = DemoButton("Failing", cornerRadius: 10)
    button.addAction(for: .touchUpInside) { [weak self] _ in
      self?.loadFailing(into: button, after: 1)
    }
    loads.append { [unowned self, unowned button] in
      self.attempt = 0
      self.loadFailing(into: button, after: 0)
    }
    add(
      "Fails, and loads again", hint: "The server responds with 404 at first. Tap to try again.",
      ButtonStack([button], size: Size(width: 272, height: 160)))
  }

  private func addIdentifierCard() {
    let round = DemoButton("Round")
    let grey = DemoButton("Grey")
    loads.append { [unowned self, unowned round, unowned grey] in
      (round.hasFailed, grey.hasFailed) = (false, false)
      self.images.loadPortrait(into: round, identifier: "round", transform: .circle())
      self.images.loadPortrait(into: grey, identifier: "grey", transform: .grayscale())
    }
    add(
      "One URL, two identifiers", hint: "Downloaded once, cached as “round” and as “grey”.",
      ButtonStack([round, grey], size: Size(width: 136, height: 136)))
  }

  private func add(_ heading: String, hint: String, _ content: ButtonStack) {
    let card = ButtonCard(heading, hint: hint, content: content, contentSize: content.sizeThatFits(.zero))
    cards.append(card)
    scroll.addSubview(card)
  }

  private func addCatalogue() {
    let images = { (button: DemoButton) in
      button.cornerRadius = 10
      button.imageSize = Size(width: 40, height: 40)
    }
    let plate = { (button: DemoButton) in
      button.cornerRadius = 10
      button.titleFont = .bold(13)
      button.setTitle("Play", for: .normal)
      button.setTitle("On", for: .selected)
    }
    let catalogue = StateCatalogue([
      .init(
        name: "Images", prepare: images,
        load: { [unowned self] in self.loadImages("heart", into: $0, policy: $1) }),
      .init(
        name: "One image", prepare: images,
        load: { [unowned self] in self.loadImages("heart", into: $0, states: 1, policy: $1) }),
      .init(
        name: "Scenes", prepare: { $0.cornerRadius = 10 },
        load: { [unowned self] in self.loadBackgrounds("scene", "jpg", into: $0, policy: $1) }),
      .init(
        name: "One plate", prepare: plate,
        load: { [unowned self] in self.loadBackgrounds("plate", "png", into: $0, states: 1, policy: $1) }),
      .init(
        name: "Title", prepare: Self.prepareTitle,
        load: { [unowned self] in self.loadImages("star", into: $0, states: 1, policy: $1) }),
    ])
    self.catalogue = catalogue
    loads.append { [unowned catalogue] in catalogue.load() }
    scroll.addSubview(catalogue)
  }

  /// Prepares a button whose title and title color show the state, with an image after the title.
  private static func prepareTitle(_ button: DemoButton) {
    button.titleFont = .bold(13)
    button.imageSize = Size(width: 20, height: 20)
    button.imagePlacement = .trailing
    button.spacing = 4
    button.contentInsets = Insets(all: 4)
    button.cornerRadius = 10
    button.backgroundColor = Theme.tile
    button.setTitle("Off", for: .normal)
    button.setTitle("On", for: .selected)
    button.setTitle("On", for: [.selected, .highlighted])
    button.setTitle("On", for: [.selected, .disabled])
    button.setTitleColor(Theme.accent, for: .highlighted)
    button.setTitleColor(Color(hex: 0xFF_D0_40), for: .selected)
    button.setTitleColor(Theme.accent, for: [.selected, .highlighted])
    button.setTitleColor(Theme.secondaryText, for: .disabled)
    button.setTitleColor(Theme.secondaryText, for: [.selected, .disabled])
  }

  private func makeToggle(_ button: Button) { button.changesSelectionAsPrimaryAction = true }

  // MARK: Loading

  /// Loads the images of a button.
  ///
  /// - Parameter count: The number of states with an image of their own; other states show the image of the first one,
  ///   `.normal`.
  private func loadImages(
    _ name: String, into button: DemoButton, states count: Int = .max,
    policy: ImageRequest.CachePolicy = .useCache
  ) {
    button.hasFailed = false
    images.loadImages(Array(ButtonImages.files(name).prefix(count)), into: button, policy: policy)
  }

  private func loadBackgrounds(
    _ name: String, _ type: String, into button: DemoButton, states count: Int = .max,
    policy: ImageRequest.CachePolicy = .useCache
  ) {
    button.hasFailed = false
    images.loadBackgrounds(
      Array(ButtonImages.files(name, type).prefix(count)), into: button, policy: policy)
  }

  private func loadFailing(into button: DemoButton, after attempts: Int) {
    attempt += attempts
    button.hasFailed = false
    images.loadFailing(into: button, attempt: attempt)
  }

  // MARK: Layout

  /// The minimum height of a screen whose media bar stays in place; in a lower one, the bar scrolls with the cards.
  private static let leastHeightWithBar = 320.0

  override func layoutSubviews() {
    let barHeight = MediaBarLayout.height(forWidth: bounds.width)
    let isBarInPlace = bounds.height >= Self.leastHeightWithBar
    let home = isBarInPlace ? self : scroll
    // The bar is the first view for the Tab key.
    if bar.superview !== home { home.insertSubview(bar, at: 0) }
    bar.frame = Rect(
      x: 0, y: isBarInPlace ? bounds.height - barHeight : 0, width: bounds.width, height: barHeight)
    scroll.frame = Rect(
      x: 0, y: 0, width: bounds.width, height: isBarInPlace ? bounds.height - barHeight : bounds.height)

    let top = CardGrid(width: bounds.width, top: isBarInPlace ? 0 : barHeight).layOut(cards, in: scroll)
    let availableSize = Size(width: max(0, bounds.width - 2 * CardGrid.gap), height: 0)
    let size = catalogue?.sizeThatFits(availableSize) ?? .zero
    catalogue?.frame = Rect(origin: Point(x: CardGrid.gap, y: top), size: size)
    scroll.contentSize = Size(width: bounds.width, height: top + size.height + CardGrid.gap)
  }
}
