/// The position of a player in its items, and the items that the user likes. After the last item follows the first.
nonisolated struct MediaProgram: Equatable {
  let count: Int
  private(set) var index = 0
  private var favorites: Set<Int> = []

  /// - Parameter count: The number of items; a negative number counts as 0.
  init(count: Int) { self.count = max(0, count) }

  var isFavorite: Bool { favorites.contains(index) }

  /// Moves to the next item, or to the previous one for -1. Does nothing without items.
  mutating func step(by offset: Int) {
    guard count > 0 else { return }
    index = ((index + offset % count) % count + count) % count
  }

  /// Adds the current item to the favorites, or removes it.
  mutating func setFavorite(_ isFavorite: Bool) {
    if isFavorite { favorites.insert(index) } else { favorites.remove(index) }
  }
}
