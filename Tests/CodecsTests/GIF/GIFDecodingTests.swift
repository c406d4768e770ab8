import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

@Suite struct GIFDecodingTests {
  @Test(arguments: [PixelFormat.bgra, .rgba], [false, true])
  func eachPixelHasItsPaletteColor(pixelFormat: PixelFormat, isInterlaced: Bool) throws {
    let palette: [Color] = [.pureRed, .pureGreen, .pureBlue, .white]
    func index(x: Int, y: Int) -> Int { (x * x + y * 3) % 4 }
    var fixture = GIFFixture(width: 37, height: 29, palette: palette) { x, y in UInt8(index(x: x, y: y)) }
    fixture.isInterlaced = isInterlaced

    let image = try decode(fixture.bytes, as: pixelFormat)

    #expect(image.format == .gif)
    #expect(image.bitmap.isOpaque)
    for y in 0..<29 {
      for x in 0..<37 { #expect(image.bitmap.color(x: x, y: y) == palette[index(x: x, y: y)]) }
    }
  }

  @Test(arguments: [true, false])
  func fullCodeTableMayBeClearedOrKept(clears: Bool) throws {
    let palette = (0..<256).map { Color(red: UInt8($0), green: UInt8(255 - $0), blue: 0) }
    var generator = SplitMix(state: 1)
    let indices = (0..<(160 * 160)).map { _ in UInt8.random(in: 0..<8, using: &generator) * 31 }
    var fixture = GIFFixture(width: 160, height: 160, palette: palette) { x, y in indices[y * 160 + x] }
    fixture.codeSize = 8
    fixture.clearsFullTable = clears

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.colors.flatMap { $0 }.map(\.red) == indices)
  }

  @Test func paddingBeforeTheFrameIsSkippedUpToALimit() throws {
    let bytes = GIFFixture(width: 4, height: 4) { _, _ in 2 }.bytes
    // The padding follows the screen descriptor and a palette of four colors.
    let start = 13 + 12
    func padded(_ count: Int) -> [UInt8] {
      bytes[..<start] + [UInt8](repeating: 0, count: count) + bytes[start...]
    }

    #expect(try decode(padded(4096)).pixelWidth == 4)
    #expect(error(padded(4097)) == .decoding(.gif, message: "more padding than an image has"))
    #expect(ImageCodecs().memoryNeeded(for: padded(1 << 20), options: DecodeOptions()) == 0)
  }

  @Test func outputOfCodesIsBoundedWithoutOverflow() {
    #expect(LZW.largestOutput(of: .max, minimumCodeSize: 1) == .max)
    #expect(LZW.largestOutput(of: .max / 8, minimumCodeSize: 8) == .max)
    #expect(LZW.largestOutput(of: 9, minimumCodeSize: 8) == 64)
  }

  @Test func longRunsOfOneColorAreUnpacked() throws {
    let fixture = GIFFixture(width: 200, height: 200) { _, _ in 2 }

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.colors.allSatisfy { $0.allSatisfy { $0 == .pureBlue } })
  }

  @Test func pixelsOfTheTransparentIndexAreTransparent() throws {
    var fixture = GIFFixture(width: 2, height: 1) { x, _ in UInt8(x) }
    fixture.transparentIndex = 1

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.colors == [[.pureRed, .clear]])
    #expect(!bitmap.isOpaque)
  }

  @Test func unusedTransparentIndexLeavesTheImageOpaque() throws {
    var fixture = GIFFixture(width: 2, height: 1) { _, _ in 0 }
    fixture.transparentIndex = 1

    #expect(try decode(fixture.bytes).bitmap.isOpaque)
  }

  @Test func localPaletteOverridesTheGlobalPalette() throws {
    var fixture = GIFFixture(width: 1, height: 1) { _, _ in 0 }
    fixture.localPalette = [.pureBlue, .pureRed]

    #expect(try decode(fixture.bytes).bitmap.color(x: 0, y: 0) == .pureBlue)
  }

  @Test func imageNeedsALocalOrGlobalPalette() throws {
    var fixture = GIFFixture(width: 1, height: 1) { _, _ in 0 }
    fixture.globalPalette = nil
    #expect(error(fixture.bytes) == .decoding(.gif, message: "no palette"))

    fixture.localPalette = [.pureGreen, .pureRed]
    #expect(try decode(fixture.bytes).bitmap.color(x: 0, y: 0) == .pureGreen)
  }

  @Test func indicesBeyondThePaletteAreTransparent() throws {
    let palette: [Color] = [.pureRed, .pureGreen]
    var fixture = GIFFixture(width: 2, height: 1, palette: palette) { x, _ in UInt8(x * 3) }
    fixture.codeSize = 2

    #expect(try decode(fixture.bytes).bitmap.colors == [[.pureRed, .clear]])
  }

  @Test func pixelsOutsideOfTheFrameAreTransparent() throws {
    var fixture = GIFFixture(width: 4, height: 3) { _, _ in 0 }
    fixture.frame = (1, 1, 2, 1)

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(!bitmap.isOpaque)
    #expect(
      bitmap.colors == [
        [.clear, .clear, .clear, .clear], [.clear, .pureRed, .pureRed, .clear],
        [.clear, .clear, .clear, .clear],
      ])
  }

  @Test func frameBeyondTheScreenIsClipped() throws {
    var fixture = GIFFixture(width: 3, height: 2) { x, y in UInt8((x + y) % 4) }
    fixture.frame = (2, 1, 5, 6)
    #expect(
      try decode(fixture.bytes).bitmap.colors == [[.clear, .clear, .clear], [.clear, .clear, .pureRed]])

    fixture.frame = (3, 2, 4, 4)
    #expect(try decode(fixture.bytes).bitmap.colors.flatMap { $0 }.allSatisfy { $0 == .clear })

    fixture.frame = (5, 0, 4, 2)
    #expect(try decode(fixture.bytes).bitmap.colors.flatMap { $0 }.allSatisfy { $0 == .clear })

    fixture.frame = (65_000, 65_000, 4, 4)
    #expect(try decode(fixture.bytes).bitmap.width == 3)
  }

  @Test func rowsAboveTheFrameAreTransparent() throws {
    var fixture = GIFFixture(width: 4, height: 4) { _, _ in 2 }
    fixture.frame = (0, 1, 4, 4)

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(!bitmap.isOpaque)
    #expect(bitmap.colors.map { $0[0] } == [.clear, .pureBlue, .pureBlue, .pureBlue])
  }

  @Test func rowsBelowTheFrameAreTransparentInAScaledImage() throws {
    var fixture = GIFFixture(width: 4, height: 64) { _, _ in 2 }
    fixture.frame = (0, 0, 4, 16)

    let bitmap = try decode(fixture.bytes, to: DecodeTarget(width: 2, height: 32)).bitmap

    #expect(bitmap.colors[0..<8].allSatisfy { $0 == [.pureBlue, .pureBlue] })
    #expect(bitmap.colors[8...].allSatisfy { $0 == [.clear, .clear] })
  }

  @Test func indexWithoutAColorIsTransparent() throws {
    var fixture = GIFFixture(width: 2, height: 1) { x, _ in x == 0 ? 1 : 6 }
    fixture.codeSize = 3

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.colors == [[.pureGreen, .clear]])
    #expect(!bitmap.isOpaque)
  }

  @Test func laterControlBlockOverridesTheTransparentIndex() throws {
    var fixture = GIFFixture(width: 2, height: 1) { x, _ in UInt8(x) }
    fixture.transparentIndex = 1
    let control: [UInt8] = [0x21, 0xF9, 4, 1, 0, 0, 1, 0]
    let bytes = fixture.bytes
    let end = try #require(bytes.firstRange(of: control)?.upperBound)

    let changed = Array(bytes[..<end]) + [0x21, 0xF9, 4, 0, 0, 0, 1, 0] + bytes[end...]

    #expect(try decode(bytes).bitmap.colors == [[.pureRed, .clear]])
    #expect(try decode(changed).bitmap.colors == [[.pureRed, .pureGreen]])
  }

  @Test func lastCodeOfAFullTableIsDecoded() throws {
    var writer = BitWriter()
    var (next, width) = (6, 3)
    writer.write(4, width)
    // Each code except the first adds a string; 4095 is the last possible code.
    for count in 0...(4096 - 6) {
      writer.write(0, width)
      guard count > 0 else { continue }
      next += 1
      if next == 1 << width, width < 12 { width += 1 }
    }
    #expect(next == 4096)
    writer.write(1, 12)
    writer.write(4095, 12)
    let fixture = GIFFixture(width: 4091 + 3, height: 1) { _, _ in 0 }

    let bitmap = try decode(fixture.head + GIFFixture.subBlocks(writer.bytes) + [0x3B]).bitmap

    #expect(bitmap.colors[0].dropLast(3).allSatisfy { $0 == .pureRed })
    #expect(bitmap.colors[0].suffix(3) == [.pureGreen, .pureRed, .pureRed])
  }

  @Test func stringLongerThanTheRemainingPixelsIsCutOff() throws {
    var writer = BitWriter()
    // The codes stand for one, two and three pixels; only one pixel of the last code fits.
    for code in [4, 1, 6, 7] { writer.write(code, 3) }
    let fixture = GIFFixture(width: 4, height: 1) { _, _ in 0 }

    let bitmap = try decode(fixture.head + GIFFixture.subBlocks(writer.bytes) + [0x3B]).bitmap

    #expect(bitmap.colors == [[.pureGreen, .pureGreen, .pureGreen, .pureGreen]])
  }

  @Test func truncatedLastBlockIsReadToTheEndOfTheFile() throws {
    let complete = GIFFixture(width: 9, height: 9) { x, _ in UInt8(x % 4) }
    let codes = complete.bytes.dropFirst(complete.head.count)

    let truncated = complete.head + [codes[codes.startIndex] + 20] + codes.dropFirst().dropLast(2)

    #expect(try decode(truncated).bitmap.colors == decode(complete.bytes).bitmap.colors)
  }

  @Test func transparentPixelsDoNotBleedIntoAScaledImage() throws {
    var fixture = GIFFixture(width: 8, height: 8) { x, _ in x < 4 ? 0 : 1 }
    fixture.transparentIndex = 1

    let color = try decode(fixture.bytes, to: DecodeTarget(width: 1, height: 1)).bitmap.color(x: 0, y: 0)

    #expect(color == Color(red: 255, green: 0, blue: 0, alpha: 128))
  }

  @Test func zerosBetweenBlocksAreTolerated() throws {
    let fixture = GIFFixture(width: 1, height: 1) { _, _ in 1 }
    let palette = 13 + 12
    let bytes = fixture.bytes

    let padded = Array(bytes[..<palette]) + [0, 0] + bytes[palette...]

    #expect(try decode(padded).bitmap.color(x: 0, y: 0) == .pureGreen)
  }

  @Test func fileWithAllPixelsNeedsNoTrailer() throws {
    let bytes = GIFFixture(width: 9, height: 9) { x, _ in UInt8(x % 4) }.bytes

    #expect(try decode(Array(bytes.dropLast(1))).bitmap.color(x: 8, y: 8) == .pureRed)
    #expect(try decode(Array(bytes.dropLast(2))).bitmap.color(x: 8, y: 8) == .pureRed)
    #expect(error(Array(bytes.dropLast(5)))?.isDamage(of: .gif) == true)
  }

  @Test func fileWithoutAFrameIsDamage() {
    let bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B]

    #expect(error(bytes) == .decoding(.gif, message: "no frame"))
  }

  @Test func invalidCodesAreDamage() {
    let fixture = GIFFixture(width: 40, height: 40) { _, _ in 0 }
    func file(_ codes: [Int]) -> [UInt8] {
      var writer = BitWriter()
      for code in codes { writer.write(code, 3) }
      return fixture.head + GIFFixture.subBlocks(writer.bytes) + [0x3B]
    }
    let filler = [Int](repeating: 4, count: 200)

    #expect(
      error(file([4, 0, 5] + filler)) == .decoding(.gif, message: "fewer pixels than the frame has"))
    #expect(
      error(file([4, 0, 7] + filler)) == .decoding(.gif, message: "a code that means nothing yet"))
    #expect(
      error(file([4, 6] + filler)) == .decoding(.gif, message: "a code that means nothing yet"))
    #expect(error(file(filler)) == .decoding(.gif, message: "the pixels end early"))
    #expect(error(file([])) == .decoding(.gif, message: "the pixels end early"))
  }

  @Test(arguments: [0, 9, 12, 255])
  func invalidCodeSizeIsDamage(size: UInt8) {
    var bytes = GIFFixture(width: 1, height: 1) { _, _ in 0 }.head
    bytes[bytes.count - 1] = size

    #expect(error(bytes + [1, 0, 0, 0x3B]) == .decoding(.gif, message: "unknown code size"))
  }
}
