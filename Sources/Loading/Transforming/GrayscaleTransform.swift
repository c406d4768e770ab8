public import VitrineGraphics

/// A transform to shades of gray by the luma of Rec. ITU-R BT.601: 0.299 red, 0.587 green, 0.114 blue, in 256ths (77,
/// 150, 29) of the stored values, as in JPEG. Alpha is kept.
public struct GrayscaleTransform: ImageTransform {
  /// The identifier `grayscale`.
  public let identifier = "grayscale"

  /// Creates the transform, which has no parameters.
  public init() {}

  /// Returns a gray image of equal size. O(pixels of all frames).
  public func apply(to image: Image) -> Image {
    image.mapFrames(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight, Self.grey)
  }

  private static func grey(_ bitmap: Bitmap) -> Bitmap {
    let red = bitmap.format == .rgba ? 0 : 2
    let blue = 2 - red
    return Bitmap(
      width: bitmap.width, height: bitmap.height, format: bitmap.format, isOpaque: bitmap.isOpaque
    ) { pixels, _ in
      bitmap.withUnsafeBytes { source in
        for offset in stride(from: 0, to: source.count, by: PixelFormat.bytesPerPixel) {
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

extension ImageTransform where Self == GrayscaleTransform {
  /// Returns a transform to shades of gray: `request.transforms = [.grayscale()]`.
  public static func grayscale() -> GrayscaleTransform { GrayscaleTransform() }
}
