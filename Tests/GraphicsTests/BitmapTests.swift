import Testing
import VitrineGraphics

/// Pixels in memory.
@Suite struct BitmapTests {
  private struct Refused: Error, Equatable {}

  @Test func bitmapTakesAFilledBufferWithoutACopy() {
    let buffer = PixelBuffer(byteCount: 2 * 3 * 4, isZeroed: false)
    for index in buffer.bytes.indices { buffer.bytes[index] = UInt8(index) }

    let bitmap = Bitmap(width: 2, height: 3, format: .rgba, isOpaque: true, filled: buffer)

    #expect(bitmap.width == 2 && bitmap.height == 3 && bitmap.format == .rgba && bitmap.isOpaque)
    #expect(bitmap.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(buffer.bytes.baseAddress) })
    #expect(bitmap.withUnsafeBytes { $0.elementsEqual(0..<24) })
  }

  @Test(arguments: [PixelFormat.bgra, .rgba]) func colorsAreReadInBothPixelFormats(format: PixelFormat) {
    let bitmap = Bitmap(width: 2, height: 2, format: format, isOpaque: false) { bytes, bytesPerRow in
      bytes[bytesPerRow + 4] = 1
      bytes[bytesPerRow + 5] = 2
      bytes[bytesPerRow + 6] = 3
      bytes[bytesPerRow + 7] = 4
    }

    let color = bitmap.color(x: 1, y: 1)
    #expect(color.green == 2 && color.alpha == 4)
    #expect([color.red, color.blue] == (format == .rgba ? [1, 3] : [3, 1]))
    #expect(bitmap.color(x: 0, y: 0) == .clear, "pixels are zeroed initially")
  }

  @Test func byteCountsFollowFromWidthAndHeight() {
    let bitmap = Bitmap(width: 3, height: 5, format: .bgra, isOpaque: true) { bytes, bytesPerRow in
      #expect(bytes.count == 60)
      #expect(bytesPerRow == 12)
    }

    #expect(bitmap.byteCount == 60)
    #expect(bitmap.withUnsafeBytes { $0.count } == 60)
  }

  @Test(arguments: [1, 7, 100, 1000]) func pixelsAreAlignedTo64Bytes(side: Int) {
    let bitmaps = (0..<4).map { _ in
      Bitmap(width: side, height: side, format: .bgra, isOpaque: true) { _, _ in }
    }

    for bitmap in bitmaps {
      #expect(bitmap.withUnsafeBytes { Int(bitPattern: $0.baseAddress) % 64 } == 0)
    }
  }

  @Test func errorOfTheFillClosureIsRethrown() {
    #expect(throws: Refused()) {
      try Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { _, _ in throw Refused() }
    }
  }

  @Test func opaqueCopySharesThePixels() {
    let bitmap = Bitmap(width: 1, height: 1, format: .rgba, isOpaque: false) { bytes, _ in bytes[0] = 9 }

    let opaque = bitmap.assumingOpaque(true)

    #expect(opaque.isOpaque && !bitmap.isOpaque)
    let addresses = [bitmap, opaque].map { $0.withUnsafeBytes { $0.baseAddress } }
    #expect(addresses[0] == addresses[1])
  }
}

/// Colors and their arithmetic.
@Suite struct ColorTests {
  @Test func hexColorIsReadAsRedGreenBlue() {
    #expect(Color(hex: 0x1B1E24) == Color(red: 0x1B, green: 0x1E, blue: 0x24))
    #expect(Color(hex: 0xFF00_00FF) == Color(red: 0, green: 0, blue: 255))
  }

  @Test(arguments: [(0.5, 128), (0, 0), (1, 255), (7, 255), (-1, 0), (Double.nan, 0)] as [(Double, UInt8)])
  func alphaIsMultipliedAndClamped(factor: Double, alpha: UInt8) {
    #expect(Color.white.multiplyingAlpha(by: factor).alpha == alpha)
  }
}

/// Images that slots show.
@Suite struct ImageTests {
  private let bitmap = Bitmap(width: 4, height: 2, format: .bgra, isOpaque: true) { _, _ in }

  @Test func imagesCompareByIdentity() {
    let image = Image(bitmap)

    #expect(image == image)
    #expect(image != Image(bitmap))
    #expect(Set([image, image, Image(bitmap)]).count == 2)
  }

  @Test func sizeIsPixelsDividedByTheScale() {
    #expect(Image(bitmap, scale: 2).size == Size(width: 2, height: 1))
  }

  @Test func costIncludesAllFrames() {
    let frame = Image.Frame(bitmap: bitmap, duration: 0.1)

    #expect(Image(bitmap).cost == 32)
    #expect(Image(frames: [frame, frame, frame]).cost == 96)
    #expect(Image(frames: [frame, frame]).isAnimated)
    #expect(!Image(bitmap).isAnimated)
  }

  @Test func sourceSizeDefaultsToTheBitmapSize() {
    #expect(Image(bitmap).isFullSize)
    #expect(!Image(bitmap, sourceWidth: 8, sourceHeight: 4).isFullSize)
  }
}
