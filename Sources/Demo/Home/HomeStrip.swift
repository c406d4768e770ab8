import Vitrine

/// A strip with a tile for each image of a feed, which moves under the finger. Only the tiles near the screen exist.
///
/// The strip has a cursor while it has the focus: arrow keys, Page Up, Page Down, Home and End move it, and Enter opens
/// the image. A long press selects an image, as on a list, and so do Ctrl-Enter and Shift-Enter.
final class HomeStrip: SidewaysScrollView {
  /// Called with the row of an image that was tapped, or chosen with Enter.
  var onOpen: (Int) -> Void = { _ in }

  private var items: Feed.Items
  private let failure: Image?
  private var layout = StripLayout()
  private var tiles: [Int: HomeTile] = [:]
  private var rows = 0..<0
  private var selection = RowSelection()
  private var spareTiles: [HomeTile] = []
  /// The row that keys act on; `nil` until the strip first has the focus, and without items.
  private(set) var cursor: Int?
  /// The row of the image that the slideshow shows.
  private var currentRow: Int?
  /// The row whose image is shown over the whole window.
  private var openRow: Int?
  /// True while the items change, and the tiles do not match them.
  private var isUpdating = false
  /// True while a finger is on the strip.
  private var isTouched = false
  /// The number of tiles at each side of the visible ones whose images are loaded ahead.
  private static let margin = 2

  init(items: Feed.Items, failure: Image?) {
    self.items = items
    self.failure = failure
    super.init()
    layout.count = items.count
    // The gradient of the caption ends with this color.
    backgroundColor = Color.black.multiplyingAlpha(by: 0.6)
    accessibilityRole = .list
    accessibilityLabel = "Images"
  }

  // MARK: Tiles

  /// Lays out the tiles. The tile at the left edge stays there.
  func arrange(tile: Size, gap: Double, margin: Double, padding: Double) {
    var new = layout
    (new.tile, new.gap) = (tile, gap)
    let insets = Insets(top: padding, left: margin, bottom: padding, right: margin)
    guard new != layout || insets != contentInsets else { return }
    let first = (contentOffset.x + contentInsets.left) / layout.pitch
    layout = new
    contentInsets = insets
    resize()
    contentOffset.x = first * new.pitch - margin
    for (row, tile) in tiles { tile.frame = layout.frame(of: row) }
    updateTiles()
  }

  private func resize() { contentSize = Size(width: layout.width, height: layout.tile.height) }

  /// Shows other items. Items that stay keep their tiles, and the first visible one keeps its place. The cursor passes
  /// from a removed item to the next one.
  func show(_ new: Feed.Items, _ changes: ListChanges) {
    let kept = changes.oldCount == layout.count
    let visible = layout.rows(from: bounds.minX, to: bounds.maxX)
    let anchor = kept ? visible.first { changes.newRow(of: $0) != nil } : nil
    let old = tiles
    isUpdating = true
    (tiles, rows) = ([:], 0..<0)
    for (row, tile) in old {
      if kept, let newRow = changes.newRow(of: row) { tiles[newRow] = tile } else { retire(tile) }
    }
    var feedRows = FeedRowChanges(from: items, to: new, changes)
    cursor = cursor.flatMap { feedRows.row(replacing: $0) }
    currentRow = currentRow.flatMap { changes.newRow(of: $0) }
    openRow = openRow.flatMap { feedRows.newRow(of: $0) }
    selection.apply(&feedRows)
    items = new
    layout.count = new.count
    resize()
    if let anchor, let row = changes.newRow(of: anchor), row != anchor {
      contentOffset.x += Double(row - anchor) * layout.pitch
    }
    for (row, tile) in tiles {
      tile.row = row
      tile.frame = layout.frame(of: row)
      tile.update(new[row])
    }
    isUpdating = false
    updateTiles()
    updateStates()
  }

  /// Loads the images of all tiles again.
  func reload() {
    for (row, tile) in tiles where items.indices.contains(row) { tile.show(items[row], failure: failure) }
  }

  private func updateTiles() {
    let isShown = window != nil && !isHidden
    let needed = isShown ? layout.rows(from: bounds.minX, to: bounds.maxX, margin: Self.margin) : 0..<0
    guard needed != rows, !isUpdating else { return }
    rows = needed
    for (row, tile) in tiles where !needed.contains(row) {
      tiles[row] = nil
      retire(tile)
    }
    for row in needed where tiles[row] == nil { addTile(row) }
  }

  private func addTile(_ row: Int) {
    let tile = spareTiles.popLast() ?? makeTile()
    tile.row = row
    tile.frame = layout.frame(of: row)
    tile.show(items[row], failure: failure)
    // In the order of the rows, in which assistive technology reads them.
    insertSubview(tile, at: tiles.keys.count { $0 < row })
    tiles[row] = tile
    updateState(of: tile)
  }

  private func makeTile() -> HomeTile {
    let tile = HomeTile()
    tile.addAction(for: .touchUpInside) { [weak self] control in
      if let tile = control as? HomeTile { self?.onOpen(tile.row) }
    }
    return tile
  }

  private func retire(_ tile: HomeTile) {
    cancelLongPress(on: tile)
    tile.removeFromSuperview()
    tile.clear()
    spareTiles.append(tile)
  }

  private func updateStates() { for tile in tiles.values { updateState(of: tile) } }

  private func updateState(of tile: HomeTile) {
    tile.isSelected = tile.row == currentRow
    tile.hasCursor = isFocused && tile.row == cursor
    tile.isOpen = tile.row == openRow
    tile.isChosen = selection.contains(tile.row)
  }

  override func didScroll() {
    super.didScroll()
    updateTiles()
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    updateTiles()
  }

  override func layoutSubviews() {
    super.layoutSubviews()
    updateTiles()
  }

  // MARK: Selection

  override func longPressTarget(of touch: Touch) -> View? { touch.view as? HomeTile }

  override func didLongPress(_ view: View) {
    guard let tile = view as? HomeTile else { return }
    cursor = tile.row
    toggle(tile.row)
  }

  private func toggle(_ row: Int) {
    selection.toggle(row)
    updateStates()
  }

  // MARK: The shown image

  /// Marks the tile of the image that the slideshow shows. The strip follows, unless the user has moved it elsewhere.
  func setCurrentRow(_ row: Int?) {
    let follows = !isTouched && !isScrolling && !isFocused && (currentRow.map(isVisible) ?? true)
    currentRow = row
    updateStates()
    if follows, let row { reveal(row, animated: true) }
  }

  override func observeTouch(_ touch: Touch) {
    super.observeTouch(touch)
    isTouched = touch.phase == .began || touch.phase == .moved
  }

  /// All tiles, in no order.
  var allTiles: [HomeTile] { Array(tiles.values) }
  /// The tiles on the screen, in no order.
  var visibleTiles: [HomeTile] { tiles.filter { isVisible($0.key) }.map(\.value) }

  private func isVisible(_ row: Int) -> Bool {
    layout.rows(from: bounds.minX, to: bounds.maxX).contains(row)
  }

  /// Scrolls a tile onto the screen.
  func reveal(_ row: Int, animated: Bool) {
    scrollRectToVisible(layout.surroundings(of: row, in: bounds.width), animated: animated)
  }

  /// Returns the place of a tile in the window; `nil` for a tile that is not on the screen.
  func heroTile(of row: Int) -> HeroTile? {
    guard window != nil, let tile = tiles[row] else { return nil }
    tile.layoutIfNeeded()
    let frame = tile.frameInWindow
    return frame.intersects(frameInWindow) ? HeroTile(frame: frame, cornerRadius: tile.cornerRadius) : nil
  }

  /// Hides the image of one tile, and shows that of the tile that was hidden before.
  func hideImage(of row: Int?) {
    openRow = row
    updateStates()
  }

  // MARK: Keys

  override var canBecomeFocused: Bool { layout.count > 0 }

  override func focusDidChange() {
    super.focusDidChange()
    if isFocused { placeCursor() }
    updateStates()
  }

  /// Gives the strip a cursor if it has none: at the image that the slideshow shows, or else at the first visible tile.
  private func placeCursor() {
    guard cursor == nil else { return }
    cursor = currentRow ?? layout.rows(from: bounds.minX, to: bounds.maxX).first
    guard let cursor else { return }
    updateStates()
    reveal(cursor, animated: true)
  }

  override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    // The feed may have been empty since the strip received the focus.
    if isFocused { placeCursor() }
    guard isFocused, let cursor else { return false }
    if key == .enter, modifiers == .control || modifiers == .shift {
      toggle(cursor)
      return true
    }
    guard modifiers.isEmpty else { return false }
    switch key {
    case .enter: onOpen(cursor)
    case .left: return moveCursor(to: cursor - 1)
    case .right: return moveCursor(to: cursor + 1)
    case .pageUp: moveCursor(to: cursor - layout.rowsPerPage(bounds.width))
    case .pageDown: moveCursor(to: cursor + layout.rowsPerPage(bounds.width))
    case .home: moveCursor(to: 0)
    case .end: moveCursor(to: layout.count - 1)
    default: return false
    }
    return true
  }

  /// Moves the cursor to a row within the feed, and its tile onto the screen. Returns false if both are there already.
  @discardableResult
  private func moveCursor(to row: Int) -> Bool {
    let row = min(layout.count - 1, max(0, row))
    guard row >= 0 else { return false }
    let isThere = row == cursor && isVisible(row)
    cursor = row
    updateStates()
    reveal(row, animated: true)
    return !isThere
  }

  /// The value that was set, or else the number of images.
  override var accessibilityValue: String? {
    get { super.accessibilityValue ?? "\(layout.count)" }
    set { super.accessibilityValue = newValue }
  }
}
