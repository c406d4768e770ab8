import FoundationEssentials
import Vitrine

/// `cache ls`: a line per stored image.
nonisolated struct ListTool {
  let interruption: Interruption

  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
    let now = Date().timeIntervalSince1970
    var isWritten = true
    var isFirst = true
    if console.isJSON { console.line("[") }
    let isJSON = console.isJSON
    let output = console
    let walk = cache.forEachEntry { entry in
      let row = ListRow(entry, at: now)
      // One entry per line, so that no more than one is in memory.
      if isJSON, !isFirst { isWritten = isWritten && output.line(",") }
      isWritten = isWritten && (isJSON ? output.json(row) : output.line(row.text))
      isFirst = false
      return isWritten && !interruption.isRequested
    }
    if console.isJSON { console.line("]") }
    try Tools.check(walk, interruption, isWritten: isWritten)
  }
}

/// The row of a stored image.
nonisolated struct ListRow: Encodable, Equatable {
  enum State: String, Encodable { case intact, damaged, unreadable }

  var state: State
  /// The name of the file, which is a digest of the request.
  var digest: String
  var url: String?
  var isPrivate: Bool?
  var status: Int?
  /// The number of bytes of the image.
  var bytes: Int?
  /// The time of the store in seconds since 1970.
  var stored: Int64?
  /// The number of seconds since the server last confirmed the image.
  var age: Double?
  var freshness: StoredResponse.Condition?

  enum CodingKeys: String, CodingKey {
    case state, digest, url, isPrivate = "private", status, bytes, stored, age = "age_s", freshness
  }

  init(_ entry: DiskImageCache.Entry, at now: Double) {
    digest = entry.name
    switch entry.state {
    case .intact(let content):
      state = .intact
      url = content.url.map { $0.withoutSecrets(longest: 2048) }
      isPrivate = content.isPrivate
      status = content.response.response.status
      bytes = content.bodyBytes
      stored = content.stored
      age = content.response.ageInSeconds(at: now)
      freshness = content.response.condition(at: now, isRedirected: content.isRedirected)
    case .damaged: state = .damaged
    case .unreadable: state = .unreadable
    }
  }

  /// The row as a line of columns.
  var text: String {
    guard state == .intact else { return "\(state.rawValue)  digest:\(digest)" }
    let columns = [
      (status.map(String.init) ?? "-", 4), (bytes.map(ToolText.size) ?? "-", 9),
      (stored.map(ToolText.time) ?? "-", 20), (ToolText.age(age), 8), (freshness?.words ?? "-", 10),
    ]
    let padded = columns.map { text, width in text + String(repeating: " ", count: max(0, width - text.count))
    }
    return (padded + [url ?? "digest:\(digest)"]).joined(separator: "  ")
  }

  func encode(to encoder: any Encoder) throws {
    var row = encoder.container(keyedBy: CodingKeys.self)
    try row.encode(state, forKey: .state)
    try row.encode(digest, forKey: .digest)
    try row.encodeIfPresent(url, forKey: .url)
    try row.encodeIfPresent(isPrivate, forKey: .isPrivate)
    try row.encodeIfPresent(status, forKey: .status)
    try row.encodeIfPresent(bytes, forKey: .bytes)
    try row.encodeIfPresent(stored.map(ToolText.time), forKey: .stored)
    try row.encodeIfPresent(age.flatMap { $0.isFinite ? $0.rounded() : nil }, forKey: .age)
    try row.encodeIfPresent(freshness?.words, forKey: .freshness)
  }
}

extension StoredResponse.Condition {
  /// The freshness in one or two words.
  nonisolated var words: String {
    switch self {
    case .fresh: "fresh"
    case .stale: "stale"
    case .mustRevalidate: "revalidate"
    }
  }
}

extension Tools {
  /// Throws if a walk did not visit all entries.
  nonisolated static func check(
    _ walk: DiskImageCache.Walk, _ interruption: Interruption, isWritten: Bool = true
  ) throws(Failure) {
    switch walk {
    case .complete: break
    case .incomplete: throw Failure(message: "some files or folders cannot be read")
    case .stopped:
      throw Failure(message: interruption.isRequested ? "interrupted" : "standard output cannot be written")
    case .refused(let fault): throw Failure(message: "\(fault)")
    }
    if !isWritten { throw Failure(message: "standard output cannot be written") }
  }
}
