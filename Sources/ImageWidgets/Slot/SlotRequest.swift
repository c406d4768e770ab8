import VitrineGraphics
import VitrineLoading

/// A request of a slot: an image request with the placeholder and the options of the call.
struct SlotRequest {
  var request: ImageRequest
  let additionalIdentifier: String?
  private(set) var placeholder: Image?
  let options: SlotOptions
  /// Window time in seconds at which the image was requested, or at which the view entered a window; `nil` before.
  var began: Double?
  /// The size at which the image was last looked up or loaded.
  var size = NeededSize.unknown
  /// The number of clock steps that the recovery had counted when the downloader was asked.
  var clockSteps: Int?
  /// True if the slot already shows the image, smaller or possibly stale. The slot keeps that image if the load fails.
  private(set) var hasImage = false
  /// True if the slot shows an image of the pixel cache until the loading image is decoded: a smaller variant, or the
  /// first frame of an animation, which continues without a transition.
  private(set) var hasProvisionalImage = false

  /// True if the slot shows an image from memory until this one has loaded: a smaller variant, or one past its lifetime.
  private(set) var hasSmallerVariant = false

  init(request: ImageRequest, additionalIdentifier: String?, placeholder: Image?, options: SlotOptions) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.placeholder = placeholder
    self.options = options
  }

  /// A copy that loads the image again at a larger size, for a slot that has grown.
  var forGrowth: SlotRequest {
    var again = self
    again.placeholder = nil
    again.began = nil
    again.size = .unknown
    again.hasImage = true
    again.hasProvisionalImage = false
    return again
  }

  /// A copy that loads the image while the slot shows an older or smaller variant from memory or from disk.
  var forRefresh: SlotRequest {
    var again = self
    again.hasImage = true
    again.hasProvisionalImage = false
    return again
  }

  /// A copy that loads the image while the slot shows its first frame or a smaller variant from the pixel cache.
  var forDecoding: SlotRequest {
    var again = forRefresh
    again.hasProvisionalImage = true
    return again
  }

  /// A copy that loads the image while the slot shows an interim image from memory; see `SlotHit.isInterim`.
  var forSharpening: SlotRequest {
    var again = self
    again.hasSmallerVariant = true
    return again
  }

  /// Records the view's size and the time of a lookup in memory.
  mutating func lookedUp(in scene: SlotScene) {
    size = scene.needed
    began = scene.now
  }

  /// The parts by which the image is looked up in memory.
  var lookup: SlotLookup {
    SlotLookup(
      request: request, additionalIdentifier: additionalIdentifier, downloader: options.downloader,
      isLive: isLive)
  }

  /// True if the load may continue beside a newer one: it has an image for its completions, and an end.
  var mayDetach: Bool { !isLive && (!hasImage || hasProvisionalImage || hasSmallerVariant) }

  /// True if the slot shows the images of a live stream.
  var isLive: Bool { options.liveStream != nil }

  /// True if the server is asked even if the image is in memory.
  var requiresRevalidation: Bool { request.cachePolicy == .refresh }

  /// The request at the needed size, or at the caller's `targetSize` if there is one.
  var sizedRequest: ImageRequest {
    var request = request
    request.fit(size)
    return request
  }

  /// True if a view of the size `needed` should load the image again because `image` has too few pixels.
  ///
  /// This is so if the width for `needed` is more than 1.5 times both the width of `image` and the width requested
  /// before: if an image is smaller than requested, its source has no more pixels. An image that was in memory before
  /// the view had a size was made for another view and is outgrown by any larger width.
  func isOutgrown(_ image: Image, at needed: NeededSize) -> Bool {
    guard options.setsImage, !isLive, request.targetSize == nil, !image.isFullSize else { return false }
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

  /// True if `other` requests an equal image with an equal cache policy, target size, cache, downloader and live stream,
  /// so that the second call joins the load.
  func isSame(as other: SlotRequest) -> Bool {
    ImageIdentity(request, additionalIdentifier: additionalIdentifier)
      == ImageIdentity(other.request, additionalIdentifier: other.additionalIdentifier)
      && request.cachePolicy == other.request.cachePolicy
      && request.targetSize == other.request.targetSize
      && request.cache == other.request.cache
      && options.downloader === other.options.downloader
      && options.liveStream == other.options.liveStream
  }
}

extension ImageRequest {
  /// Requests the image at the size that a slot needs, unless the caller has set a `targetSize`.
  mutating func fit(_ needed: NeededSize) {
    if targetSize == nil, case .target(let size) = needed { targetSize = size }
  }
}
