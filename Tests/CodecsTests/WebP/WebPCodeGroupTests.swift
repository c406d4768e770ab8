import Synchronization
import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// The groups of prefix codes of a lossless WebP. libwebp allocates about 12 KiB for each group.
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
      for position in 0..<12 { writer.write(position == 11 ? 1 : 0, 3) }
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
      return try? reader.tables(PixelSize(width: 256, height: 168))?.groups
    }
  }

  @Test(arguments: [1, 2, 1000, 1001, 2600, 2688]) func codeGroupsAreCounted(groups: Int) {
    #expect(count(file(groups: groups)) == groups)
  }

  @Test func imageWithMoreCodeGroupsThanEncodersWriteIsRefused() throws {
    let (most, more) = (file(groups: 2600), file(groups: 2601))

    #expect(try decode(most).pixelWidth == 256)
    #expect(error(more) == .decoding(.webp, message: "more groups of codes than an image has"))
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    #expect(throws: ImageError.self) { try decoder.image(of: more, expectedLength: nil) }
  }

  @Test func imagesOfTheLibwebpEncoderAreDecoded() throws {
    var random = SplitMix(state: 3)
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

  // MARK: Cost

  /// Returns a square lossless image with transforms. Their codes have one symbol each, so that their pixels take no
  /// bits. If `isVaried` is true, green has two symbols, so that each pixel of a transform takes one bit.
  private func file(transforms: [Int], side: Int, isVaried: Bool = false) -> [UInt8] {
    var writer = BitWriter()
    for (value, count) in [(0x2F, 8), (side - 1, 14), (side - 1, 14), (0, 4)] { writer.write(value, count) }
    for kind in transforms {
      writer.write(1, 1)
      writer.write(kind, 2)
      if kind == 2 { continue }
      writer.write(kind == 3 ? 255 : 0, kind == 3 ? 8 : 3)
      writer.write(0, 1)
      // Green: a simple code of the symbol 0, or of 0 and 1.
      writer.write(1, 1)
      writer.write(isVaried ? 1 : 0, 1)
      writer.write(0, 2)
      if isVaried { writer.write(1, 8) }
      for _ in 0..<4 { writer.write(1, 4) }
      let blocks = (side + 3) / 4
      if isVaried { for _ in 0..<(kind == 3 ? 256 : blocks * blocks) { writer.write(0, 1) } }
    }
    // No transform, no color cache, one group.
    for _ in 0..<3 { writer.write(0, 1) }
    for _ in 0..<5 { writer.write(1, 4) }
    let data = writer.bytes + (writer.bytes.count % 2 == 1 ? [0] : [])
    return Array("RIFF".utf8) + (data.count + 12).littleEndian4 + Array("WEBPVP8L".utf8)
      + data.count.littleEndian4 + data
  }

  private final class CancellationCounter: Sendable {
    private let checks = Atomic(0)
    var count: Int { checks.load(ordering: .relaxed) }

    func cancellation(from limit: Int = .max) -> DecodeCancellation {
      DecodeCancellation { self.checks.wrappingAdd(1, ordering: .relaxed).newValue >= limit }
    }
  }

  private func tables(
    _ file: [UInt8], side: Int, _ cancellation: DecodeCancellation
  ) throws(ImageError) -> WebPCodeGroups.Tables? {
    try file.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let frame = UnsafeBufferPointer(rebasing: bytes[12...])
      return try WebPCodeGroups.tables(
        of: frame, size: PixelSize(width: side, height: side), cancellation: cancellation)
    }
  }

  @Test(arguments: [0, 1, 2, 3]) func repeatedTransformIsRefused(kind: Int) throws {
    let (once, twice) = (file(transforms: [kind], side: 8), file(transforms: [kind, kind], side: 8))

    #expect(try decode(once).pixelWidth == 8)
    #expect(error(twice) == .decoding(.webp, message: "a transform is repeated"))
    #expect(ImageCodecs().memoryNeeded(for: twice, options: DecodeOptions()) == 0)
  }

  @Test func uniformTransformsAreSkippedWithoutReadingPixels() throws {
    let counter = CancellationCounter()

    let tables = try tables(
      file(transforms: [0, 1, 2, 3], side: 16_000), side: 16_000, counter.cancellation())

    #expect(tables == .init(groups: 1))
    #expect(counter.count == 3, "one check for each image of a transform")
  }

  @Test func measuringMemoryReadsABoundedNumberOfBits() {
    let side = 8192
    let (uniform, varied) = (
      file(transforms: [0, 1], side: side), file(transforms: [0, 1], side: side, isVaried: true)
    )
    func need(_ bytes: [UInt8]) -> Int {
      let options = DecodeOptions(target: DecodeTarget(width: 64, height: 64))
      return ImageCodecs().memoryNeeded(for: bytes, options: options)
    }
    let largest = WebPCodeGroups.Tables.largest(pixels: side * side, byteCount: varied.count)

    #expect(need(uniform) > 0)
    #expect(need(varied) - need(uniform) == largest.bytes - WebPCodeGroups.Tables(groups: 1).bytes)
  }

  @Test func readingTransformsIsCancelled() throws {
    let bytes = file(transforms: [0, 1], side: 2048, isVaried: true)
    let (all, first) = (CancellationCounter(), CancellationCounter())

    #expect(try tables(bytes, side: 2048, all.cancellation()) != nil)
    #expect(all.count == 2 * 512 * 512 / (1 << 16))
    #expect(throws: ImageError.cancelled) { try tables(bytes, side: 2048, first.cancellation(from: 3)) }
    #expect(first.count == 3)
  }

  /// Returns an image whose group numbers are copied from a distance with this symbol, followed by 63 ones.
  private func file(distanceSymbol: Int) -> [UInt8] {
    var writer = BitWriter()
    for (value, count) in [(0x2F, 8), (7, 14), (7, 14), (0, 4)] { writer.write(value, count) }
    // No transform, no color cache, groups for blocks of 4x4 pixels, and no color cache for their numbers.
    for (value, count) in [(0, 1), (0, 1), (1, 1), (0, 3), (0, 1)] { writer.write(value, count) }
    // Green has the symbol 256 alone, a length of one pixel. Its code lengths are runs of zeros (18) and a one.
    for (value, count) in [(0, 1), (0, 4), (0, 3), (1, 3), (0, 3), (1, 3), (0, 1)] {
      writer.write(value, count)
    }
    for (value, count) in [(1, 1), (127, 7), (1, 1), (107, 7), (0, 1), (1, 1), (12, 7)] {
      writer.write(value, count)
    }
    for _ in 0..<3 { writer.write(1, 4) }
    // The distance: a simple code of one symbol of eight bits.
    for (value, count) in [(1, 1), (0, 1), (1, 1), (distanceSymbol, 8)] { writer.write(value, count) }
    for _ in 0..<7 { writer.write(0x1FF, 9) }
    for _ in 0..<30 { writer.write(0, 8) }
    let data = writer.bytes + (writer.bytes.count % 2 == 1 ? [0] : [])
    return Array("RIFF".utf8) + (data.count + 12).littleEndian4 + Array("WEBPVP8L".utf8)
      + data.count.littleEndian4 + data
  }

  @Test(arguments: [40, 127, 128, 129, 254, 255])
  func distanceSymbolBeyondTheAlphabetIsDamage(symbol: Int) throws {
    let bytes = file(distanceSymbol: symbol)

    #expect(try tables(bytes, side: 8, .never) == nil)
    #expect(throws: ImageError.self) { try decode(bytes) }
  }

  @Test func largestDistanceSymbolIsRead() throws {
    #expect(try tables(file(distanceSymbol: 39), side: 8, .never) != nil)
  }

  // MARK: Memory

  @Test(arguments: [(0, 11_816), (1, 11_824), (8, 12_848), (11, 20_016)])
  func predictedTablesAreAsLargeAsInLibwebp(cacheBits: Int, bytes: Int) {
    let tables = WebPCodeGroups.Tables(groups: 3, cacheSize: cacheBits == 0 ? 0 : 1 << cacheBits)

    #expect(tables.bytes >= 3 * bytes)
    #expect(tables.bytes <= 3 * (bytes + 600))
  }

  @Test func memoryNeededGrowsWithTheNumberOfCodeGroups() {
    let (few, many) = (file(groups: 2), file(groups: 2002))
    let needs = [few, many].map { ImageCodecs().memoryNeeded(for: $0, options: DecodeOptions()) }

    #expect(needs[1] - needs[0] == 2000 * WebPCodeGroups.Tables(groups: 1).bytes)
  }

  @Test func truncatedOrRandomDataDoesNotTrap() {
    let good = file(groups: 30)
    for length in stride(from: 25, to: good.count - 100, by: 3) {
      #expect(count(Array(good[..<length])) == nil)
    }
    var random = SplitMix(state: 5)
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0..<4 { bytes[25 + Int(random.next() % 200)] = UInt8(random.next() & 255) }
      _ = count(bytes)
    }
  }
}

extension Int {
  var littleEndian4: [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
