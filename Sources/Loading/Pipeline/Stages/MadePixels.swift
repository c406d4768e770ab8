import VitrineGraphics

/// An image that was made from the bytes of a stored response, with what is needed to store its pixels.
struct MadePixels: Sendable {
  let image: Image
  let request: ImageRequest
  let additionalIdentifier: String?
  /// The identity of the stored response.
  let identity: RequestIdentity
  let bytes: FetchedBytes
  /// The number of seconds that decoding and transforming took.
  let seconds: Double

  /// Returns nil if the pixels are not stored: they come from the pixel cache, or their response is not on disk.
  init?(_ image: Image, _ processedImage: ProcessedImage, _ decode: Decode, _ fetch: Fetch) {
    guard let bytes = decode.bytes, !bytes.isBodyOnDisk, bytes.images[processedImage.key] == nil,
      bytes.firstFrames[processedImage.key] == nil,
      bytes.source == .disk ? !bytes.endsStorage : bytes.storedResponse != nil, !fetch.isOutdated,
      bytes.response.map({ StoredResponse.mayBeStored($0, sent: processedImage.request.headers) }) ?? true,
      image.renderingMode == .automatic, image.userData.isEmpty, !image.isPreview
    else { return nil }
    self.image = image
    request = processedImage.request
    additionalIdentifier = processedImage.additionalIdentifier
    identity = fetch.request.identity
    self.bytes = bytes
    seconds = decode.seconds + processedImage.seconds
  }
}

extension MadePixels: Equatable {
  /// True if the image and the identity are the same.
  static func == (a: MadePixels, b: MadePixels) -> Bool { a.image === b.image && a.identity == b.identity }
}
