package import VitrineGraphics

/// Regions at one scale that are decoded together: as the smallest region that contains all of them.
package struct RegionBand: Equatable, Sendable {
  package private(set) var regions: [ImageRegion]
  /// The smallest region that contains all regions.
  package private(set) var whole: ImageRegion

  package init(_ region: ImageRegion) {
    regions = [region]
    whole = region
  }

  /// Adds a region at the same scale, unless the band would then have more than `byteLimit` bytes, or more than half of
  /// it would be decoded for no region. Returns true if the region was added.
  package mutating func add(_ region: ImageRegion, byteLimit: Int) -> Bool {
    let (left, top) = (min(whole.x, region.x), min(whole.y, region.y))
    let larger = ImageRegion(
      reduction: whole.reduction, x: left, y: top,
      width: max(whole.x + whole.width, region.x + region.width) - left,
      height: max(whole.y + whole.height, region.y + region.height) - top)
    let needed = regions.reduce(region.byteCount) { ByteCount.sum($0, $1.byteCount) }
    guard larger.byteCount <= byteLimit, larger.byteCount / 2 <= needed else { return false }
    regions.append(region)
    whole = larger
    return true
  }

  /// The number of bytes that `bitmaps(of:)` allocates.
  package var copiedBytes: Int {
    regions == [whole] ? 0 : regions.reduce(0) { ByteCount.sum($0, $1.byteCount) }
  }

  /// Returns the pixels of the regions, in order, as if each was decoded alone.
  ///
  /// - Parameter bitmap: The pixels of `whole`.
  package func bitmaps(of bitmap: Bitmap) -> [Bitmap] {
    regions == [whole] ? [bitmap] : regions.map { copy($0, of: bitmap) }
  }

  private func copy(_ region: ImageRegion, of bitmap: Bitmap) -> Bitmap {
    let copy = Bitmap(
      width: region.width, height: region.height, format: bitmap.format, isOpaque: bitmap.isOpaque
    ) { target, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        for row in 0..<region.height {
          let start =
            (region.y - whole.y + row) * bitmap.bytesPerRow + (region.x - whole.x) * PixelFormat.bytesPerPixel
          target[(row * bytesPerRow)..<((row + 1) * bytesPerRow)]
            .copyBytes(from: source[start..<(start + bytesPerRow)])
        }
      }
    }
    return bitmap.isOpaque ? copy : copy.assumingOpaque(copy.hasOnlyOpaquePixels)
  }
}
