import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// The groups of prefix codes of a lossless WebP, each of which takes libwebp about 12 KiB.
@Suite struct WebPCodeGroupTests {
  /// Returns a black image with `groups` code groups for its blocks of 4x4 pixels.
  private func file(groups: Int, width: Int = 256, height: Int = 168) -> [UInt8] {
    var writer = BitWriter()
    writer.write(0x2F, 8)
    writer.write(width - 1, 14)
    writer.write(height - 1, 14)
    // No alpha, version 0, no transform, no color cache, and groups for blocks of 4x4 pixels.
    for (value, count) in [(0, 1), (0, 3), (0, 1), (0, 1), (1, 1), (0, 3)] { writer.write(value, count) }
    // The image of group numbers: no color cache; green and red of eight bits, nothing else.
    writer.write(0, 1)
    for _ in 0..<2 {
      writer.write(0, 1)
      writer.write(8, 4)
      for place in 0..<12 { writer.write(place == 11 ? 1 : 0, 3) }
      writer.write(1, 1)
      writer.write(3, 3)
      writer.write(254, 8)
    }
    for _ in 0..<3 { writer.write(1, 4) }
    for block in 0..<((width + 3) / 4 * ((height + 3) / 4)) {
      let number = min(block, groups - 1)
      for byte in [number & 255, number >> 8] {
        for bit in (0..<8).reversed() { writer.write(byte >> bit & 1, 1) }
      }
    }
    for _ in 0..<(groups * 5) { writer.write(1, 4) }
    let data = writer.bytes + (writer.bytes.count % 2 == 1 ? [0] : [])
    return Array("RIFF".utf8) + (data.count + 12).littleEndian4 + Array("WEBPVP8L".utf8)
      + data.count.littleEndian4 + data
  }

  private func count(_ file: [UInt8]) -> Int? {
    file.withUnsafeBufferPointer { bytes in
      var reader = WebPCodeGroups(UnsafeBufferPointer(rebasing: bytes[25...]))
      return reader.count(PixelSize(width: 256, height: 168))
    }
  }

  @Test(arguments: [1, 2, 1000, 1001, 2600, 2688]) func groupsAreCounted(groups: Int) {
    #expect(count(file(groups: groups)) == groups)
  }

  @Test func imageOfMoreGroupsThanAnEncoderMakesIsRefused() throws {
    let (most, more) = (file(groups: 2600), file(groups: 2601))

    #expect(try decode(most).pixelWidth == 256)
    #expect(error(more) == .decoding(.webp, message: "more groups of codes than an image has"))
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    #expect(throws: ImageError.self) { try decoder.image(of: more, expectedLength: nil) }
  }

  @Test func imagesOfAnEncoderPass() throws {
    var random = SeededGenerator(seed: 3)
    for width in [1, 7, 100, 333] {
      let pixels = (0..<(width * 64)).flatMap { pixel -> [UInt8] in
        let noise = UInt8(random.next() & 15)
        let edge = pixel % width > width / 2
        return edge ? [noise, 40, UInt8(pixel / width), 255] : [200, noise, noise &* 3, UInt8(pixel & 255)]
      }
      for isLossless in [true, false] {
        let bytes = LargeFixtures.webP(pixels, width: width, height: 64, isLossless: isLossless)
        #expect(try decode(bytes).pixelWidth == width)
      }
    }
  }

  @Test func dataThatEndOrMakeNoSenseAreNoTrap() {
    let good = file(groups: 30)
    for length in stride(from: 25, to: good.count - 100, by: 3) {
      #expect(count(Array(good[..<length])) == nil)
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0..<4 { bytes[25 + Int(random.next() % 200)] = UInt8(random.next() & 255) }
      _ = count(bytes)
    }
  }
}

extension Int {
  fileprivate var littleEndian4: [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
