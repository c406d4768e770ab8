/// Finds the word that was meant by a mistyped one.
nonisolated enum Typo {
  /// Returns the word that is most similar to `name`; `nil` if none is within this number of changes.
  static func nearest(to name: String, among words: [String], within limit: Int) -> String? {
    let nearest = words.map { ($0, editDistance($0, name)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= limit else { return nil }
    return nearest.0
  }

  /// Returns the Levenshtein distance: the number of characters to insert, remove or replace to turn one word into the
  /// other.
  static func editDistance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (letter == b[j] ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[b.count]
  }
}
