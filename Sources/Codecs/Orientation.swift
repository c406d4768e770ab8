/// The orientation of stored rows and columns on the screen: Exif tag 0x0112 (TIFF 6.0, section 8), 1 to 8.
enum Orientation: UInt16, CaseIterable {
  case up = 1
  case upMirrored
  case down
  case downMirrored
  case leftMirrored
  case right
  case rightMirrored
  case left

  /// True if stored rows become columns on the screen.
  var swapsSides: Bool { rawValue >= 5 }

  /// Converts a stored size to the displayed size, or a displayed size to the stored size.
  func applied(to size: PixelSize) -> PixelSize {
    swapsSides ? PixelSize(width: size.height, height: size.width) : size
  }
}

extension Orientation {
  /// Reads the tag from a TIFF stream, the form of Exif in JPEG, PNG and WebP; `nil` if the tag is missing or an offset
  /// or a value is invalid.
  init?(tiff: ArraySlice<UInt8>) {
    guard let stream = TIFFStream(tiff), let directory = stream.directory(at: stream.firstDirectory),
      let value = directory.short(0x0112)
    else { return nil }
    self.init(rawValue: value)
  }

  /// Reads the tag from Exif that may begin with the "Exif" header of JPEG's APP1 segment.
  init?(exif: ArraySlice<UInt8>) {
    let header = Array("Exif\0\0".utf8)
    self.init(tiff: exif.starts(with: header) ? exif.dropFirst(header.count) : exif)
  }
}
