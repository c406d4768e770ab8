import VitrineGraphics

/// How a renderer holds what it draws; `TextureStore` says what is made, and when it goes.
protocol TextureMaking {
  associatedtype Picture
  associatedtype Mask

  /// The order of bytes that pixels are wanted in.
  var pixelFormat: PixelFormat { get }
  /// Bytes that a pixel of a mask takes.
  var bytesPerMaskPixel: Int { get }
  /// Whether pictures are drawn in another colour from the pixels that they have. Otherwise those that need it are made
  /// white.
  var replacesColors: Bool { get }
  /// A picture drawn from the memory that it is in, for which nothing is made or kept; nil if this cannot be.
  func borrow(_ pixels: PicturePixels) -> Picture?
  /// Makes a picture of a size; nil where there is no memory for it.
  func make(_ pixels: PicturePixels, width: Int, height: Int) -> Picture?
  func make(_ mask: CoverageMask) -> Mask?
}

/// Pixels in memory, as they are.
struct PixelsInMemory: TextureMaking {
  let pixelFormat = PixelFormat.bgra
  let bytesPerMaskPixel = 1
  let replacesColors = true

  func borrow(_ pixels: PicturePixels) -> PicturePixels? { pixels }
  func make(_ pixels: PicturePixels, width: Int, height: Int) -> PicturePixels? { pixels }
  func make(_ mask: CoverageMask) -> CoverageMask? { mask }
}
