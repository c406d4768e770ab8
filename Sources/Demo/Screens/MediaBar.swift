import Vitrine

/// A bar as in a media player: the image that is shown now with its title, and buttons for the previous and the next
/// one, for a change every few seconds, and for a favorite.
final class MediaBar: View {
  /// The number of images.
  static let count = 12
  /// The time in seconds for which an image is shown while the bar plays.
  static let interval = 4.0

  private let items: [Feed.Item]
  private let images: ButtonImages
  private var program: MediaProgram
  private let image = NowShowing()
  private let title = Label("", font: Theme.title, color: Theme.text)
  private let detail = Label("", font: Theme.body, color: Theme.secondaryText)
  private let line = View()
  private let previous = MediaButton("Previous")
  private let play = MediaButton("Play")
  private let next = MediaButton("Next")
  private let favorite = MediaButton("Favorite")
  private var timer: WindowTimer?

  private var buttons: [MediaButton] { [previous, play, next, favorite] }

  init(items: [Feed.Item], images: ButtonImages) {
    self.items = items
    self.images = images
    program = MediaProgram(count: items.count)
    super.init()
    backgroundColor = Theme.bar
    line.backgroundColor = Theme.line
    for button in [play, favorite] { button.changesSelectionAsPrimaryAction = true }
    previous.addAction(for: .touchUpInside) { [unowned self] _ in self.step(by: -1) }
    next.addAction(for: .touchUpInside) { [unowned self] _ in self.step(by: 1) }
    play.addAction(for: .valueChanged) { [unowned self] _ in self.restartTimer() }
    favorite.addAction(for: .valueChanged) { [unowned self] in self.program.setFavorite($0.isSelected) }
    for view in [image, title, detail, line] + buttons as [View] { addSubview(view) }
  }

  // MARK: Loading

  /// Loads the images of all buttons, and the image that is shown now.
  func load() {
    for button in buttons { button.hasFailed = false }
    for (button, name) in [(previous, "media-previous"), (next, "media-next")] {
      load(button, ["\(name)-normal.png": [.normal], "\(name)-highlighted.png": [.highlighted]])
    }
    load(
      play,
      [
        "media-play-normal.png": [.normal], "media-play-highlighted.png": [.highlighted],
        "media-pause-normal.png": [.selected], "media-pause-highlighted.png": [[.selected, .highlighted]],
      ], selectedBackground: "round-selected.png")
    load(
      favorite,
      [
        "heart-normal.png": [.normal], "heart-highlighted.png": [.highlighted, [.selected, .highlighted]],
        "heart-selected.png": [.selected],
      ])
    showItem()
  }

  private func load(
    _ button: MediaButton, _ files: KeyValuePairs<String, [ControlState]>, selectedBackground: String? = nil
  ) {
    images.loadImages(files.map { .init(name: $0, states: $1) }, into: button)
    var backgrounds: [ButtonImages.File] = [
      .init(name: "round-normal.png", states: [.normal]),
      .init(name: "round-highlighted.png", states: [.highlighted, [.selected, .highlighted]]),
    ]
    if let selectedBackground { backgrounds.append(.init(name: selectedBackground, states: [.selected])) }
    images.loadBackgrounds(backgrounds, into: button)
  }

  // MARK: Playing

  private func step(by offset: Int) {
    program.step(by: offset)
    showItem()
    restartTimer()
  }

  private func showItem() {
    guard items.indices.contains(program.index) else { return }
    let item = items[program.index]
    title.text = item.title
    detail.text = "\(program.index + 1) of \(items.count)  ·  \(item.detail)"
    favorite.isSelected = program.isFavorite
    image.show(item, failure: images.failure)
  }

  /// Shows each image for its whole time, also one that the user has chosen.
  private func restartTimer() {
    timer?.cancel()
    timer = play.isSelected ? window?.after(Self.interval) { [weak self] in self?.step(by: 1) } : nil
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    restartTimer()
  }

  // MARK: Layout

  override func layoutSubviews() {
    let layout = MediaBarLayout(width: bounds.width)
    image.frame = layout.image
    title.frame = layout.title
    detail.frame = layout.detail
    line.frame = Rect(x: 0, y: 0, width: bounds.width, height: 1)
    for (button, frame) in zip(buttons, layout.buttons) { button.place(in: frame) }
  }
}

/// A round button of the media bar.
private final class MediaButton: DemoButton {
  init(_ name: String) {
    super.init(name)
    imageIdentifier = "media"
    hasIcon = true
    contentInsets = Insets(all: 8)
  }

  /// Sets the frame, and half as large an icon in it.
  func place(in frame: Rect) {
    let side = (frame.height / 2).rounded()
    imageSize = Size(width: side, height: side)
    cornerRadius = frame.height / 2
    self.frame = frame
  }
}

/// The image that the media bar shows now. Scripts find it by the name “Now showing”.
final class NowShowing: ImageView, ScriptNamed {
  let scriptTitle = "Now showing"
  private var outcome = ScriptState.loading

  override init(frame: Rect = .zero) {
    super.init(frame: frame)
    backgroundColor = Theme.tile
    cornerRadius = 6
  }

  var scriptStates: Set<ScriptState> { isInTransition ? [outcome, .changing] : [outcome] }

  /// Shows an item. The previous image stays until the new one dissolves in.
  func show(_ item: Feed.Item, failure: Image?) {
    accessibilityLabel = item.title
    outcome = .loading
    var options = SlotOptions(transition: .crossDissolve(0.4, when: .always), failureImage: failure)
    options.placeholderPolicy = .keepsPrevious
    options.indicator = .activity
    setImage(from: item.url, options: options) { [weak self] result in
      switch result {
      case .success: self?.outcome = .loaded
      case .failure(.cancelled): break
      case .failure: self?.outcome = .failed
      }
    }
  }
}
