import VitrineCodecs
import VitrineGraphics

/// The pixels of a PNG that the program has written, blue first.
struct Screenshot: Equatable {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt32]

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

  /// The upright picture of a panel that shows it turned.
  func turnedBack(_ rotation: Rotation) -> Screenshot {
    let size = rotation.turned(Size(width: Double(width), height: Double(height)))
    let (width, height) = (Int(size.width), Int(size.height))
    let upright = (0..<height).flatMap { y in
      (0..<width).map { x in
        let place = rotation.onPanel(Point(x: Double(x) + 0.5, y: Double(y) + 0.5), of: size)
        return pixels[Int(place.y) * self.width + Int(place.x)]
      }
    }
    return Screenshot(width: width, height: height, pixels: upright)
  }
}
