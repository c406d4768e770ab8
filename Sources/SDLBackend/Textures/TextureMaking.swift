import VitrineGraphics

/// A renderer's way to make textures. `TextureStore` decides which textures are made and when they are evicted.
@MainActor
protocol TextureMaking {
  associatedtype ImageTexture
  associatedtype Mask

  /// The byte order that the renderer needs.
  var pixelFormat: PixelFormat { get }
  /// The number of bytes per pixel of a mask.
  var bytesPerMaskPixel: Int { get }
  /// True if the renderer can replace the colors of an image while drawing. If false, the store makes white
  /// copies of template images.
  var replacesColors: Bool { get }
  /// Returns a texture that uses the bitmap's own memory, so that the store need not make or keep one; `nil` if the
  /// renderer cannot do this.
  func borrow(_ pixels: ImagePixels) -> ImageTexture?
  /// Makes a texture of the given size in pixels. Returns `nil` if there is no memory for it.
  func make(_ pixels: ImagePixels, width: Int, height: Int) -> ImageTexture?
  func make(_ mask: CoverageMask) -> Mask?
}

/// Uses pixels and masks in main memory as textures, for the software renderer.
struct PixelsInMemory: TextureMaking {
  let pixelFormat = PixelFormat.bgra
  let bytesPerMaskPixel = 1
  let replacesColors = true

  func borrow(_ pixels: ImagePixels) -> ImagePixels? { pixels }
  func make(_ pixels: ImagePixels, width: Int, height: Int) -> ImagePixels? { pixels }
  func make(_ mask: CoverageMask) -> CoverageMask? { mask }
}
