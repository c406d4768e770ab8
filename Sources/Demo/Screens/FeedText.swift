import Vitrine

/// The name of the feed and the state of its list, for the status line.
nonisolated struct FeedText {
  /// The name of the feed.
  var name: String
  var state: Feed.State
  /// The number of seconds since the server last confirmed the list; `nil` if unknown.
  var age: Double?

  var text: String {
    switch state {
    case .loading: "\(name) (loading)"
    case .stale(let error): "\(name) (\(stored)\(error.map { ", \(Self.reason($0))" } ?? ""))"
    case .waiting(let error): "\(name) (no list yet, \(Self.reason(error)), trying again)"
    case .loaded, .failed: name
    }
  }

  private var stored: String { age.map { "list stored \(Self.words($0))" } ?? "stored list" }

  /// Returns a time ago in words.
  static func words(_ seconds: Double) -> String {
    let units = [("day", 86_400.0), ("hour", 3600), ("minute", 60)]
    guard let (unit, length) = units.first(where: { seconds >= $0.1 }) else { return "a moment ago" }
    let count = Int(min(seconds / length, 1e6))
    return "\(count) \(unit)\(count == 1 ? "" : "s") ago"
  }

  private static func reason(_ error: FeedError) -> String {
    guard case .notLoaded(_, let error) = error else { return fileReason(error) }
    return switch StaleReason(error) {
    case .missing: "the server has no list"
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
