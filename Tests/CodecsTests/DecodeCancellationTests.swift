import Synchronization
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Decoders check for cancellation and stop.
@Suite(.timeLimit(.minutes(5))) struct DecodeCancellationTests {
  /// Counts the checks for cancellation, and cancels from a given check on. Depending on the format, a decoder
  /// checks before each strip of rows, each row of blocks or each part of the file.
  private final class CancellationCounter: Sendable {
    private let number = Atomic(0)
    private let limit: Int

    init(cancellingFrom limit: Int = .max) { self.limit = limit }

    var count: Int { number.load(ordering: .relaxed) }
    var cancellation: DecodeCancellation {
      DecodeCancellation { self.number.wrappingAdd(1, ordering: .relaxed).newValue >= self.limit }
    }
  }

  struct Sample: CustomTestStringConvertible {
    let testDescription: String
    /// The smallest number of checks: one for each strip of rows, scan, or part of a scan.
    let checks: Int
    let bytes: @Sendable () -> [UInt8]
  }

  private static func jpeg(_ change: @escaping @Sendable (inout JPEGFixture) -> Void)
    -> @Sendable () -> [UInt8]
  {
    {
      var fixture = JPEGFixture(width: 64, height: 640, color: patternColor)
      change(&fixture)
      return fixture.bytes
    }
  }

  static let samples = [
    Sample(testDescription: "JPEG", checks: 40, bytes: jpeg { _ in }),
    // Ten scans of eighty rows of blocks each, then forty strips of the result.
    Sample(testDescription: "progressive JPEG", checks: 840, bytes: jpeg { $0.isProgressive = true }),
    Sample(testDescription: "JPEG of three scans", checks: 280, bytes: jpeg { $0.isInterleaved = false }),
    Sample(testDescription: "PNG", checks: 40) {
      PNGFixture(width: 16, height: 640) { x, y in [x, y & 255, 0, 255] }.bytes
    },
    Sample(testDescription: "interlaced PNG", checks: 280) {
      var fixture = PNGFixture(width: 16, height: 640) { x, y in [x, y & 255, 0, 255] }
      fixture.isInterlaced = true
      return fixture.bytes
    },
    Sample(testDescription: "GIF", checks: 40) {
      GIFFixture(width: 16, height: 640) { x, y in UInt8((x + y) & 3) }.bytes
    },
    Sample(testDescription: "lossless WebP", checks: 3) {
      noise(isLossless: true)
    },
    Sample(testDescription: "lossy WebP", checks: 2) {
      noise(isLossless: false)
    },
  ]

  private static func noise(isLossless: Bool) -> [UInt8] {
    var random = SplitMix(state: 7)
    let pixels = (0..<(256 * 128)).flatMap { _ -> [UInt8] in
      let bits = random.next()
      return [UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255), 255]
    }
    return LargeFixtures.webP(pixels, width: 256, height: 128, isLossless: isLossless)
  }

  @Test(arguments: samples)
  func decoderChecksForCancellationBetweenRowsAndScans(sample: Sample) throws {
    let counter = CancellationCounter()

    let image = try ImageCodecs().decode(
      sample.bytes(), options: DecodeOptions(), cancellation: counter.cancellation)

    #expect(counter.count >= sample.checks)
    #expect(image.pixelHeight > 0)
  }

  @Test(arguments: samples, [1, 2])
  func decodingStopsAtTheCheckThatCancels(sample: Sample, last: Int) {
    let counter = CancellationCounter(cancellingFrom: last)

    #expect(throws: ImageError.cancelled) {
      try ImageCodecs().decode(
        sample.bytes(), options: DecodeOptions(), cancellation: counter.cancellation)
    }
    #expect(counter.count == last)
  }

  @Test func progressiveJPEGStopsInTheMiddleOfAScan() {
    let counter = CancellationCounter(cancellingFrom: 400)

    #expect(throws: ImageError.cancelled) {
      try ImageCodecs().decode(
        Self.samples[1].bytes(), options: DecodeOptions(), cancellation: counter.cancellation)
    }
    #expect(counter.count == 400)
  }

  @Test func previewDecoderStopsWhenCancelled() throws {
    for sample in [Self.samples[0], Self.samples[1], Self.samples[3], Self.samples[4], Self.samples[5]] {
      let bytes = sample.bytes()
      let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
      let counter = CancellationCounter(cancellingFrom: 3)

      #expect(throws: ImageError.cancelled, "\(sample.testDescription)") {
        try decoder.image(
          of: Array(bytes.dropLast(40)), expectedLength: nil, cancellation: counter.cancellation)
      }
      #expect(counter.count == 3)
      #expect(try decoder.image(of: bytes, expectedLength: nil) == nil, "the preview decoder has ended")
      #expect(decoder.retainedBytes == 0)
    }
  }

  @Test func decoderWithoutCancellationSupportDecodesToTheEnd() throws {
    struct Simple: ImageDecoding {
      func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
        Image(Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { _, _ in })
      }
    }
    let counter = CancellationCounter(cancellingFrom: 1)

    _ = try Simple().decode([1], options: DecodeOptions(), cancellation: counter.cancellation)

    #expect(counter.count == 0)
  }

  // MARK: Cost

  /// Returns a gray progressive JPEG with many scans of the whole image.
  private func manyScans(_ count: Int, width: Int, height: Int) -> [UInt8] {
    var fixture = JPEGFixture(width: width, height: height) { _, _ in .white }
    fixture.model = .gray
    fixture.samples = { _, _ in [200] }
    fixture.repeatsFirstRow = true
    fixture.scanCount = count
    return fixture.bytes
  }

  @Test func scansWithTooManySamplesAreRefused() throws {
    let pixels = 64 * 64
    let limits = DecodeLimits(pixels: pixels)
    let (few, many) = (manyScans(16, width: 64, height: 64), manyScans(17, width: 64, height: 64))

    #expect(try decode(few, limits: limits).pixelWidth == 64)
    #expect(error(many, limits: limits) == .tooLarge(.samples(16 * pixels)))
    #expect(try decode(many, limits: DecodeLimits(pixels: pixels * 2)).pixelWidth == 64)
    // Previews have the same limit of samples.
    let decoder = try #require(
      ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions(limits: limits)))
    #expect(throws: ImageError.tooLarge(.samples(16 * pixels))) {
      try decoder.image(of: many, expectedLength: nil)
    }
  }

  @Test func progressiveJPEGOfTheLargestSizeIsAllowed() throws {
    var fixture = JPEGFixture(width: 64, height: 64, color: patternColor)
    fixture.isProgressive = true

    #expect(try decode(fixture.bytes, limits: DecodeLimits(pixels: 64 * 64)).pixelWidth == 64)
  }
}
