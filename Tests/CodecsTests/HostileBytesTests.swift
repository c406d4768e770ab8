import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Any bytes give an image or one of four errors, without a crash or a hang.
@Suite(.timeLimit(.minutes(5))) struct HostileBytesTests {
  private static let images: [(format: ImageFormat, bytes: [UInt8])] = {
    var jpeg = JPEGFixture(width: 48, height: 40, color: patternColor)
    jpeg.exif = exif(orientation: 6)
    jpeg.restartInterval = 5
    var progressive = JPEGFixture(width: 48, height: 40, color: patternColor)
    progressive.isProgressive = true
    progressive.subsamples = true
    var inks = JPEGFixture(width: 16, height: 16, color: patternColor)
    inks.model = .ycck
    inks.samples = { x, y in [UInt8(x * 9), UInt8(y * 9), 100, 200] }
    var png = PNGFixture(width: 23, height: 17) { x, y in [x * 11, y * 15, x + y, 255 - x] }
    png.chunks = [("eXIf", exif(orientation: 3))]
    var interlaced = PNGFixture(width: 23, height: 17, depth: 4, colorType: 3) { x, y in [(x + y) % 4] }
    interlaced.isInterlaced = true
    interlaced.chunks = [("PLTE", [UInt8](0..<12)), ("tRNS", [0, 100])]
    var gif = GIFFixture(width: 40, height: 30) { x, y in UInt8((x * y / 3) % 4) }
    gif.transparentIndex = 2
    gif.isInterlaced = true
    return [
      (.jpeg, jpeg.bytes), (.jpeg, progressive.bytes), (.jpeg, inks.bytes), (.png, png.bytes),
      (.png, interlaced.bytes), (.gif, gif.bytes),
    ] + WebPFixture.all.map { (.webp, $0) }
  }()

  private static let limits = DecodeLimits(pixels: 1 << 16)

  /// Decodes in full size and scaled, and returns how many of the two gave an image.
  private func tryDecoding(_ bytes: [UInt8]) -> Int {
    var count = 0
    for target in [nil, DecodeTarget(width: 7, height: 5)] {
      tryPreviews(bytes, to: target)
      do throws(ImageError) {
        let image = try decode(bytes, to: target, limits: Self.limits)
        #expect(image.pixelWidth * image.pixelHeight <= Self.limits.pixels)
        count += 1
      } catch {
        switch error {
        case .decoding, .notAnImage, .tooLarge, .emptyBody: break
        default: Issue.record("not an error of a decoder: \(error)")
        }
      }
    }
    return count
  }

  /// Decodes previews in a few steps.
  private func tryPreviews(_ bytes: [UInt8], to target: DecodeTarget?) {
    let options = DecodeOptions(target: target, limits: Self.limits)
    let style = bytes.count % 2 == 0 ? ImageRequest.Progressive.scans : .blurred
    let decoder = ImageCodecs().progressiveDecoder(style, options: options)
    for count in [bytes.count / 3, bytes.count / 2, bytes.count - 1, bytes.count] {
      do throws(ImageError) {
        guard let image = try decoder?.image(of: Array(bytes.prefix(max(0, count))), expectedLength: nil)
        else { continue }
        #expect(image.isPreview && image.pixelWidth * image.pixelHeight <= Self.limits.pixels)
      } catch {
        switch error {
        case .decoding, .tooLarge: break
        default: Issue.record("not an error of a decoder: \(error)")
        }
      }
    }
  }

  @Test("every image is valid before it is damaged")
  func undamagedImagesAreDecoded() {
    for image in Self.images { #expect(tryDecoding(image.bytes) == 2) }
  }

  @Test("an image cut at every 37th byte, or at each of the last, is refused if pixels are missing")
  func truncatedImageIsRefusedIfPixelsAreMissing() {
    for image in Self.images {
      let last = image.bytes.count - 1
      for count in Array(stride(from: 0, to: last, by: 37)) + Array(max(0, last - 20)...last) {
        let cut = Array(image.bytes.prefix(count))
        // The last bytes of a JPEG and of a GIF contain no pixels.
        let hasTrailer = image.format == .jpeg || image.format == .gif
        let shown = tryDecoding(cut)
        #expect(shown == 0 || (hasTrailer && count > last - 20), "\(image.format) cut to \(count)")
      }
    }
  }

  @Test("images with seeded random mutations are decoded or refused", arguments: 0..<8 as Range<UInt64>)
  func mutatedImagesAreDecodedOrRefused(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for image in Self.images {
      for _ in 0..<60 {
        var bytes = image.bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          let index = Int.random(in: 0..<bytes.count, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
          case 1: bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
          case 2: bytes.insert(.random(in: 0...255, using: &generator), at: index)
          default: if bytes.count > 1 { bytes.remove(at: index) }
          }
        }
        _ = tryDecoding(bytes)
      }
    }
  }

  @Test(
    "PNGs with mutated chunks and valid checksums are decoded or refused", arguments: 0..<4 as Range<UInt64>)
  func mutatedPNGChunksAreDecodedOrRefused(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for _ in 0..<150 {
      let colorType = [0, 2, 3, 4, 6].randomElement(using: &generator) ?? 0
      let fixture = PNGFixture(width: 9, height: 9, colorType: colorType) { x, _ in
        [Int](repeating: x, count: [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1)
      }
      var header = fixture.header
      header[Int.random(in: 0..<13, using: &generator)] = .random(in: 0...20, using: &generator)
      let palette = (0..<Int.random(in: 0..<40, using: &generator)).map { UInt8($0) }
      let content = (0..<Int.random(in: 0..<400, using: &generator)).map { _ in
        UInt8.random(in: 0...4, using: &generator)
      }
      let bytes =
        Array(fixture.bytes.prefix(8)) + PNGFixture.chunk("IHDR", header) + PNGFixture.chunk("PLTE", palette)
        + PNGFixture.chunk("tRNS", palette) + PNGFixture.chunk("IDAT", PNGFixture.zlib(content))
        + PNGFixture.chunk("IEND", [])

      _ = tryDecoding(bytes)
    }
  }

  @Test("GIFs with random codes are decoded or refused", arguments: 0..<4 as Range<UInt64>)
  func randomGIFCodesAreDecodedOrRefused(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for codeSize in 1...8 {
      var fixture = GIFFixture(width: 50, height: 50) { _, _ in 0 }
      fixture.codeSize = codeSize
      for _ in 0..<20 {
        let codes = (0..<Int.random(in: 0..<600, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        _ = tryDecoding(fixture.head + GIFFixture.subBlocks(codes) + [0x3B])
      }
    }
  }

  @Test func noiseAfterASignatureIsDecodedOrRefused() {
    var generator = SplitMix(state: 7)
    for image in Self.images {
      for _ in 0..<20 {
        let noise = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = tryDecoding(image.bytes.prefix(12) + noise)
      }
    }
  }
}
