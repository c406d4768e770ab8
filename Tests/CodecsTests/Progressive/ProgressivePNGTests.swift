import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite(.timeLimit(.minutes(5))) struct ProgressivePNGTests {
  private func fixture(isInterlaced: Bool, width: Int = 45, height: Int = 37) -> PNGFixture {
    var fixture = PNGFixture(width: width, height: height, colorType: 2) { x, y in
      let color = patternColor(x: x, y: y)
      return [Int(color.red), Int(color.green), Int(color.blue)]
    }
    fixture.isInterlaced = isInterlaced
    return fixture
  }

  @Test("previews show rows from the top, and the rest is transparent")
  func previewsShowRowsFromTheTop() throws {
    let bytes = fixture(isInterlaced: false).bytes
    let complete = try decode(bytes).bitmap

    let parts = try parts(of: bytes)

    #expect(parts.count > 30)
    for part in parts.dropLast() {
      let bitmap = part.image.bitmap
      #expect(!bitmap.isOpaque && bitmap.isClear(from: bitmap.opaqueRows))
      let row = bitmap.opaqueRows - 1
      #expect(bitmap.colors[..<row] == complete.colors[..<row])
    }
    #expect(parts.last?.image.bitmap.decibels(against: complete) == .infinity)
  }

  @Test("previews of an interlaced PNG are filled with blocks, pass by pass")
  func interlacedPreviewsAreFilledPassByPass() throws {
    let bytes = fixture(isInterlaced: true).bytes
    let complete = try decode(bytes).bitmap

    let parts = try parts(of: bytes)

    let firstOpaque = try #require(parts.first { $0.image.bitmap.isOpaque }).image.bitmap
    #expect(firstOpaque.color(x: 15, y: 15) == complete.color(x: 8, y: 8))
    #expect(parts[0].image.bitmap.isClear(from: 8))
    let quality = parts.map { $0.image.bitmap.decibels(against: complete) }
    #expect(quality[0] < 20 && quality.last == .infinity)
  }

  @Test("the last preview of an interlaced PNG equals the final image at every size", arguments: 1...9)
  func lastPreviewEqualsTheFinalImageAtEverySize(width: Int) throws {
    for height in 1...9 {
      let bytes = fixture(isInterlaced: true, width: width, height: height).bytes
      let last = try #require(parts(of: bytes, every: 1).last)
      #expect(last.image.bitmap.decibels(against: try decode(bytes).bitmap) == .infinity)
    }
  }

  @Test(
    "the last preview equals the final image for every color type", arguments: [0, 2, 3, 4, 6], [false, true])
  func lastPreviewEqualsTheFinalImageForEveryColorType(colorType: Int, isInterlaced: Bool) throws {
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1
    var fixture = PNGFixture(width: 19, height: 23, colorType: colorType) { x, y in
      (0..<channels).map { (x * 7 + y * 3 + $0 * 50) % (colorType == 3 ? 4 : 256) }
    }
    fixture.isInterlaced = isInterlaced
    if colorType == 3 { fixture.chunks = [("PLTE", [UInt8](0..<12)), ("tRNS", [0, 100])] }
    fixture.chunks.append(("tEXt", [UInt8](repeating: 65, count: 5000)))
    fixture.chunks.append(("eXIf", exif(orientation: 8)))
    let bytes = fixture.bytes

    for target in [nil, DecodeTarget(width: 7, height: 9)] {
      for pixelFormat in [PixelFormat.bgra, .rgba] {
        let parts = try parts(of: bytes, every: 37, to: target, as: pixelFormat)
        let complete = try decode(bytes, to: target, as: pixelFormat).bitmap
        #expect(parts.last?.image.bitmap.decibels(against: complete) == .infinity)
        #expect(parts.last?.image.bitmap.isOpaque == complete.isOpaque)
      }
    }
  }

  @Test("SD-D19 previews of an animated PNG show a growing number of rows of its default image")
  func animatedPNGPreviewsShowRowsOfTheDefaultImage() throws {
    var fixture = fixture(isInterlaced: false)
    let control = 0.bigEndianBytes + 45.bigEndianBytes + 37.bigEndianBytes + [UInt8](repeating: 0, count: 14)
    fixture.chunks = [("acTL", 2.bigEndianBytes + 0.bigEndianBytes), ("fcTL", control)]
    fixture.trailingChunks = [
      ("fcTL", 1.bigEndianBytes + control.dropFirst(4)),
      ("fdAT", 2.bigEndianBytes + [UInt8](repeating: 9, count: 3000)),
    ]
    let bytes = fixture.bytes

    let parts = try parts(of: bytes)

    let rows = parts.map(\.image.bitmap.opaqueRows)
    #expect(rows.count > 30 && rows == rows.sorted() && rows.last == 37)
    let last = try #require(parts.last { !$0.image.isAnimated })
    #expect(last.count < bytes.count - 2900)
    #expect(try parts.last?.image.bitmap.decibels(against: decode(bytes).bitmap) == .infinity)
  }

  @Test("only an interlaced PNG has blurred previews, from its first complete pass on")
  func onlyInterlacedPNGsHaveBlurredPreviews() throws {
    let bytes = fixture(isInterlaced: true, width: 90, height: 70).bytes
    #expect(try parts(of: fixture(isInterlaced: false).bytes, .blurred).isEmpty)

    let blurred = try parts(of: bytes, .blurred)

    #expect(blurred.allSatisfy { $0.image.bitmap.isOpaque })
    let roughness = blurred.map(\.image.bitmap.roughness)
    #expect(roughness[0] * 4 < roughness[roughness.count - 1])
  }

  @Test("a blur keeps a uniform color and does not bleed clear pixels into their neighbors")
  func blurDoesNotBleedClearPixels() throws {
    var fixture = PNGFixture(width: 40, height: 40) { x, _ in x < 20 ? [200, 100, 50, 255] : [0, 255, 0, 0] }
    fixture.isInterlaced = true

    let first = try #require(parts(of: fixture.bytes, .blurred, as: .rgba).first).image.bitmap

    for color in first.colors.joined() where color.alpha > 20 {
      #expect(abs(Int(color.red) - 200) < 10 && abs(Int(color.green) - 100) < 10)
    }
    #expect(first.colors[20].map(\.alpha) == first.colors[20].map(\.alpha).sorted(by: >))
    #expect(first.color(x: 20, y: 20).alpha > 20 && first.color(x: 20, y: 20).alpha < 235)
  }
}
