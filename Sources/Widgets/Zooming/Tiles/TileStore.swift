import VitrineGraphics

/// The tiles that a view has and is loading.
///
/// Decides nothing about places: `TileGrid` does.
nonisolated struct TileStore {
  /// The changes that a new set of needed tiles brings.
  struct Change: Equatable {
    /// The tiles to load, the most urgent first.
    var load: [Tile] = []
    /// The tiles whose loads are to be cancelled.
    var cancel: [Tile] = []
  }

  private(set) var images: [Tile: Image] = [:]
  private(set) var loading: Set<Tile> = []
  /// The tiles whose load has failed. They are not loaded again.
  private var failed: Set<Tile> = []
  /// The tiles that the visible part needs, the nearest to its center first.
  private(set) var needed: [Tile] = []

  /// True if each needed tile is there, or cannot be loaded.
  var isComplete: Bool { needed.allSatisfy { images[$0] != nil || failed.contains($0) } }

  /// Notes which tiles the visible part needs.
  ///
  /// - Parameters:
  ///   - tiles: The needed tiles, the most urgent first.
  ///   - kept: Further tiles that stay if they are there.
  mutating func need(_ tiles: [Tile], keeping kept: [Tile]) -> Change {
    needed = tiles
    let wanted = Set(tiles)
    var change = Change()
    change.cancel = loading.filter { !wanted.contains($0) }
    loading.formIntersection(wanted)
    change.load = tiles.filter { images[$0] == nil && !loading.contains($0) && !failed.contains($0) }
    loading.formUnion(change.load)
    let reduction = tiles.first?.reduction
    let near = wanted.union(kept)
    // Tiles of another scale stay until the needed ones cover them.
    let hasAll = isComplete
    images = images.filter { near.contains($0.key) || $0.key.reduction != reduction && !hasAll }
    return change
  }

  /// Takes the result of a load; `nil` after a failure.
  mutating func loaded(_ tile: Tile, _ image: Image?) {
    guard loading.remove(tile) != nil else { return }
    if let image { images[tile] = image } else { failed.insert(tile) }
    guard isComplete, let reduction = needed.first?.reduction else { return }
    images = images.filter { $0.key.reduction == reduction }
  }

  /// Releases the tiles that are not needed.
  mutating func releaseUnneeded() {
    let needed = Set(needed)
    images = images.filter { needed.contains($0.key) }
  }

  /// Releases all tiles. Returns those whose loads are to be cancelled.
  mutating func removeAll() -> [Tile] {
    let cancelled = Array(loading)
    self = TileStore()
    return cancelled
  }
}
