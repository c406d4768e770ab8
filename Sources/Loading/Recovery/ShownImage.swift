package import VitrineGraphics

/// The image that a slot or a slide shows, for a comparison with the image that its server has now. Does not retain the
/// image.
package struct ShownImage {
  package let number, version: UInt64

  package init(_ image: Image) { (number, version) = (image.number, image.version) }

  /// Returns true for the image itself, and for one that was made again from the same response.
  package func isSame(as image: Image) -> Bool {
    image.number == number || image.hasSameVersion(as: version)
  }
}

extension ImageDownloader {
  /// Returns the outcome of another request that has asked the server since a stale image was shown; `nil` if there was
  /// none. The outcome is `.revalidated` if the server has confirmed the shown image.
  ///
  /// - Parameters:
  ///   - request: The request of the shown image, for the size that is needed now.
  ///   - shown: The stale image; `nil` if it is not on the screen any more.
  ///   - includesFailure: True if the server was being asked when the image was shown, so that a failure is an outcome.
  package func knownOutcome(
    of request: ImageRequest, additionalIdentifier: String?, shown: ShownImage?, includesFailure: Bool
  ) -> Result<ImageResponse, ImageError>? {
    guard let image = cachedImage(for: request, additionalIdentifier: additionalIdentifier) else {
      return nil
    }
    let state = freshnessInMemory(of: image, for: request)
    guard !state.isExpired else { return nil }
    let isShown = shown?.isSame(as: image) ?? false
    if let staleness = state.staleness {
      return includesFailure && isShown ? staleness.reason.map { .failure($0) } : nil
    }
    return .success(
      isShown
        ? ImageResponse(image: image, source: .memory, freshness: .revalidated)
        : ImageResponse(image: image, source: .network))
  }
}
