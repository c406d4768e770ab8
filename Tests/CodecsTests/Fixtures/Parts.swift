import Glibc
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// A picture in part, and of how many bytes it was made.
struct Part {
  var count: Int
  var image: Image
}

/// Feeds a picture in steps, and gathers what is shown of it.
///
/// - Parameter saysLength: whether the decoder is told how long the picture will be.
func parts(
  of bytes: [UInt8], _ style: ImageRequest.Progressive = .scans, every step: Int = 16,
  to target: DecodeTarget? = nil, as pixelFormat: PixelFormat = .bgra, limits: DecodeLimits = .init(),
  saysLength: Bool = true
) throws -> [Part] {
  let options = DecodeOptions(target: target, pixelFormat: pixelFormat, limits: limits)
  let decoder = try #require(ImageCodecs().progressiveDecoder(style, options: options))
  var parts: [Part] = []
  for count in Array(stride(from: 0, to: bytes.count, by: step)) + [bytes.count] {
    // Elsewhere in memory each time, and no longer there the next.
    let data = Array(bytes.prefix(count))
    guard let image = try decoder.image(of: data, expectedLength: saysLength ? bytes.count : nil) else {
      continue
    }
    parts.append(Part(count: count, image: image))
  }
  return parts
}

extension Bitmap {
  /// How near two pictures of a size are, alpha included; infinite where they are the same.
  func decibels(against other: Bitmap) -> Double {
    var squares = 0
    withUnsafeBytes { pixels in
      other.withUnsafeBytes { others in
        guard !pixels.elementsEqual(others) else { return }
        for index in pixels.indices {
          let difference = Int(pixels[index]) - Int(others[index])
          squares += difference * difference
        }
      }
    }
    return 10 * log10(255 * 255 * Double(byteCount) / Double(squares))
  }

  /// How many rows from the top have no transparent pixel.
  var opaqueRows: Int {
    withUnsafeBytes { pixels in
      stride(from: 3, to: byteCount, by: 4).first { pixels[$0] < 255 }.map { $0 / bytesPerRow } ?? height
    }
  }

  /// Whether every pixel from a row on is clear.
  func isClear(from row: Int) -> Bool {
    withUnsafeBytes { pixels in pixels[(row * bytesPerRow)...].allSatisfy { $0 == 0 } }
  }

  /// The mean difference of a pixel's red and its neighbour's.
  var roughness: Double {
    let differences = colors.map { row in
      zip(row, row.dropFirst()).reduce(0) { $0 + abs(Int($1.0.red) - Int($1.1.red)) }
    }
    return Double(differences.reduce(0, +)) / Double(height * (width - 1))
  }
}
