import Vitrine

/// The text in place of a slideshow that has nothing to show; hidden while there is an image, or while the first one is
/// loading.
final class SlideshowMessage: Label {
  /// The number of images in the feed.
  var count = 0 { didSet { update() } }
  /// The name of the feed, with the state of its list in words.
  var feedText = "" { didSet { update() } }
  /// The reason why the last image could not be loaded; `nil` unless all have failed so far.
  private var failure: StaleReason? { didSet { update() } }

  init() {
    super.init()
    font = Theme.title
    textColor = Theme.text
    alignment = .center
    numberOfLines = 0
    update()
  }

  /// Reports the failure of the image with a URL to the user, unless the slideshow shows another one.
  func slideDidFail(_ error: ImageError, of url: String, in slideshow: SlideshowView) {
    if slideshow.shownSlide == nil { failure = StaleReason(error, of: url) }
  }

  /// Forgets the failures, because an image is shown.
  func slideDidShow() { failure = nil }

  private func update() {
    text = Self.text(count: count, feed: feedText, failure: failure)
    isHidden = text.isEmpty
  }

  /// Returns the text; empty if there is none.
  nonisolated static func text(count: Int, feed: String, failure: StaleReason?) -> String {
    if count == 0 { return "No images yet: \(feed)" }
    return failure.map { "No image can be shown: \($0.text). Trying again." } ?? ""
  }
}
