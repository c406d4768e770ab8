import Glibc
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// A preview and the number of bytes that were available for it.
struct Part {
  var count: Int
  var image: Image
}

/// Feeds an image to a preview decoder in steps and returns its previews.
///
/// - Parameter saysLength: True to pass the expected length to the decoder.
func parts(
  of bytes: [UInt8], _ style: ImageRequest.Progressive = .scans, every step: Int = 16,
  to target: DecodeTarget? = nil, as pixelFormat: PixelFormat = .bgra, limits: DecodeLimits = .init(),
  saysLength: Bool = true
) throws -> [Part] {
  let options = DecodeOptions(target: target, pixelFormat: pixelFormat, limits: limits)
  let decoder = try #require(ImageCodecs().progressiveDecoder(style, options: options))
  var parts: [Part] = []
  for count in Array(stride(from: 0, to: bytes.count, by: step)) + [bytes.count] {
    // A new array each time: the decoder must not keep pointers to earlier bytes.
    let data = Array(bytes.prefix(count))
    guard let image = try decoder.image(of: data, expectedLength: saysLength ? bytes.count : nil) else {
      continue
    }
    parts.append(Part(count: count, image: image))
  }
  return parts
}

extension Bitmap {
  /// The signal-to-noise ratio (PSNR) of two images of the same size, alpha included; infinite if they are equal.
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

  /// The number of rows from the top without a transparent pixel.
  var opaqueRows: Int {
    withUnsafeBytes { pixels in
      stride(from: 3, to: byteCount, by: 4).first { pixels[$0] < 255 }.map { $0 / bytesPerRow } ?? height
    }
  }

  /// True if every pixel from a row on is clear.
  func isClear(from row: Int) -> Bool {
    withUnsafeBytes { pixels in pixels[(row * bytesPerRow)...].allSatisfy { $0 == 0 } }
  }

  /// The mean difference in red between adjacent pixels.
  var roughness: Double {
    let differences = colors.map { row in
      zip(row, row.dropFirst()).reduce(0) { $0 + abs(Int($1.0.red) - Int($1.1.red)) }
    }
    return Double(differences.reduce(0, +)) / Double(height * (width - 1))
  }
}
