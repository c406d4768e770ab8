/// An image that waits for a disk lookup.
struct WantedImage: Sendable {
  let key: ProcessedImageKey
  let request: ImageRequest
  let additionalIdentifier: String?
}
