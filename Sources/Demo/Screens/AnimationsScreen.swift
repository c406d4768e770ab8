import Vitrine

/// A large animation with controls, a button whose states move, a live stream, and a grid of 40 moving tiles in three
/// formats.
final class AnimationsScreen: View, ScrollingScreen {
  private static let gap = 16.0
  private static let tileCount = 40
  private static let files = [
    "orbits.gif", "waves.png", "rings.webp", "pendulum.gif", "lissajous.png", "rain.webp",
  ]

  private let gallery: Gallery
  private let failure: Image?
  private let scroll = ScrollView()
  private let controls: AnimationControls
  private let button = MovingButton()
  private let buttonCaption = Label(
    "Press: each state moves", font: Theme.caption, color: Theme.secondaryText)
  private let live = ImageView()
  private let liveCaption = Label("Live, 2 images a second", font: Theme.caption, color: Theme.secondaryText)
  private let tiles: [ImageView]

  init(gallery: Gallery, failure: Image?) {
    self.gallery = gallery
    self.failure = failure
    controls = AnimationControls()
    tiles = (0..<Self.tileCount).map { _ in ImageView() }
    super.init()
    for (index, tile) in tiles.enumerated() {
      tile.cornerRadius = 6
      tile.backgroundColor = Theme.tile
      tile.accessibilityLabel = "Tile \(index + 1)"
    }
    live.cornerRadius = 6
    live.backgroundColor = Theme.tile
    live.accessibilityLabel = "Live stream"
    for view in [controls, button, buttonCaption, live, liveCaption] + tiles as [View] {
      scroll.addSubview(view)
    }
    addSubview(scroll)
    reload()
  }

  var scrollView: ScrollView { scroll }

  func reload() {
    let options = SlotOptions(failureImage: failure)
    controls.image.setImage(from: gallery.animation("orbits.gif", query: "large"), options: options) {
      [weak self] _ in self?.controls.imageDidChange()
    }
    button.setImage(from: gallery.animation("pendulum.gif", query: "button"), for: .normal, options: options)
    button.setImage(
      from: gallery.animation("rings.webp", query: "button"), for: .highlighted, options: options)
    var liveOptions = SlotOptions.live
    liveOptions.failureImage = failure
    live.setImage(from: gallery.live, options: liveOptions)
    for (index, tile) in tiles.enumerated() {
      let file = Self.files[index % Self.files.count]
      tile.setImage(from: gallery.animation(file, query: "tile=\(index + 1)"), options: options)
    }
  }

  override func layoutSubviews() {
    scroll.frame = bounds
    let gap = Self.gap
    let width = bounds.width
    let isWide = width >= 720
    let controlsWidth = isWide ? width - 3 * gap - 200 : width - 2 * gap
    controls.frame = Rect(
      x: gap, y: gap, width: controlsWidth, height: controls.height(forWidth: controlsWidth))
    let side = isWide ? controls.frame.maxX + gap : gap
    let top = isWide ? gap : controls.frame.maxY + gap
    let sideWidth = isWide ? 200 : (width - 3 * gap) / 2
    button.frame = Rect(x: side, y: top, width: sideWidth, height: MovingButton.height)
    buttonCaption.frame = Rect(x: side, y: button.frame.maxY + 4, width: sideWidth, height: 18)
    live.frame = Rect(
      x: isWide ? side : side + sideWidth + gap, y: isWide ? buttonCaption.frame.maxY + 10 : top,
      width: sideWidth, height: MovingButton.height)
    liveCaption.frame = Rect(x: live.frame.minX, y: live.frame.maxY + 4, width: sideWidth, height: 18)

    let start = max(controls.frame.maxY, buttonCaption.frame.maxY, liveCaption.frame.maxY) + gap
    let columns = max(1, Int((width - gap) / (128 + gap)))
    let tileWidth = ((width - gap) / Double(columns) - gap).rounded(.down)
    let tileHeight = (tileWidth * 0.75).rounded()
    for (index, tile) in tiles.enumerated() {
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      tile.frame = Rect(
        x: gap + Double(column) * (tileWidth + gap), y: start + Double(row) * (tileHeight + gap),
        width: tileWidth, height: tileHeight)
    }
    let rows = Double((tiles.count + columns - 1) / columns)
    scroll.contentSize = Size(width: width, height: start + rows * (tileHeight + gap))
  }
}

/// A button that shows nothing but its images.
private final class MovingButton: Button, ScriptNamed {
  static let height = 123.0
  let scriptTitle = "Moving button"

  override init(frame: Rect = .zero) {
    super.init(frame: frame)
    accessibilityLabel = scriptTitle
    imageContentMode = .fill
    backgroundColor = Theme.card
    cornerRadius = 10
    imageCornerRadius = 6
  }

  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }

  override func layoutSubviews() {
    super.layoutSubviews()
    imageSize = Size(width: max(0, bounds.width - 16), height: bounds.height - 16)
  }
}
