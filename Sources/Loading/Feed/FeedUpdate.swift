import VitrineGraphics

/// New items of a feed, and their difference from the items before.
struct FeedUpdate: Sendable {
  let items: Feed.Items
  /// The difference of the URLs.
  let changes: ListChanges

  /// Compares items with the items before; `nil` if all are equal.
  init?(_ new: Feed.Items, after old: Feed.Items) {
    guard !Self.areEqual(old, new) else { return nil }
    items = new
    changes = ListChanges(
      oldCount: old.count, newCount: new.count, isSame: { Self.haveSameURL(old, $0, new, $1) },
      oldID: { old[$0].url }, newID: { new[$0].url })
  }

  private static func areEqual(_ old: Feed.Items, _ new: Feed.Items) -> Bool {
    guard old.count == new.count else { return false }
    return new.indices.allSatisfy { row in
      if let (old, new) = comparable(old, new), old.line(at: row) == new.line(at: row) { return true }
      return old[row] == new[row]
    }
  }

  private static func haveSameURL(_ old: Feed.Items, _ oldRow: Int, _ new: Feed.Items, _ newRow: Int) -> Bool
  {
    if let (old, new) = comparable(old, new), old.address(at: oldRow) == new.address(at: newRow) {
      return true
    }
    return old[oldRow].url == new[newRow].url
  }

  /// Returns the lists of items if their texts may be compared, which takes much less time than parsing URLs.
  private static func comparable(_ old: Feed.Items, _ new: Feed.Items) -> (FeedList, FeedList)? {
    guard let old = old.list, let new = new.list, old.base == new.base else { return nil }
    return (old, new)
  }
}
