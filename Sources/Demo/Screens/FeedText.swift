import Vitrine

/// The name of the feed and the state of its list, for the status line.
nonisolated struct FeedText {
  /// The name of the feed.
  var name: String
  var state: Feed.State
  /// The age of the list since its server last confirmed it; `nil` if unknown.
  var age: StoredAge?
  /// True if no request may leave the machine. The status line says so in a part of its own.
  var isOffline = false

  var text: String {
    let parts: [String?] =
      switch state {
      case .loading: ["loading"]
      case .stale(let error): ["stored list", age.map { "\($0) old" }, Self.reason(error)]
      case .waiting(let error): ["no list yet", Self.reason(error), isOffline ? nil : "trying again"]
      case .loaded, .failed: []
      }
    let words = parts.compactMap { $0 }.filter { !isOffline || $0 != StaleReason.offline.text }
    return words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))"
  }

  /// True if the text says how old the list is.
  var isStale: Bool { if case .stale = state { age != nil } else { false } }

  private static func reason(_ error: FeedError?) -> String {
    guard let error else { return StaleReason.waiting.text }
    guard case .notLoaded(_, let error) = error else { return fileReason(error) }
    return switch StaleReason(error) {
    case .missing: "the server has no list"
    case .tooLarge: "the list is too large"
    case .damaged: "the server sends no list"
    case .other: if case .invalidData = error { "the server sends no list" } else { StaleReason.other.text }
    case let reason: reason.text
    }
  }

  private static func fileReason(_ error: FeedError) -> String {
    switch error {
    case .missing: "it is missing now"
    case .emptyFolder, .emptyList: "it has no images now"
    default: "it cannot be read now"
    }
  }
}
