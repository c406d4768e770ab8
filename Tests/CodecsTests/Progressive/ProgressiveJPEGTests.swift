import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite(.timeLimit(.minutes(5))) struct ProgressiveJPEGTests {
  private func fixture(width: Int = 96, height: Int = 64, isProgressive: Bool = true) -> JPEGFixture {
    var fixture = JPEGFixture(width: width, height: height, color: patternColor)
    fixture.isProgressive = isProgressive
    fixture.subsamples = true
    return fixture
  }

  /// The offsets of the scans.
  private func scans(of bytes: [UInt8]) -> [Int] {
    bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
  }

  @Test(
    "SD-D9 previews of a progressive JPEG start with its first scan and approach the final image",
    arguments: [nil, DecodeTarget(width: 24, height: 16), DecodeTarget(width: 60, height: 60)])
  func progressivePreviewsApproachTheFinalImage(target: DecodeTarget?) throws {
    let bytes = fixture().bytes
    let complete = try decode(bytes, to: target)

    let parts = try parts(of: bytes, to: target)

    let scans = scans(of: bytes)
    #expect(parts.count >= scans.count)
    let first = try #require(parts.first)
    #expect(first.count >= scans[1] && first.count < scans[1] + 32)
    let quality = parts.map { $0.image.bitmap.decibels(against: complete.bitmap) }
    // The quality does not increase with each preview: libjpeg smooths less when a scan starts.
    let middle = quality[quality.count / 2]
    #expect(quality[0] + 2 < middle && middle + 2 < quality[quality.count - 2] && quality.last == .infinity)
    #expect(parts.allSatisfy { $0.image.isPreview && $0.image.bitmap.isOpaque && $0.image.format == .jpeg })
  }

  @Test("previews of a baseline JPEG show rows from the top, and the rest is transparent, not gray")
  func baselinePreviewsShowRowsFromTheTop() throws {
    let bytes = fixture(isProgressive: false).bytes
    let complete = try decode(bytes).bitmap

    let parts = try parts(of: bytes)

    let rows = parts.map(\.image.bitmap.opaqueRows)
    #expect(rows == rows.sorted() && Set(rows).count == rows.count && rows.last == 64)
    for part in parts.dropLast() {
      let bitmap = part.image.bitmap
      #expect(!bitmap.isOpaque && bitmap.isClear(from: bitmap.opaqueRows))
      #expect(bitmap.color(x: 40, y: 3) == complete.color(x: 40, y: 3))
    }
    #expect(parts.last?.image.bitmap.decibels(against: complete) == .infinity)
    #expect(parts.last?.image.bitmap.isOpaque == true)
  }

  @Test(
    "the last preview equals the final image for any size of the steps", arguments: [1, 7, 1000],
    [false, true])
  func lastPreviewEqualsTheFinalImageForAnySteps(step: Int, isProgressive: Bool) throws {
    var fixture = fixture(width: 50, height: 70, isProgressive: isProgressive)
    fixture.restartInterval = 3
    fixture.exif = exif(orientation: 6)
    let bytes = fixture.bytes + [1, 2, 3]

    let parts = try parts(of: bytes, every: step)

    #expect(try parts.last?.image.bitmap.decibels(against: decode(bytes).bitmap) == .infinity)
  }

  @Test("a segment longer than the bytes so far is skipped")
  func segmentLongerThanTheBytesSoFarIsSkipped() throws {
    var fixture = fixture()
    fixture.exif = exif(orientation: 3) + [[UInt8]](repeating: [0xFF, 0xD9], count: 25_000).joined()
    let bytes = fixture.bytes

    let parts = try parts(of: bytes, every: 4096)

    #expect(try parts.last?.image.bitmap.decibels(against: decode(bytes).bitmap) == .infinity)
  }

  @Test("the same or fewer bytes give no new preview")
  func sameOrFewerBytesGiveNoPreview() throws {
    let bytes = fixture().bytes
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    let half = Array(bytes.prefix(bytes.count / 2))

    #expect(try decoder.image(of: half, expectedLength: nil) != nil)
    #expect(try decoder.image(of: half, expectedLength: nil) == nil)
    #expect(try decoder.image(of: Array(half.dropLast(9)), expectedLength: nil) == nil)
    #expect(try decoder.image(of: bytes, expectedLength: nil) != nil)
    #expect(try decoder.image(of: bytes + [0], expectedLength: nil) == nil)
  }

  @Test("a JPEG with one scan per component is gray until the colors arrive")
  func jpegWithOneScanPerComponentIsGrayUntilColorsArrive() throws {
    var fixture = fixture(isProgressive: false)
    fixture.isInterleaved = false
    let bytes = fixture.bytes

    let parts = try parts(of: bytes)

    let first = try #require(parts.first).image.bitmap.color(x: 60, y: 20)
    #expect(first.red == first.green && first.green == first.blue)
    #expect(try parts.last?.image.bitmap.decibels(against: decode(bytes).bitmap) == .infinity)
  }

  @Test("previews of a YCCK image are converted to RGB", arguments: [false, true])
  func ycckPreviewsAreConvertedToRGB(isProgressive: Bool) throws {
    var fixture = fixture(isProgressive: isProgressive)
    fixture.model = .ycck
    fixture.samples = { x, y in [UInt8(x), UInt8(y), 100, 200] }
    let bytes = fixture.bytes

    let parts = try parts(of: bytes, as: .rgba)

    #expect(parts.count > 2)
    #expect(parts.last?.image.bitmap.decibels(against: try decode(bytes, as: .rgba).bitmap) == .infinity)
  }

  @Test("a JPEG with arithmetic coding has no previews", arguments: [false, true])
  func arithmeticJPEGHasNoPreviews(isProgressive: Bool) throws {
    var fixture = fixture(isProgressive: isProgressive)
    fixture.isArithmetic = true

    #expect(try parts(of: fixture.bytes).isEmpty)
  }

  @Test("previews stop after too many scans")
  func previewsStopAfterTooManyScans() throws {
    let bytes = fixture(width: 16, height: 16).bytes
    let scans = scans(of: bytes)
    let scan = Array(bytes[scans[0]..<scans[1]])
    let tables = scan.indices.dropLast().first { scan[$0] == 0xFF && scan[$0 + 1] == 0xC4 } ?? scan.count
    let many = bytes[..<scans[1]] + [[UInt8]](repeating: Array(scan[..<tables]), count: 120).joined()

    #expect(throws: ImageError.decoding(.jpeg, message: "more than 100 scans")) {
      _ = try parts(of: Array(many))
    }
  }

  @Test("YY-B21 only a progressive JPEG has blurred previews, and the blur decreases as bytes arrive")
  func onlyProgressiveJPEGsHaveBlurredPreviews() throws {
    let bytes = fixture().bytes
    #expect(try parts(of: fixture(isProgressive: false).bytes, .blurred).isEmpty)

    for saysLength in [true, false] {
      let blurred = try parts(of: bytes, .blurred, saysLength: saysLength)
      let plain = try parts(of: bytes)

      #expect(blurred.map(\.count) == plain.map(\.count))
      let roughness = blurred.map(\.image.bitmap.roughness)
      #expect(zip(roughness, roughness.dropFirst()).allSatisfy { $1 > $0 - 0.1 })
      let (first, last) = (try #require(roughness.first), try #require(roughness.last))
      #expect(first * 4 < last)
      #expect(first * 4 < plain[0].image.bitmap.roughness)
      #expect(blurred.allSatisfy { $0.image.bitmap.isOpaque && $0.image.isPreview })
    }
  }
}
