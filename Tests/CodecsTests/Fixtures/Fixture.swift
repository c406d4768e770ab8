import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Decodes an image in full size or for a target, with the codecs under test.
func decode(
  _ bytes: [UInt8], to target: DecodeTarget? = nil, as pixelFormat: PixelFormat = .bgra,
  limits: DecodeLimits = .init()
) throws(ImageError) -> Image {
  try ImageCodecs().decode(
    bytes, options: DecodeOptions(target: target, pixelFormat: pixelFormat, limits: limits))
}

/// The error that the decoder throws, or `nil` if the image is decoded.
func error(
  _ bytes: [UInt8], to target: DecodeTarget? = nil, limits: DecodeLimits = .init()
) -> ImageError? {
  do {
    _ = try decode(bytes, to: target, limits: limits)
    return nil
  } catch {
    return error
  }
}

extension ImageError {
  /// True if the error reports a damaged image of `format`, with any message.
  func isDamage(of format: ImageFormat) -> Bool {
    if case .decoding(format, _) = self { true } else { false }
  }
}

extension Bitmap {
  /// All pixels, row by row.
  var colors: [[Color]] {
    (0..<height).map { y in (0..<width).map { x in color(x: x, y: y) } }
  }
}

extension Color {
  /// The largest difference of a channel.
  func distance(to other: Color) -> Int {
    [(red, other.red), (green, other.green), (blue, other.blue), (alpha, other.alpha)]
      .map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  static let pureRed = Color(red: 255, green: 0, blue: 0)
  static let pureGreen = Color(red: 0, green: 255, blue: 0)
  static let pureBlue = Color(red: 0, green: 0, blue: 255)
}

/// An image with structures of several sizes and no two equal regions, for comparing results.
func patternColor(x: Int, y: Int) -> Color {
  let checker = (x / 7 + y / 5) % 2 == 0 ? 40 : 0
  return Color(
    red: UInt8((x * 3 + y) % 216 + checker / 2), green: UInt8((x + y * 2) / 3 % 200 + checker),
    blue: UInt8(abs((x - y) % 180) + checker))
}
