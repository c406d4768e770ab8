import VitrineGraphics
import VitrineLoading

/// What a slot was asked for.
struct SlotQuestion {
  var request: ImageRequest
  let additionalIdentifier: String?
  private(set) var placeholder: Image?
  let options: SlotOptions
  /// Window time at which it was asked, or came into a window.
  var began: Double?
  /// The size that it was looked up and loaded at.
  var size = NeededSize.unknown
  /// The number of clock steps that the recovery had counted when the downloader was asked.
  var clockSteps: Int?
  /// Its picture is shown already, with fewer pixels or as it was some time ago; it stays if no better one can be had.
  private(set) var hasPicture = false

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
    again.hasPicture = true
    return again
  }

  /// The same question while what memory has of it is shown.
  var forRefresh: SlotQuestion {
    var again = self
    again.hasPicture = true
    return again
  }

  /// Whether the server is asked even if memory has it.
  var asksServer: Bool { request.cachePolicy == .refresh }

  /// The request at the size that is needed, unless it names one itself.
  var sizedRequest: ImageRequest {
    var request = request
    if request.targetSize == nil, case .target(let size) = size { request.targetSize = size }
    return request
  }

  /// Whether a size needs more than 1.5 times the pixels, a side, that the picture has and that were asked for: where
  /// more were asked for than came, there are no more. A picture that was in memory before the view had a size was made
  /// for another view: any more will do.
  func isOutgrown(_ image: Image, at needed: NeededSize) -> Bool {
    guard options.setsImage, request.targetSize == nil, !image.isFullSize else { return false }
    func width(_ target: DecodeTarget) -> Int {
      target.outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight).width
    }
    switch (needed, size) {
    case (.unknown, _), (_, .natural): return false
    case (.natural, _): return true
    case (.target(let needed), .target(let known)):
      return Double(width(needed)) > 1.5 * Double(max(image.pixelWidth, width(known)))
    case (.target(let needed), .unknown): return width(needed) > image.pixelWidth
    }
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
