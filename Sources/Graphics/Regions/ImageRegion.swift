/// A rectangle of an image that is scaled down by a power of two, in pixels of the scaled image with the orientation
/// applied.
package struct ImageRegion: Hashable, Sendable {
  /// The factors by which an image may be scaled down.
  package static let reductions = [1, 2, 4, 8]

  /// The factor by which each side of the image is divided: 1, 2, 4 or 8.
  package var reduction: Int
  package var x, y, width, height: Int

  package init(reduction: Int, x: Int, y: Int, width: Int, height: Int) {
    self.reduction = reduction
    (self.x, self.y) = (x, y)
    (self.width, self.height) = (width, height)
  }

  /// The number of bytes of the decoded region.
  package var byteCount: Int { ByteCount.product(width, height, PixelFormat.bytesPerPixel) }
}

/// The sizes of an image from which regions are decoded.
package struct RegionLayout: Hashable, Sendable {
  /// The size of the image in pixels, with the orientation applied.
  package let sourceWidth, sourceHeight: Int
  /// True if the first column of the image is the last one as stored.
  private let isMirrored: Bool
  /// True if the first row of the image is the last one as stored.
  private let isFlipped: Bool

  package init(sourceWidth: Int, sourceHeight: Int, isMirrored: Bool, isFlipped: Bool) {
    (self.sourceWidth, self.sourceHeight) = (sourceWidth, sourceHeight)
    (self.isMirrored, self.isFlipped) = (isMirrored, isFlipped)
  }

  /// Returns the size of the image scaled down. A side that is no multiple of the factor is rounded up.
  package func size(reducedBy reduction: Int) -> (width: Int, height: Int) {
    ((sourceWidth + reduction - 1) / reduction, (sourceHeight + reduction - 1) / reduction)
  }

  /// Returns the place of the scaled image's first pixel in the image: at its corner, or before it if the last column
  /// or row as stored, which is rounded up, comes first.
  package func origin(reducedBy reduction: Int) -> Point {
    let (width, height) = size(reducedBy: reduction)
    return Point(
      x: isMirrored ? Double(sourceWidth - width * reduction) : 0,
      y: isFlipped ? Double(sourceHeight - height * reduction) : 0)
  }

  /// Returns true if a region has pixels, and all of them belong to the image.
  package func contains(_ region: ImageRegion) -> Bool {
    guard ImageRegion.reductions.contains(region.reduction) else { return false }
    let (width, height) = size(reducedBy: region.reduction)
    return region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0
      && region.width <= width - region.x && region.height <= height - region.y
  }
}
