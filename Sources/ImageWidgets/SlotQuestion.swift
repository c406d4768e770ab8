import VitrineGraphics
import VitrineLoading

/// What a slot was asked for.
struct SlotQuestion {
  let request: ImageRequest
  let additionalIdentifier: String?
  private(set) var placeholder: Image?
  let options: SlotOptions
  /// Window time at which it was asked, or came into a window.
  var began: Double?
  /// The size that it was looked up and loaded at.
  var size = NeededSize.unknown
  /// Asks for more pixels of the picture that is shown, which stays if they cannot be had.
  private(set) var isForGrowth = false

  init(request: ImageRequest, additionalIdentifier: String?, placeholder: Image?, options: SlotOptions) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.placeholder = placeholder
    self.options = options
  }

  /// The same picture once more, for a slot that has grown.
  var forGrowth: SlotQuestion {
    var again = self
    again.placeholder = nil
    again.began = nil
    again.size = .unknown
    again.isForGrowth = true
    return again
  }

  /// The request at the size that is needed, unless it names one itself.
  var sizedRequest: ImageRequest {
    var request = request
    if request.targetSize == nil, case .target(let size) = size { request.targetSize = size }
    return request
  }

  /// Whether it is the same picture, so that a second call joins instead of starting anew.
  func isSame(as other: SlotQuestion) -> Bool {
    PictureIdentity(request, additionalIdentifier: additionalIdentifier)
      == PictureIdentity(other.request, additionalIdentifier: other.additionalIdentifier)
      && request.cachePolicy == other.request.cachePolicy
      && request.targetSize == other.request.targetSize
      && request.cache == other.request.cache
      && options.downloader === other.options.downloader
  }
}
