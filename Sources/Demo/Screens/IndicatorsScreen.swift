import Vitrine

/// Each kind of indicator over an image that loads slowly, and images with previews during the load. Each card has a
/// button that loads the image again.
final class IndicatorsScreen: View, ScrollingScreen {
  private let gallery: Gallery
  private let failure: Image?
  private let downloader: ImageDownloader
  private let scroll = ScrollView()
  private var cards: [ButtonCard] = []
  private var images: [SlowImageView] = []
  /// The downloader's limit of downloads per host before this screen was shown, restored when the screen is left.
  private var previousDownloadLimit = 0

  init(gallery: Gallery, failure: Image?, downloader: ImageDownloader) {
    self.gallery = gallery
    self.failure = failure
    self.downloader = downloader
    super.init()
    addSubview(scroll)
    add("Spinner", "Appears after 0.1 s, for at least 0.3 s.", "12-birches-in-october.jpg", .activity)
    add("Bar", "The received part, if the server states the length.", "16-the-canyon.jpg", .bar)
    add("Ring", "The same in a smaller area.", "22-blue-ridges.jpg", .ring)
    add(
      "Unknown", "A response of unknown length.", "24-the-keepers-light.jpg", .bar,
      query: "length=none")
    add(
      "Your own", "Drawn by the program (IndicatorDrawing).", "03-sun-path.jpg", .custom(HoppingDots())
    )
    addTaskCard()
    add("None", "Nothing until the image is loaded.", "10-the-colonnade.jpg", .none)
    add(
      "Scans", "Previews of a progressive JPEG: coarse, then finer.", "07-city-at-blue-hour.jpg", .none,
      query: "rate=160000&in=scans", progressive: .scans)
    add(
      "Blurred", "The same previews, blurred less and less.", "07-city-at-blue-hour.jpg", .none,
      query: "rate=160000&in=blurred", progressive: .blurred)
    add(
      "Rows", "A baseline JPEG, shown from the top as it arrives.", "26-peak-above-the-clouds.jpg", .ring,
      progressive: .scans)
  }

  var scrollView: ScrollView { scroll }

  func reload() { for image in images { image.load(again: false) } }

  /// Raises the limit of downloads per host while the screen is shown, so that all cards load concurrently.
  override func didMoveToWindow() {
    super.didMoveToWindow()
    if window != nil {
      previousDownloadLimit = downloader.maximumActiveDownloadsPerHost
      downloader.maximumActiveDownloadsPerHost = max(previousDownloadLimit, downloader.maximumActiveDownloads)
    } else {
      downloader.maximumActiveDownloadsPerHost = previousDownloadLimit
    }
  }

  // MARK: Cards

  private func add(
    _ name: String, _ hint: String, _ file: String, _ indicator: SlotOptions.Indicator, query: String = "",
    progressive: ImageRequest.Progressive = .none
  ) {
    var options = SlotOptions()
    options.indicator = indicator
    options.failureImage = failure
    let image = SlowImageView(name, url: url(file, query)) { image, request, completion in
      var request = request
      request.progressive = progressive
      image.setImage(from: request, options: options, completion: completion)
    }
    addCard(name, hint, image)
  }

  /// Adds a card whose bar and spinner are below the image and follow the task that loads the image.
  private func addTaskCard() {
    let bar = ProgressView(style: .bar, color: Theme.accent)
    let spinner = ActivityIndicator()
    let image = SlowImageView("Task", url: url("14-fields-in-june.jpg", "")) {
      [downloader, failure] image, request, end in
      var request = request
      request.targetSize = image.pixels
      image.contents = nil
      image.beginLoading()
      let task = downloader.load(request) { [weak image] result in
        image?.endLoading()
        switch result {
        case .success(let response): image?.setContents(response.image, transition: .fadeThrough)
        case .failure(.cancelled): break
        case .failure: image?.contents = failure
        }
        end(result)
      }
      image.setLoadOperation(task, forKey: "task")
      // A task that fails before any byte arrives does not reset the bar.
      bar.setProgress(0, animated: false)
      bar.setProgress(withProgressOf: task)
      spinner.setAnimating(withStateOf: task)
    }
    addCard(
      "Bound to a task", "A bar and a spinner beside the image follow its ImageTask.", image,
      [spinner, bar])
  }

  private func addCard(_ heading: String, _ hint: String, _ image: SlowImageView, _ extras: [View] = []) {
    let content = SlowCardContent(image, extras: extras)
    let card = ButtonCard(
      heading, hint: hint, content: content, contentSize: Size(width: .infinity, height: .infinity))
    images.append(image)
    cards.append(card)
    scroll.addSubview(card)
  }

  /// Returns the URL of an image of about 150 KB that takes three seconds to load, unless `query` changes the rate.
  private func url(_ file: String, _ query: String) -> String {
    gallery.imageURL(file, query: "latency=500&rate=60000\(query.isEmpty ? "" : "&\(query)")")
  }

  // MARK: Layout

  override func layoutSubviews() {
    scroll.frame = bounds
    CardGrid(width: bounds.width).layOut(cards, in: scroll)
  }
}

/// An image that can be loaded from the server again. Scripts find the view by its name.
private final class SlowImageView: ImageView, ScriptNamed, LoadingByTask {
  typealias Load = (SlowImageView, ImageRequest, @escaping SlotCompletion) -> Void

  let scriptTitle: String
  private let url: String
  private let start: Load
  private(set) var hasFailed = false
  private var hasBegun = false

  init(_ name: String, url: String, load: @escaping Load) {
    scriptTitle = name
    self.url = url
    start = load
    super.init(frame: .zero)
    accessibilityLabel = name
    backgroundColor = Theme.tile
    cornerRadius = 8
    isUserInteractionEnabled = false
  }

  /// Starts the first load once the view has a size, which the target size of the task card needs.
  override func boundsDidChange() {
    super.boundsDidChange()
    guard !hasBegun, !bounds.isEmpty else { return }
    hasBegun = true
    load(again: false)
  }

  func load(again: Bool) {
    guard var request = try? ImageRequest(url) else { return }
    // The disk cache is skipped, because this screen shows the waiting time for a server.
    request.cache = .memoryOnly
    if again { request.cachePolicy = .reload }
    hasFailed = false
    start(self, request) { [weak self] result in
      if case .failure(let error) = result, error != .cancelled { self?.hasFailed = true }
    }
  }

  /// The decode target for the current bounds; `nil` if they are empty.
  var pixels: DecodeTarget? {
    let size = bounds.size * (window?.scale ?? 1)
    return size.isEmpty
      ? nil
      : DecodeTarget(width: Int(size.width.rounded(.up)), height: Int(size.height.rounded(.up)), mode: .fill)
  }

  var scriptStates: Set<ScriptState> {
    [isLoading ? .loading : hasFailed ? .failed : contents == nil ? .normal : .loaded]
  }
}

/// The contents of a card: the image, and below it the button that loads it again, with the extra views beside the
/// button.
private final class SlowCardContent: View {
  private let image: SlowImageView
  private let again: AgainButton
  private let extras: [View]

  init(_ image: SlowImageView, extras: [View]) {
    self.image = image
    self.extras = extras
    again = AgainButton("Again", scriptTitle: "\(image.scriptTitle) again")
    super.init()
    again.addAction(for: .touchUpInside) { [weak image] _ in image?.load(again: true) }
    for view in [image, again] + extras { addSubview(view) }
  }

  override func layoutSubviews() {
    let button = again.sizeThatFits(bounds.size)
    let row = bounds.maxY - button.height
    image.frame = Rect(x: 0, y: 0, width: bounds.width, height: max(0, row - 12))
    again.frame = Rect(origin: Point(x: 0, y: row), size: button)
    var x = button.width + 16
    for view in extras {
      let availableSize = Size(width: max(0, bounds.width - x), height: button.height)
      let size = view.sizeThatFits(availableSize)
      view.frame = Rect(
        x: x, y: row + ((button.height - size.height) / 2).rounded(), width: size.width, height: size.height)
      x += size.width + 16
    }
  }
}

/// A custom indicator: three dots, of which one after the other is highlighted.
private struct HoppingDots: IndicatorDrawing {
  private static let diameter = 10.0
  private static let gap = 8.0
  private static let stepsPerSecond = 4.0

  func size(in availableSize: Size, scale: Double) -> Size {
    Size(width: 3 * Self.diameter + 2 * Self.gap, height: 2 * Self.diameter)
  }

  func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
    let activeDot = Int(step(moment)) % 4
    for dot in 0..<3 {
      let dotFrame = Rect(
        x: rect.minX + Double(dot) * (Self.diameter + Self.gap),
        y: rect.midY - Self.diameter / 2 - (dot == activeDot ? 4 : 0), width: Self.diameter,
        height: Self.diameter)
      list.fill(
        dotFrame, color: dot == activeDot ? Theme.accent : Theme.secondaryText,
        cornerRadius: Self.diameter / 2)
    }
  }

  func nextChange(after moment: IndicatorMoment) -> Double? { (step(moment) + 1) / Self.stepsPerSecond }

  private func step(_ moment: IndicatorMoment) -> Double {
    (moment.time * Self.stepsPerSecond + 1e-6).rounded(.down)
  }
}
