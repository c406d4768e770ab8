/// Identifies the encoded bytes from which an image was made. Bytes that have replaced them, in a file or on a server,
/// have another identity.
package struct ContentID: Hashable, Sendable {
  private let high, low: UInt64

  /// - Parameters:
  ///   - high: The upper half of a digest of the bytes.
  ///   - low: The lower half.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Image {
  /// The number of pixels up to which all of an image is loaded when it is enlarged.
  package static let largestWholeImage = 4_000_000

  /// True if regions of the encoded image may have more pixels than this image.
  package var mayHaveRegions: Bool {
    (format == .jpeg || format == .png) && !isFullSize && !isPreview && !isAnimated
      && Double(sourceWidth) * Double(sourceHeight) > Double(Self.largestWholeImage)
  }
}
