import Glibc

/// The second reference: a table of a SQLite database in WAL mode, with one transaction for each entry.
final class SQLiteEntries: EntryStore {
  private let sqlite: SQLiteLibrary
  private var database: SQLiteLibrary.Database?
  private var insertion, selection: SQLiteLibrary.Statement?

  private static let (done, row): (Int32, Int32) = (101, 100)

  init(file: String) throws {
    sqlite = try SQLiteLibrary.load()
    try check(sqlite.open(file, &database))
    for text in [
      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
      "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, body BLOB)",
    ] {
      let statement = try prepare(text)
      let code = sqlite.step(statement)
      _ = sqlite.finalize(statement)
      guard code == Self.done || code == Self.row else { throw failure() }
    }
    insertion = try prepare("INSERT OR REPLACE INTO entries (key, body) VALUES (?1, ?2)")
    selection = try prepare("SELECT body FROM entries WHERE key = ?1")
  }

  deinit {
    _ = sqlite.finalize(insertion)
    _ = sqlite.finalize(selection)
    _ = sqlite.close(database)
  }

  func put(_ bytes: [UInt8], number: Int) throws {
    // The text and the bytes stay valid until the statement has been reset.
    try entryURL(number).withCString { key in
      try bytes.withUnsafeBytes { body in
        defer { _ = sqlite.reset(insertion) }
        try check(sqlite.bindText(insertion, 1, key, -1, nil))
        try check(sqlite.bindBlob(insertion, 2, body.baseAddress, Int32(clamping: body.count), nil))
        guard sqlite.step(insertion) == Self.done else { throw failure() }
      }
    }
  }

  func get(_ number: Int) throws -> Int {
    try entryURL(number).withCString { key in
      defer { _ = sqlite.reset(selection) }
      try check(sqlite.bindText(selection, 1, key, -1, nil))
      guard sqlite.step(selection) == Self.row, let blob = sqlite.columnBlob(selection, 0) else {
        throw MissingEntry.error
      }
      let count = Int(max(0, sqlite.columnBytes(selection, 0)))
      return [UInt8](UnsafeRawBufferPointer(start: blob, count: count)).count
    }
  }

  private func prepare(_ text: String) throws -> SQLiteLibrary.Statement? {
    var statement: SQLiteLibrary.Statement?
    try check(sqlite.prepare(database, text, -1, &statement, nil))
    return statement
  }

  private func check(_ code: Int32) throws {
    if code != 0 { throw failure() }
  }

  private func failure() -> BenchmarkError {
    BenchmarkError("SQLite: \(String(cString: sqlite.message(database)))")
  }
}
