import VitrineGraphics

/// Makes the textures of an OpenGL device. Masks are white and are colored when they are drawn.
struct OpenGLTextures: TextureMaking {
  let device: OpenGLDevice
  let pixelFormat = OpenGLDevice.pixelFormat
  let bytesPerMaskPixel = PixelFormat.bytesPerPixel
  let replacesColors = false

  func borrow(_ pixels: ImagePixels) -> OpenGLTexture? { nil }

  func make(_ pixels: ImagePixels, width: Int, height: Int) -> OpenGLTexture? {
    OpenGLTexture(pixels, width: width, height: height, device: device)
  }

  func make(_ mask: CoverageMask) -> OpenGLTexture? {
    let bitmap = Bitmap(width: mask.width, height: mask.height, format: pixelFormat, isOpaque: false) {
      bytes, _ in
      let pixels = bytes.assumingMemoryBound(to: UInt32.self)
      for index in mask.coverage.indices { pixels[index] = 0x00FF_FFFF | UInt32(mask.coverage[index]) << 24 }
    }
    return make(ImagePixels(bitmap: bitmap, isBodyOpaque: false), width: mask.width, height: mask.height)
  }
}
