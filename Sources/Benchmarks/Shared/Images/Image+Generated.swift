import Vitrine

extension Image {
  /// Returns an image of one color. The color depends only on `seed`.
  static func colored(_ seed: Int, size: Size) -> Image {
    var random = RandomNumbers(seed: seed)
    let color = Color(hex: UInt32(truncatingIfNeeded: random.next()) & 0xFF_FFFF)
    return .solid(color, width: Int(size.width), height: Int(size.height))
  }

  /// Returns an image of random pixels, which depend only on `seed`.
  static func noise(_ seed: Int, size: Size, isOpaque: Bool = true) -> Image {
    var random = RandomNumbers(seed: seed)
    let (width, height) = (Int(size.width), Int(size.height))
    return Image(
      Bitmap(width: width, height: height, format: .bgra, isOpaque: isOpaque) { bytes, _ in
        for pixel in stride(from: 0, to: bytes.count, by: 4) {
          bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: random.next()) | (isOpaque ? 0xFF00_0000 : 0), toByteOffset: pixel,
            as: UInt32.self)
        }
      })
  }
}
