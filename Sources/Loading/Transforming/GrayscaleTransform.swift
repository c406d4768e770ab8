public import VitrineGraphics

/// A transform to shades of gray by the luma of Rec. ITU-R BT.601: 0.299 red, 0.587 green, 0.114 blue, in 256ths (77,
/// 150, 29) of the stored values, as in JPEG. Alpha is kept.
public struct GrayscaleTransform: ImageTransform {
  /// The identifier `grayscale`.
  public let identifier = "grayscale"
  /// The identifier with the version of the implementation.
  public var storageIdentifier: String? { "grayscale 1" }
  /// True: each frame of an animation is transformed.
  public var appliesToAnimation: Bool { true }

  /// Creates the transform, which has no parameters.
  public init() {}

  /// Returns a gray image of equal size. O(pixels).
  public func apply(to image: Image) -> Image { gray(image, .never) }

  /// Returns the gray image, and throws `.cancelled` soon after `cancellation` is requested.
  public func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image {
    let result = gray(image, cancellation)
    try cancellation.check()
    return result
  }

  /// Returns the gray image. Stops early if `cancellation` is requested.
  private func gray(_ image: Image, _ cancellation: DecodeCancellation) -> Image {
    image.mapPixels(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight) {
      Self.gray($0, cancellation)
    }
  }

  private static func gray(_ bitmap: Bitmap, _ cancellation: DecodeCancellation) -> Bitmap {
    let red = bitmap.format == .rgba ? 0 : 2
    let blue = 2 - red
    return Bitmap(
      width: bitmap.width, height: bitmap.height, format: bitmap.format, isOpaque: bitmap.isOpaque
    ) { pixels, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        for row in stride(from: 0, to: source.count, by: bytesPerRow) {
          if cancellation.isCancelled { return }
          for offset in stride(from: row, to: row + bytesPerRow, by: PixelFormat.bytesPerPixel) {
            let sum =
              77 * UInt32(source[offset + red]) + 150 * UInt32(source[offset + 1]) + 29
              * UInt32(source[offset + blue])
            let luma = UInt8((sum + 128) >> 8)
            pixels[offset] = luma
            pixels[offset + 1] = luma
            pixels[offset + 2] = luma
            pixels[offset + 3] = source[offset + 3]
          }
        }
      }
    }
  }
}

extension ImageTransform where Self == GrayscaleTransform {
  /// Returns a transform to shades of gray: `request.transforms = [.grayscale()]`.
  public static func grayscale() -> GrayscaleTransform { GrayscaleTransform() }
}
