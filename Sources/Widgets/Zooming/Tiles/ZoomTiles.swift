import VitrineGraphics

/// The sharp tiles over the enlarged image of a view: opens the image for regions, loads the tiles that the visible part
/// needs, and draws them.
final class ZoomTiles {
  private enum Phase {
    /// Nothing is known about the image.
    case closed
    case opening
    case open(TileGrid)
    /// The image is decoded only as a whole, or has been replaced by another.
    case unavailable
  }

  /// Called when the tiles look different.
  var onChange: () -> Void = {}
  /// Called when the image has been opened, and when it turns out that there are no tiles of it.
  var onOpen: () -> Void = {}
  /// Called when the first tile is loading, and when none is loading any more.
  var onLoading: (_ isLoading: Bool) -> Void = { _ in }

  private var source: (any TileSource)?
  private var phase = Phase.closed
  private var store = TileStore()
  private var loads: [Tile: any TileLoad] = [:]
  private var reduction: Int?
  private var isLoading = false

  /// The number of tiles that are there, and the number that the visible part needs.
  var counts: (loaded: Int, needed: Int) {
    (store.needed.count { store.images[$0] != nil }, store.needed.count)
  }

  /// Returns true if tiles make an image sharp, or may do so as far as is known: the whole image then need not be loaded
  /// with more pixels.
  func serves(_ image: Image) -> Bool {
    if case .unavailable = phase { return false }
    return image.mayHaveRegions
  }

  /// Opens an image from which tiles may be needed soon.
  func prepare(_ image: Image, from makeSource: () -> (any TileSource)?) {
    guard case .closed = phase, serves(image) else { return }
    guard let source = source ?? makeSource() else {
      phase = .unavailable
      return onOpen()
    }
    self.source = source
    phase = .opening
    source.onPressure = { [weak self] in self?.handlePressure(isCritical: $0) }
    source.open(for: image) { [weak self] layout in self?.opened(layout, image) }
    updateLoading()
  }

  private func opened(_ layout: RegionLayout?, _ image: Image) {
    if let layout, layout.sourceWidth == image.sourceWidth, layout.sourceHeight == image.sourceHeight {
      phase = .open(TileGrid(layout: layout))
    } else {
      source?.close()
      phase = .unavailable
    }
    updateLoading()
    onOpen()
  }

  /// Loads the tiles that a part of the view needs, and cancels and releases others.
  ///
  /// - Parameters:
  ///   - visible: The visible part of the view.
  ///   - frame: The frame of the whole image.
  ///   - pixelScale: The number of pixels of the screen per point.
  func update(_ image: Image, visible: Rect, frame: Rect, pixelScale: Double) {
    guard case .open(let grid) = phase, serves(image), let source, !frame.isEmpty else { return }
    let width = frame.width * pixelScale
    if width <= Double(image.pixelWidth) * TileGrid.largestPixel {
      reduction = nil
      return apply(store.need([], keeping: []), grid, source)
    }
    let reduction = TileGrid.reduction(for: width / Double(image.sourceWidth), current: reduction)
    self.reduction = reduction
    let tiles = grid.tiles(in: visible, of: frame, reducedBy: reduction)
    let near = grid.tiles(in: visible, of: frame, reducedBy: reduction, margin: 1)
    apply(store.need(tiles, keeping: near), grid, source)
  }

  private func apply(_ change: TileStore.Change, _ grid: TileGrid, _ source: any TileSource) {
    for tile in change.cancel { loads.removeValue(forKey: tile)?.cancel() }
    for tile in change.load {
      loads[tile] = source.load(grid.region(of: tile)) { [weak self] image in self?.loaded(tile, image) }
    }
    updateLoading()
  }

  private func loaded(_ tile: Tile, _ image: Image?) {
    loads[tile] = nil
    store.loaded(tile, image)
    updateLoading()
    onChange()
  }

  private func updateLoading() {
    var isOpening: Bool { if case .opening = phase { true } else { false } }
    let loadsNow = isOpening || !loads.isEmpty
    guard loadsNow != isLoading else { return }
    isLoading = loadsNow
    onLoading(loadsNow)
  }

  /// Releases everything. Another image may be shown afterwards.
  func close() {
    for load in loads.values { load.cancel() }
    loads = [:]
    _ = store.removeAll()
    reduction = nil
    source?.close()
    source = nil
    phase = .closed
    updateLoading()
  }

  private func handlePressure(isCritical: Bool) {
    if isCritical { close() } else { store.releaseUnneeded() }
    onChange()
  }

  // MARK: Drawing

  /// Returns the drawing commands of a part of the view: the whole image where no tile is there, and tiles above.
  /// Returns `nil` if no tile is there.
  ///
  /// - Parameters:
  ///   - whole: Returns the command that draws a part of the whole image.
  ///   - snap: Moves the edges of a rectangle to whole pixels of the screen.
  func commands(
    visible: Rect, frame: Rect, pixelScale: Double, whole: (Rect) -> DrawList.ImageCommand,
    snap: (Rect) -> Rect
  ) -> [DrawList.ImageCommand]? {
    guard case .open(let grid) = phase, !store.images.isEmpty, !frame.isEmpty else { return nil }
    let scale = frame.width * pixelScale / Double(grid.layout.sourceWidth)
    guard let reduction, TileGrid.mayDraw(reduction, at: scale) else { return nil }
    let cells = grid.tiles(in: visible, of: frame, reducedBy: reduction)
    let missing = cells.filter { store.images[$0] == nil }
    var commands: [DrawList.ImageCommand] = []
    func add(_ tile: Tile, _ image: Image, within area: Rect) {
      let rect = snap(grid.rect(of: tile, in: frame)).intersection(area)
      guard !rect.isEmpty else { return }
      commands.append(
        DrawList.ImageCommand(
          image: image, source: grid.source(rect, of: tile, in: frame), destination: rect, isMoving: true))
    }
    let others = store.images.filter {
      $0.key.reduction != reduction && TileGrid.mayDraw($0.key.reduction, at: scale)
    }.sorted { $0.key.reduction > $1.key.reduction }
    // In one piece if no tile is there, else only where tiles are missing.
    let areas =
      missing.count == cells.count
      ? [visible] : missing.map { snap(grid.rect(of: $0, in: frame)).intersection(visible) }
    for area in areas where !area.isEmpty {
      commands.append(whole(area))
      for (tile, image) in others { add(tile, image, within: area) }
    }
    for tile in cells {
      if let image = store.images[tile] { add(tile, image, within: visible) }
    }
    return commands
  }
}
