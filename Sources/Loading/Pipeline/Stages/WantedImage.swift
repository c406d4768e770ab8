/// An image that waits for a disk lookup.
struct WantedImage: Sendable {
  let key: ProcessedImageKey
  let request: ImageRequest
  let additionalIdentifier: String?
  /// True if a slot waits for the image, which shows the first frame of an animation while the others are missing.
  var isForSlot = false
  /// True if the first frame of an animation is enough for all callers.
  var onlyFirstFrame = false
}
