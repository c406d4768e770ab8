import CCodecs
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Progressive images at an eighth of their size, decoded from some of their scans.
@Suite struct JPEGCoarseScansTests {
  private static let target = DecodeTarget(width: 30, height: 20)

  private func fixture(_ configure: (inout JPEGFixture) -> Void = { _ in }) -> JPEGFixture {
    var fixture = JPEGFixture(width: 509, height: 333, color: patternColor)
    fixture.isProgressive = true
    fixture.subsamples = true
    configure(&fixture)
    return fixture
  }

  private func coarse(_ bytes: [UInt8], to target: DecodeTarget = target) throws -> [UInt8]? {
    let header = try #require(JPEGHeader(bytes))
    return JPEGCoarseScans.file(
      bytes, header, orientation: .up, options: DecodeOptions(target: target))
  }

  private func scanCount(_ bytes: [UInt8]) -> Int {
    bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }.count
  }

  /// Returns the pixels that libjpeg decodes from a whole file at an eighth of the size.
  private func pixelsOfLibjpeg(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBufferPointer { bytes in
      let jpeg = try #require(vitrine_jpeg_create(100))
      defer { vitrine_jpeg_close(jpeg) }
      try #require(vitrine_jpeg_open(jpeg, bytes.baseAddress, bytes.count))
      try #require(vitrine_jpeg_start(jpeg, 1, JCS_EXT_BGRA, 0))
      let (width, height) = (Int(jpeg.pointee.info.output_width), Int(jpeg.pointee.info.output_height))
      var pixels = [UInt8](repeating: 0, count: width * height * 4)
      #expect(vitrine_jpeg_read_rows(jpeg, &pixels, width * 4, Int32(height)) == Int32(height))
      return pixels
    }
  }

  @Test(
    "some scans give the pixels of all scans at an eighth of the size", arguments: [false, true], [0, 5])
  func someScansGiveThePixelsOfAllScans(subsamples: Bool, restartInterval: UInt32) throws {
    let bytes = fixture {
      $0.subsamples = subsamples
      $0.restartInterval = restartInterval
      $0.exif = exif(orientation: 6)
    }.bytes

    let some = try #require(try coarse(bytes))

    // Of the ten scans, four have luma's other coefficients, and four those of chroma.
    #expect(scanCount(some) == (subsamples ? 6 : 2) && scanCount(bytes) == 10)
    #expect(some.count < bytes.count / (subsamples ? 2 : 10))
    #expect(try pixelsOfLibjpeg(some) == pixelsOfLibjpeg(bytes))
  }

  @Test func grayImageNeedsItsMeansAlone() throws {
    let bytes = fixture {
      $0.model = .gray
      $0.samples = { x, y in [patternColor(x: x, y: y).red] }
    }.bytes

    let some = try #require(try coarse(bytes))

    #expect(scanCount(some) < scanCount(bytes))
    #expect(try pixelsOfLibjpeg(some) == pixelsOfLibjpeg(bytes))
  }

  @Test func decodedThumbnailIsTheMeanOfLibjpegsPixels() throws {
    let bytes = JPEGFixture(width: 512, height: 320, color: patternColor)
    var progressive = bytes
    progressive.isProgressive = true
    progressive.subsamples = true

    let image = try decode(progressive.bytes, to: DecodeTarget(width: 32, height: 20)).bitmap

    let all = try pixelsOfLibjpeg(progressive.bytes)
    for y in 0..<20 {
      for x in 0..<32 {
        let reds = [(0, 0), (0, 1), (1, 0), (1, 1)].map { Int(all[((2 * y + $0) * 64 + 2 * x + $1) * 4 + 2]) }
        #expect(abs(reds.reduce(0, +) - 4 * Int(image.color(x: x, y: y).red)) <= 4)
      }
    }
  }

  @Test func largerTargetsAndOtherCodingsNeedAllScans() throws {
    #expect(try coarse(fixture().bytes, to: DecodeTarget(width: 40, height: 20)) == nil)
    #expect(try coarse(fixture { $0.isProgressive = false }.bytes) == nil)
    #expect(try coarse(fixture { $0.isArithmetic = true }.bytes) == nil)
  }

  @Test("a file that is cut anywhere is left to libjpeg, and refused")
  func cutFileIsLeftToLibjpeg() throws {
    let bytes = fixture().bytes

    for count in [bytes.count - 1, bytes.count - 2, bytes.count - 40, bytes.count / 2, bytes.count / 8] {
      let cut = Array(bytes.prefix(count))
      #expect(try coarse(cut) == nil)
      #expect(error(cut, to: Self.target)?.isDamage(of: .jpeg) == true)
    }
  }

  @Test func unusualScansAreLeftToLibjpeg() throws {
    let bytes = fixture().bytes
    let start = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    // The end of the band of the first scan, whose three components take six bytes after their number.
    for (offset, value): (Int, UInt8) in [(start + 12, 5), (start + 4, 0), (start + 4, 9), (start + 3, 1)] {
      var unusual = bytes
      unusual[offset] = value
      #expect(try coarse(unusual) == nil)
    }
  }
}
