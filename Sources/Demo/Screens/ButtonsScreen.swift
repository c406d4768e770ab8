import Vitrine

/// Buttons with a remote image for each state.
final class ButtonsScreen: View, ScrollingScreen {
  private let gallery: Gallery
  private let failure: Image?
  private let scroll = ScrollView()
  private var cards: [ButtonCard] = []
  private var catalogue: StateCatalogue?
  private var loads: [() -> Void] = []
  private var attempt = 0

  init(gallery: Gallery, failure: Image?) {
    self.gallery = gallery
    self.failure = failure
    super.init()
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

  func reload() { for load in loads { load() } }

  // MARK: Cards

  private func addImageCard() {
    let heart = DemoButton("Heart")
    let star = DemoButton("Star")
    for (button, name) in [(heart, "heart"), (star, "star")] {
      button.imageSize = Size(width: 64, height: 64)
      makeToggle(button)
      loads.append { [unowned self, unowned button] in self.loadImages(name, into: button) }
    }
    add(
      "Image per state", hint: "Press, release, press again: an image for each of four states.",
      [heart, star], size: Size(width: 96, height: 96))
  }

  private func addBackgroundCard() {
    let button = DemoButton("Background")
    button.setTitle("Turn on", for: .normal)
    button.setTitle("On", for: .selected)
    makeToggle(button)
    loads.append { [unowned self, unowned button] in self.loadBackgrounds("plate", "png", into: button) }
    add(
      "Background per state", hint: "The plate behind the title is an image from the network.",
      [button], size: Size(width: 240, height: 72))
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
      "Both", hint: "Noon, dusk when pressed, night when selected; a sign on top.", [button],
      size: Size(width: 272, height: 160))
  }

  private func addDisabledCard() {
    let withImage = DemoButton("Disabled", cornerRadius: 10)
    let dimmed = DemoButton("Dimmed", cornerRadius: 10)
    for button in [withImage, dimmed] { button.isEnabled = false }
    loads.append { [unowned self, unowned withImage, unowned dimmed] in
      self.loadBackgrounds("scene", "jpg", into: withImage)
      self.load(dimmed) { self.background(dimmed, "scene-normal.jpg", .normal) }
    }
    add(
      "Disabled", hint: "Left with an image for the state; right without one, so dimmed.",
      [withImage, dimmed], size: Size(width: 136, height: 112))
  }

  private func addFailingCard() {
    let button = DemoButton("Failing", cornerRadius: 10)
    button.addAction(for: .touchUpInside) { [weak self] _ in
      self?.attempt += 1
      self?.loadFailing(into: button)
    }
    loads.append { [unowned self, unowned button] in
      self.attempt = 0
      self.loadFailing(into: button)
    }
    add(
      "Fails, and loads again", hint: "The server responds with 404 at first. Tap to try again.", [button],
      size: Size(width: 272, height: 160))
  }

  private func addIdentifierCard() {
    let round = DemoButton("Round")
    let grey = DemoButton("Grey")
    loads.append { [unowned self, unowned round, unowned grey] in
      self.loadPortrait(into: round, identifier: "round", transform: .circle())
      self.loadPortrait(into: grey, identifier: "grey", transform: .grayscale())
    }
    add(
      "One URL, two identifiers", hint: "Downloaded once, cached as “round” and as “grey”.",
      [round, grey], size: Size(width: 136, height: 136))
  }

  private func add(_ heading: String, hint: String, _ buttons: [Button], size: Size) {
    let row = Row(buttons, size: size)
    let card = ButtonCard(heading, hint: hint, content: row, contentSize: row.sizeThatFits(.zero))
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

  private static let states: [(name: String, states: [ControlState])] = [
    ("normal", [.normal]), ("highlighted", [.highlighted, [.selected, .highlighted]]),
    ("selected", [.selected]), ("disabled", [.disabled]),
  ]

  private func load(_ button: DemoButton, _ body: () -> Void) {
    button.hasFailed = false
    body()
  }

  /// Loads the images of a button.
  ///
  /// - Parameter count: The number of states with an image of their own; other states show the image of the first one,
  ///   `.normal`.
  private func loadImages(
    _ name: String, into button: DemoButton, states count: Int = .max,
    policy: ImageRequest.CachePolicy = .useCache
  ) {
    load(button) {
      for (suffix, states) in Self.states.prefix(count) {
        for state in states {
          button.setImage(
            from: request("\(name)-\(suffix).png", policy), for: state,
            additionalIdentifier: identifier(for: button), options: options(state),
            completion: failureRecorder(for: button))
        }
      }
    }
  }

  private func loadBackgrounds(
    _ name: String, _ type: String, into button: DemoButton, states count: Int = .max,
    policy: ImageRequest.CachePolicy = .useCache
  ) {
    load(button) {
      for (suffix, states) in Self.states.prefix(count) {
        for state in states { background(button, "\(name)-\(suffix).\(type)", state, policy) }
      }
    }
  }

  private func background(
    _ button: DemoButton, _ file: String, _ state: ControlState,
    _ policy: ImageRequest.CachePolicy = .useCache
  ) {
    var options = options(state)
    // An indicator and a failure image would cover the title, which must stay legible without a background.
    if button.title(for: .normal) != nil {
      options.indicator = .none
      options.failureImage = nil
    }
    button.setBackgroundImage(
      from: request(file, policy), for: state, additionalIdentifier: identifier(for: button),
      options: options, completion: failureRecorder(for: button))
  }

  private func request(_ file: String, _ policy: ImageRequest.CachePolicy) -> ImageRequest? {
    var request = try? ImageRequest(gallery.button(file))
    request?.cachePolicy = policy
    return request
  }

  /// Returns an identifier that separates the catalogue's smaller images from larger ones with the same URLs, so that
  /// the size of an image does not depend on the order of the loads.
  private func identifier(for button: DemoButton) -> String? { button is SpecimenButton ? "catalogue" : nil }

  /// Loads an image that fails with 404 on every second attempt, beginning with the first. A permanent failure: the
  /// program sleeps while the failure image is shown.
  private func loadFailing(into button: DemoButton) {
    load(button) {
      button.setBackgroundImage(
        from: gallery.button(
          "scene-highlighted.jpg", query: attempt % 2 == 0 ? "status=404" : "try=\(attempt)"),
        for: .normal, options: options(.normal), completion: failureRecorder(for: button))
    }
  }

  private func loadPortrait(into button: DemoButton, identifier: String, transform: some ImageTransform) {
    load(button) {
      guard var request = try? ImageRequest(gallery.button("portrait.jpg")) else { return }
      request.transforms = [transform]
      button.setBackgroundImage(
        from: request, for: .normal, additionalIdentifier: identifier, options: options(.normal),
        completion: failureRecorder(for: button))
    }
  }

  private func options(_ state: ControlState) -> SlotOptions {
    // The failure image of the normal state also applies to the other states.
    SlotOptions(failureImage: state == .normal ? failure : nil)
  }

  private func failureRecorder(for button: DemoButton) -> SlotCompletion {
    { [weak button] result in
      if case .failure(let error) = result, error != .cancelled { button?.hasFailed = true }
    }
  }

  // MARK: Layout

  override func layoutSubviews() {
    scroll.frame = bounds
    let top = CardGrid(width: bounds.width).layOut(cards, in: scroll)
    let availableSize = Size(width: max(0, bounds.width - 2 * CardGrid.gap), height: 0)
    let size = catalogue?.sizeThatFits(availableSize) ?? .zero
    catalogue?.frame = Rect(origin: Point(x: CardGrid.gap, y: top), size: size)
    scroll.contentSize = Size(width: bounds.width, height: top + size.height + CardGrid.gap)
  }
}

/// A row of views of equal size.
private final class Row: View {
  private static let gap = 24.0
  private let itemSize: Size

  init(_ views: [View], size: Size) {
    itemSize = size
    super.init()
    for view in views { addSubview(view) }
  }

  override func sizeThatFits(_ size: Size) -> Size {
    let count = Double(subviews.count)
    return Size(width: itemSize.width * count + Self.gap * (count - 1), height: itemSize.height)
  }

  override func layoutSubviews() {
    let count = Double(subviews.count)
    let width = min(itemSize.width, (bounds.width - Self.gap * (count - 1)) / count)
    for (index, view) in subviews.enumerated() {
      view.frame = Rect(x: Double(index) * (width + Self.gap), y: 0, width: width, height: bounds.height)
    }
  }
}
