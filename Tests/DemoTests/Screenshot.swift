import VitrineCodecs
import VitrineGraphics

/// The pixels of a PNG that the program has written, in the order blue, green, red, alpha.
struct Screenshot: Equatable, CustomStringConvertible {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt32]

  var description: String { "\(width)x\(height)" }

  init(contentsOf path: String) throws {
    let bitmap = try AssetImage.load(contentsOf: path, pixelFormat: .bgra).bitmap
    width = bitmap.width
    height = bitmap.height
    pixels = bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
  }

  private init(width: Int, height: Int, pixels: [UInt32]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The upright image of a rotated panel's screenshot.
  func turnedBack(_ rotation: Rotation) -> Screenshot {
    let size = rotation.turned(Size(width: Double(width), height: Double(height)))
    let (width, height) = (Int(size.width), Int(size.height))
    let upright = (0..<height).flatMap { y in
      (0..<width).map { x in
        let point = rotation.onPanel(Point(x: Double(x) + 0.5, y: Double(y) + 0.5), of: size)
        return pixels[Int(point.y) * self.width + Int(point.x)]
      }
    }
    return Screenshot(width: width, height: height, pixels: upright)
  }

  /// A blend of both images, as unrounded channels.
  func mixed(with new: Screenshot, fraction: Double) -> [Double] {
    zip(channels, new.channels).map { Double($0) * (1 - fraction) + Double($1) * fraction }
  }

  /// The largest difference of a channel.
  func largestDistance(from other: [Double]) -> Double {
    zip(channels, other).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
  }

  func countOfDifferences(from other: Screenshot) -> Int {
    zip(pixels, other.pixels).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
  }

  /// Blue, green and red of each pixel.
  private var channels: [UInt8] {
    pixels.flatMap {
      [
        UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8),
        UInt8(truncatingIfNeeded: $0 >> 16),
      ]
    }
  }
}
