@testable import VitrineCodecs
import VitrineGraphics

/// Reads the orientation and the metadata of an Exif block, and of a JPEG that contains the block.
enum ExifBlocks {
  static func fuzz(_ bytes: [UInt8]) -> Bool {
    let orientation = Orientation(exif: bytes[...])
    // Also as a slice that does not start at index 0, as in a file.
    precondition(Orientation(exif: ([0xFF] + bytes).dropFirst()) == orientation, "wherever it lies")
    let metadata = ImageMetadata(exif: bytes[...])
    precondition(ImageMetadata(exif: ([0xFF] + bytes).dropFirst()) == metadata, "wherever it lies")
    precondition(metadata?.title?.utf8.count ?? 0 <= ImageMetadata.titleByteLimit, "a bounded title")
    _ = JPEGSegments(bytes).orientation
    _ = JPEGSegments(segment(bytes)).orientation
    return true
  }

  private static func segment(_ payload: [UInt8]) -> [UInt8] {
    let count = payload.count + 2
    return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(count >> 8 & 255), UInt8(count & 255)] + payload
  }
}
