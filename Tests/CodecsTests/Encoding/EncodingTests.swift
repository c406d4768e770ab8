import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Encodes images and decodes them again.
@Suite(.timeLimit(.minutes(5))) struct EncodingTests {
  private static func image(
    _ width: Int, _ height: Int, _ format: PixelFormat, hasAlpha: Bool
  ) -> Image {
    Image(
      Bitmap(width: width, height: height, format: format, isOpaque: !hasAlpha) { pixels, bytesPerRow in
        for y in 0..<height {
          for x in 0..<width {
            let color = patternColor(x: x, y: y)
            let start = y * bytesPerRow + x * 4
            pixels[start] = format == .rgba ? color.red : color.blue
            pixels[start + 1] = color.green
            pixels[start + 2] = format == .rgba ? color.blue : color.red
            pixels[start + 3] = hasAlpha ? UInt8(truncatingIfNeeded: x * 3 + y) : 255
          }
        }
      })
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [false, true])
  func pngIsLossless(format: PixelFormat, hasAlpha: Bool) throws {
    for (width, height) in [(1, 1), (37, 23), (64, 1), (1, 64)] {
      let image = Self.image(width, height, format, hasAlpha: hasAlpha)
      let decoded = try decode(try ImageCodecs().encode(image, as: .png))
      #expect(decoded.format == .png)
      #expect(decoded.bitmap.colors == image.bitmap.colors)
    }
  }

  @Test(arguments: [PixelFormat.bgra, .rgba])
  func jpegAndWebPApproximateTheImage(format: PixelFormat) throws {
    let image = Self.image(64, 48, format, hasAlpha: false)
    for kind in [ImageFormat.jpeg, .webp] {
      let decoded = try decode(try ImageCodecs().encode(image, as: kind))
      #expect(decoded.format == kind)
      let differences = zip(decoded.bitmap.colors.joined(), image.bitmap.colors.joined()).map {
        abs(Int($0.red) - Int($1.red)) + abs(Int($0.green) - Int($1.green)) + abs(Int($0.blue) - Int($1.blue))
      }
      #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 24)
    }
  }

  @Test("GIF keeps up to 255 colors exactly, and approximates more") func gifKeepsUpTo255Colors() throws {
    let few = Image(
      Bitmap(width: 300, height: 20, format: .bgra, isOpaque: false) { pixels, bytesPerRow in
        for y in 0..<20 {
          for x in 0..<300 {
            let start = y * bytesPerRow + x * 4
            pixels[start] = UInt8(x % 15 * 17)
            pixels[start + 1] = UInt8(y % 16 * 16)
            pixels[start + 2] = 7
            pixels[start + 3] = x == 0 ? 0 : 255
          }
        }
      })
    let decoded = try decode(try ImageCodecs().encode(few, as: .gif))
    #expect(decoded.format == .gif)
    #expect(decoded.bitmap.color(x: 0, y: 5).alpha == 0)
    for y in 0..<20 {
      for x in 1..<300 { #expect(decoded.bitmap.color(x: x, y: y) == few.bitmap.color(x: x, y: y)) }
    }

    let many = Self.image(200, 200, .rgba, hasAlpha: false)
    let close = try decode(try ImageCodecs().encode(many, as: .gif))
    #expect(close.bitmap.isOpaque)
    let differences = zip(close.bitmap.colors.joined(), many.bitmap.colors.joined()).map {
      abs(Int($0.red) - Int($1.red)) + abs(Int($0.green) - Int($1.green)) + abs(Int($0.blue) - Int($1.blue))
    }
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 30)
  }

  @Test("GIF with more strings than its code table holds is lossless")
  func gifWithManyCodesIsLossless() throws {
    var state: UInt32 = 1
    let noise = (0..<(256 * 200)).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24) & 0xF0
    }
    let image = Image(
      Bitmap(width: 256, height: 200, format: .rgba, isOpaque: true) { pixels, _ in
        for (index, value) in noise.enumerated() {
          for channel in 0..<3 { pixels[index * 4 + channel] = value }
          pixels[index * 4 + 3] = 255
        }
      })
    let decoded = try decode(try ImageCodecs().encode(image, as: .gif))
    #expect(decoded.bitmap.colors == image.bitmap.colors)
  }

  @Test("SD-C29 a format that cannot store the image is replaced") func unsuitableFormatIsReplaced() throws {
    let transparent = Self.image(8, 8, .bgra, hasAlpha: true)
    let codecs = ImageCodecs()
    #expect(try decode(try codecs.encode(transparent)).format == .png)
    #expect(try decode(try codecs.encode(transparent, as: .jpeg)).format == .png)
    #expect(try decode(try codecs.encode(Self.image(8, 8, .bgra, hasAlpha: false))).format == .jpeg)
    let frames = [0, 1].map { _ in Image.Frame(bitmap: transparent.bitmap, duration: 0.1) }
    #expect(try decode(try codecs.encode(Image(frames: frames), as: .jpeg)).format == .gif)
    let animated = try decode(try codecs.encode(Image(frames: frames, format: .png)))
    #expect(animated.format == .png && animated.bitmap.colors == transparent.bitmap.colors)
  }
}
