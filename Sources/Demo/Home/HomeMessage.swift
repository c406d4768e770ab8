import Vitrine

/// The text in place of a slideshow that has nothing to show.
nonisolated enum HomeMessage {
  /// Returns the text; empty while there is an image, or while the first one is loading.
  ///
  /// - Parameters:
  ///   - count: The number of images in the feed.
  ///   - feed: The name of the feed, with the state of its list in words.
  ///   - failure: The reason why the last image could not be loaded; `nil` unless all have failed so far.
  static func text(count: Int, feed: String, failure: StaleReason?) -> String {
    if count == 0 { return "No images yet: \(feed)" }
    return failure.map { "No image can be shown: \($0.text). Trying again." } ?? ""
  }
}
