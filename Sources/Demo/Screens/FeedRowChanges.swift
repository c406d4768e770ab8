import Vitrine

/// The new numbers of the rows of a feed after a change. A file that was overwritten keeps its row. Its URL has another
/// query then, so that `ListChanges` has it as removed and inserted.
nonisolated struct FeedRowChanges {
  private let old, new: Feed.Items
  private let changes: ListChanges
  /// The inserted rows with a file, by the URL without its query; `nil` until a removed file is looked up.
  private var insertedFiles: [Substring: Int]?

  /// - Parameter changes: The difference of the URLs between the old and the new items.
  init(from old: Feed.Items, to new: Feed.Items, _ changes: ListChanges) {
    (self.old, self.new, self.changes) = (old, new, changes)
  }

  /// Returns the new number of a row; `nil` if the row was removed or does not exist.
  mutating func newRow(of row: Int) -> Int? {
    if let kept = changes.newRow(of: row) { return kept }
    guard old.indices.contains(row), let file = Self.file(of: old[row].url) else { return nil }
    let files = insertedFiles ?? findInsertedFiles()
    insertedFiles = files
    return files[file]
  }

  private func findInsertedFiles() -> [Substring: Int] {
    let files = changes.insertions.filter(new.indices.contains).compactMap { row in
      Self.file(of: new[row].url).map { ($0, row) }
    }
    return Dictionary(files) { first, _ in first }
  }

  /// Returns the new number of a row, or of the row that takes the place of a removed one, as in a `PageView`: the next
  /// row that stays, or else the previous one. `nil` only if there are no rows any more.
  mutating func row(replacing row: Int) -> Int? {
    guard changes.newCount > 0 else { return nil }
    let row = max(0, min(row, changes.oldCount))
    // URLs are not read in vain: a list of a server may have a million rows.
    let isFile = old.indices.contains(row) && Self.file(of: old[row].url) != nil
    for next in row..<changes.oldCount {
      if let new = isFile ? newRow(of: next) : changes.newRow(of: next) { return new }
    }
    for previous in (0..<row).reversed() {
      if let new = isFile ? newRow(of: previous) : changes.newRow(of: previous) { return new }
    }
    return min(row, changes.newCount - 1)
  }

  /// Returns the URL of a file without its query; `nil` for other URLs, whose query is a part of the address.
  private static func file(of url: String) -> Substring? {
    url.hasPrefix("file:") ? url.prefix { $0 != "?" } : nil
  }
}
