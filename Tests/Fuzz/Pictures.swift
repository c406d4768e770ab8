import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Decodes whole, as a tile, and as a tile that needs every other scale of the decoders.
enum Pictures {
  /// Low, so that many pictures pass in a second.
  private static let limits = DecodeLimits(pixels: 1 << 15)

  private static let targets: [DecodeTarget?] = [
    nil, DecodeTarget(width: 9, height: 7), DecodeTarget(width: 40, height: 200, mode: .fit),
  ]

  static func take(_ bytes: [UInt8], as format: ImageFormat) -> Bool {
    guard ImageSignature.format(of: bytes) == format else { return false }
    for target in targets {
      let options = DecodeOptions(
        target: target, pixelFormat: target == nil ? .bgra : .rgba, limits: limits)
      do throws(ImageError) {
        check(try ImageCodecs().decode(bytes, options: options), target: target)
      } catch {
        check(error)
      }
    }
    return true
  }

  /// What is promised of every picture.
  private static func check(_ image: Image, target: DecodeTarget?) {
    precondition(image.pixelWidth * image.pixelHeight <= limits.pixels, "within the limit")
    let size = target?.outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    precondition(image.pixelWidth == size?.width ?? image.sourceWidth, "as wide as asked for")
    precondition(image.pixelHeight == size?.height ?? image.sourceHeight, "as high as asked for")
    // Reads every pixel, so that none can lie outside.
    let isOpaque = image.bitmap.hasOnlyOpaquePixels
    precondition(isOpaque || !image.bitmap.isOpaque, "opaque if it says so")
  }

  private static func check(_ error: ImageError) {
    switch error {
    case .decoding, .tooLarge: break
    default: preconditionFailure("not an error of a decoder: \(error)")
    }
  }
}
