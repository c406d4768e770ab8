import Vitrine

/// A large animation with controls, a button whose states move, and a grid of 40 moving tiles in three formats.
final class AnimationsScreen: View, Screen {
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
    for view in [controls, button, buttonCaption] + tiles as [View] { scroll.addSubview(view) }
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
    controls.frame = Rect(x: gap, y: gap, width: controlsWidth, height: AnimationControls.height)
    let side = isWide ? controls.frame.maxX + gap : gap
    let top = isWide ? gap : controls.frame.maxY + gap
    button.frame = Rect(x: side, y: top, width: 200, height: 150)
    buttonCaption.frame = Rect(x: side, y: button.frame.maxY + 4, width: 200, height: 18)

    let start = max(controls.frame.maxY, buttonCaption.frame.maxY) + gap
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
  let scriptTitle = "Moving button"

  override init(frame: Rect = .zero) {
    super.init(frame: frame)
    accessibilityLabel = scriptTitle
    imageContentMode = .fill
    imageSize = Size(width: 184, height: 134)
    backgroundColor = Theme.card
    cornerRadius = 10
    imageCornerRadius = 6
  }

  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }
}
