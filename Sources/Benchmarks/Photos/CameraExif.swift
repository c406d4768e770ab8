/// The Exif segment of a camera's JPEG: an orientation, and a thumbnail in the second directory.
struct CameraExif {
  let orientation: UInt8
  let thumbnail: [UInt8]?

  private static let thumbnailWidth = 160
  /// The position of the orientation in a file that begins with the segment.
  private static let orientationOffset = 31

  /// The APP1 segment.
  var segment: [UInt8] {
    let firstDirectory = 8
    let entryLength = 12
    let secondDirectory = firstDirectory + 2 + entryLength + 4
    let thumbnailStart = secondDirectory + 2 + 3 * entryLength + 4
    var tiff = Array("MM\0*".utf8) + Self.four(firstDirectory)
    tiff += Self.two(1) + Self.short(0x0112, Int(orientation))
    if let thumbnail {
      tiff += Self.four(secondDirectory) + Self.two(3) + Self.short(0x0103, 6)
      tiff += Self.long(0x0201, thumbnailStart) + Self.long(0x0202, thumbnail.count)
      tiff += Self.four(0) + thumbnail
    } else {
      tiff += Self.four(0)
    }
    let payload = Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xE1] + Self.two(payload.count + 2) + payload
  }

  /// Returns a file with the orientation 1.
  static func upright(_ file: [UInt8]) -> [UInt8] {
    var file = file
    file[orientationOffset] = 1
    return file
  }

  /// Returns an encoded thumbnail of a photograph: the means of squares.
  static func thumbnail(of pixels: [UInt8]) -> [UInt8] {
    let side = PhotoSet.width / thumbnailWidth
    let height = PhotoSet.height / side
    var means: [UInt8] = []
    for y in 0..<height {
      for x in 0..<thumbnailWidth {
        for channel in 0..<3 {
          var sum = 0
          for row in y * side..<(y + 1) * side {
            for column in x * side..<(x + 1) * side {
              sum += Int(pixels[(row * PhotoSet.width + column) * 3 + channel])
            }
          }
          means.append(UInt8(sum / (side * side)))
        }
      }
    }
    return JPEGEncoder.bytes(means, width: thumbnailWidth, height: height, quality: 80, sampling: .half)
  }

  private static func two(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  private static func four(_ number: Int) -> [UInt8] { two(number >> 16) + two(number) }

  /// Returns a directory entry with a number of 16 bits.
  private static func short(_ tag: Int, _ value: Int) -> [UInt8] {
    two(tag) + two(3) + four(1) + two(value) + two(0)
  }

  /// Returns a directory entry with a number of 32 bits.
  private static func long(_ tag: Int, _ value: Int) -> [UInt8] { two(tag) + two(4) + four(1) + four(value) }
}
