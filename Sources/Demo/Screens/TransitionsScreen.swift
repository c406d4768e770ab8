import Vitrine

/// Tiles that show the transitions from one image to another, one kind of transition per tile.
final class TransitionsScreen: View, ScrollingScreen {
  private static let gap = 16.0

  private let gallery: Gallery
  private let failure: Image?
  private let hasDisk: Bool
  private let scroll = ScrollView()
  private let all = AgainButton("All again", scriptTitle: "All again")
  private let hint = Label(
    "Two images per tile; Tab and Space work as well.", font: Theme.body, color: Theme.secondaryText)
  private var cards: [TransitionCard] = []
  private let memory = ImagePrefetcher()
  private let disk = ImagePrefetcher(destination: .disk)
  /// Functions that prefetch the images of tiles which load from memory or disk.
  private var prefetches: [() -> Void] = []

  /// Creates the screen.
  ///
  /// - Parameter hasDisk: True if there is a disk cache; without one, the tile “From disk” is left out.
  init(gallery: Gallery, failure: Image?, hasDisk: Bool) {
    self.gallery = gallery
    self.failure = failure
    self.hasDisk = hasDisk
    super.init()
    all.addAction(for: .touchUpInside) { [unowned self] _ in for card in self.cards { card.showNext() } }
    for view in [all, hint] { scroll.addSubview(view) }
    addSubview(scroll)
    addKinds()
    addButton()
    addSources()
    reload()
  }

  var scrollView: ScrollView { scroll }

  func reload() {
    for prefetch in prefetches { prefetch() }
    for card in cards { card.show() }
  }

  // MARK: Cards

  private func addKinds() {
    let long = 0.6
    addKind("None", "at once", .none)
    addKind("Fade", "out, then in", .fadeThrough(long, when: .always))
    addKind("Cross-dissolve", "0.6 s", .crossDissolve(long, when: .always))
    addKind("Other shape", "cross-dissolve", .crossDissolve(long, when: .always), of: (22, 29), mode: .fit)
    addKind("Transparent", "cross-dissolve", .crossDissolve(long, when: .always), of: (6, 18), mode: .fit)
    for (name, direction) in Self.directions {
      addKind("Slide \(name)", "0.6 s", .slide(direction, duration: long, when: .always))
    }
    for (name, direction) in Self.directions {
      addKind("Flip \(name)", "0.6 s", .flip(direction, duration: long, when: .always))
    }
    addKind("Blinds", "a custom one", .custom(Blinds(), duration: 0.8, when: .always))
  }

  private static let directions: [(String, Transition.Direction)] = [
    ("left", .left), ("right", .right), ("up", .up), ("down", .down),
  ]

  /// Adds a tile for one transition. The old image stays until the new one has loaded, and the transition runs
  /// regardless of the source of the image.
  private func addKind(
    _ name: String, _ hint: String, _ transition: Transition, of pair: (Int, Int)? = nil,
    mode: ContentMode = .fill
  ) {
    var options = SlotOptions(transition: transition, failureImage: failure)
    options.placeholderPolicy = .keepsPrevious
    let view = ImageView()
    view.contentMode = mode
    let pair = pair ?? Self.pairs[cards.count % Self.pairs.count]
    let urls = urls(of: pair, name)
    add(name, hint, of: view) { turn, completion in
      view.setImage(from: urls[turn % 2], options: options, completion: completion)
    }
  }

  /// Pairs of distinct gallery images, by their numbers.
  private static let pairs = [(1, 13), (4, 8), (5, 31), (7, 14), (10, 16), (15, 27), (21, 9), (23, 34)]

  private func urls(of pair: (Int, Int), _ name: String) -> [String] {
    let query = "tile=" + name.lowercased().replacing(" ", with: "-")
    return [pair.0, pair.1].map { gallery.imageURL($0, query: query) }
  }

  private func addButton() {
    let button = Button()
    button.imageSize = Size(width: 64, height: 64)
    button.isUserInteractionEnabled = false
    add("Button", "image, background", of: button) { [gallery, failure] turn, completion in
      var options = SlotOptions(failureImage: failure)
      options.placeholderPolicy = .keepsPrevious
      options.transition = .crossDissolve(0.6, when: .always)
      let background = turn % 2 == 0 ? "scene-normal.jpg" : "scene-selected.jpg"
      button.setBackgroundImage(
        from: gallery.button(background), for: .normal, options: options, completion: completion)
      options.transition = .flip(.left, duration: 0.6, when: .always)
      let image = turn % 2 == 0 ? "heart-selected.png" : "star-selected.png"
      button.setImage(from: gallery.button(image), for: .normal, options: options, completion: completion)
    }
  }

  /// Adds tiles that load their images from one source each: the network, the disk or memory.
  private func addSources() {
    addSource("From network", "cross-dissolve", SlotOptions()) { _ in .reload }
    if hasDisk {
      // By default, an image whose pixels are on disk is there before the tile is drawn, and appears at once.
      let dissolving = SlotOptions(transitionsBySource: [.disk: .crossDissolve])
      addSource("From disk", "cross-dissolve", dissolving, in: .diskOnly) { _ in .useCache }
    }
    addSource("From memory", "at once", SlotOptions()) { _ in .useCache }
    addSource("Always", "from memory too", SlotOptions(transition: .crossDissolve(0.6, when: .always))) {
      _ in .useCache
    }
    let bySource = SlotOptions(transitionsBySource: [
      .network: .flip(.left, duration: 0.6), .memory: .slide(.left, duration: 0.6),
    ])
    addSource("By source", "flips, or slides", bySource) { turn in turn % 4 < 2 ? .reload : .useCache }
  }

  private func addSource(
    _ name: String, _ hint: String, _ options: SlotOptions, in cache: ImageRequest.Cache = .downloader,
    policy: @escaping (_ turn: Int) -> ImageRequest.CachePolicy
  ) {
    var options = options
    options.failureImage = failure
    let view = ImageView()
    let urls = urls(of: Self.pairs[cards.count % Self.pairs.count], name)
    if policy(0) == .useCache {
      prefetches.append { [unowned self] in self.prefetch(urls, into: cache) }
    }
    // The old image stays if the transition shows both images.
    if options.transitionsBySource[.memory] != nil || options.transition.when == .always {
      options.placeholderPolicy = .keepsPrevious
    }
    add(name, hint, of: view) { turn, completion in
      var request = try? ImageRequest(urls[turn % 2])
      request?.cachePolicy = policy(turn)
      request?.cache = cache
      view.setImage(from: request, options: options, completion: completion)
    }
  }

  /// Prefetches images to disk, or into memory at the maximum size of a tile. The screen counts as loading meanwhile,
  /// so that a script waits for this.
  private func prefetch(_ urls: [String], into cache: ImageRequest.Cache) {
    let requests = urls.compactMap { url in
      var request = try? ImageRequest(url)
      request?.targetSize = DecodeTarget(width: 960, height: 600)
      return request
    }
    beginLoading()
    let prefetcher = cache == .diskOnly ? disk : memory
    prefetcher.prefetch(requests, completion: { [weak self] _ in self?.endLoading() })
  }

  private func add(
    _ name: String, _ hint: String, of view: View,
    change: @escaping (_ turn: Int, _ completion: @escaping SlotCompletion) -> Void
  ) {
    let card = TransitionCard(name, hint, of: view, change: change)
    cards.append(card)
    scroll.addSubview(card)
  }

  // MARK: Layout

  override func layoutSubviews() {
    scroll.frame = bounds
    let gap = Self.gap
    let allWidth = all.sizeThatFits(.zero).width
    all.frame = Rect(x: gap, y: gap, width: allWidth, height: 34)
    hint.frame = Rect(
      x: 2 * gap + allWidth, y: gap, width: max(0, bounds.width - 3 * gap - allWidth), height: 34)
    let top = 2 * gap + 34

    let columns = max(1, Int((bounds.width - gap) / (TransitionCard.minimumWidth + gap)))
    let width = ((bounds.width - gap) / Double(columns) - gap).rounded(.down)
    let height = TransitionCard.height(forWidth: width)
    for (index, card) in cards.enumerated() {
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      card.frame = Rect(
        x: gap + Double(column) * (width + gap), y: top + Double(row) * (height + gap), width: width,
        height: height)
    }
    let rows = Double((cards.count + columns - 1) / columns)
    scroll.contentSize = Size(width: bounds.width, height: top + rows * (height + gap))
  }
}
