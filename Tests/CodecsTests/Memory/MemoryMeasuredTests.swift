import FoundationEssentials
import Glibc
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Compares the memory that the codecs predict for a decode with the memory that a process takes.
@Suite(.serialized, .timeLimit(.minutes(5)), .disabled(if: CorpusVerdict.isSanitized))
struct MemoryMeasuredTests {
  struct Sample: CustomTestStringConvertible {
    let testDescription: String
    var target: (width: Int, height: Int)?
    let bytes: @Sendable () -> [UInt8]

    /// True if the header does not show that less memory suffices.
    var isPredictedAsMaximum: Bool {
      testDescription.contains("WebP") || testDescription.hasPrefix("progressive JPEG for a tile")
        || testDescription.contains("a quarter of the chroma")
    }
  }

  private static func jpeg(_ change: @escaping @Sendable (inout JPEGFixture) -> Void)
    -> @Sendable () -> [UInt8]
  {
    {
      var fixture = JPEGFixture(width: 2000, height: 1500) { x, _ in patternColor(x: x, y: 3) }
      fixture.repeatsFirstRow = true
      change(&fixture)
      return fixture.bytes
    }
  }

  private static let inks: @Sendable (Int, Int) -> [UInt8] = { x, _ in [UInt8(x & 255), 20, 200, 255] }

  static let samples: [Sample] = [
    Sample(testDescription: "JPEG", bytes: jpeg { _ in }),
    Sample(testDescription: "JPEG for a tile", target: (64, 64), bytes: jpeg { _ in }),
    Sample(testDescription: "progressive JPEG", bytes: jpeg { $0.isProgressive = true }),
    Sample(
      testDescription: "progressive JPEG for a tile", target: (64, 64),
      bytes: jpeg { $0.isProgressive = true }),
    Sample(
      testDescription: "progressive JPEG, a quarter of the chroma, for a tile", target: (64, 64),
      bytes: jpeg {
        $0.isProgressive = true
        $0.subsamples = true
      }),
    Sample(
      testDescription: "progressive JPEG of four inks", target: (64, 64),
      bytes: jpeg {
        $0.model = .cmyk
        $0.samples = inks
        $0.isProgressive = true
      }),
    Sample(
      testDescription: "progressive JPEG with arithmetic codes", target: (64, 64),
      bytes: jpeg {
        $0.isProgressive = true
        $0.isArithmetic = true
      }),
    Sample(
      testDescription: "JPEG of a scan a component", target: (64, 64),
      bytes: jpeg { $0.isInterleaved = false }),
    Sample(
      testDescription: "turned JPEG", target: (700, 700), bytes: jpeg { $0.exif = exif(orientation: 6) }),
    Sample(testDescription: "PNG of 16 bits, interlaced, for a tile", target: (64, 64)) {
      LargeFixtures.png(width: 2000, height: 1500, depth: 16, colorType: 6, isInterlaced: true)
    },
    Sample(testDescription: "PNG of 16 bits, interlaced") {
      LargeFixtures.png(width: 2000, height: 1500, depth: 16, colorType: 6, isInterlaced: true)
    },
    Sample(testDescription: "PNG for a tile", target: (64, 64)) {
      LargeFixtures.png(width: 2000, height: 1500, depth: 8, colorType: 2)
    },
    Sample(testDescription: "wide PNG for a tile", target: (64, 64)) {
      LargeFixtures.png(width: 60_000, height: 200, depth: 16, colorType: 6)
    },
    Sample(testDescription: "GIF") {
      LargeFixtures.gif(screen: (1500, 1500), frame: (1500, 1500))
    },
    Sample(testDescription: "GIF whose frame is larger than its screen") {
      LargeFixtures.gif(screen: (1, 1), frame: (3000, 2500))
    },
    Sample(testDescription: "lossless WebP for a tile", target: (64, 64)) {
      LargeFixtures.webP(width: 2000, height: 1500, isLossless: true, hasAlpha: true)
    },
    Sample(testDescription: "lossless WebP") {
      LargeFixtures.webP(width: 2000, height: 1500, isLossless: true, hasAlpha: false)
    },
    Sample(testDescription: "lossy WebP for a tile", target: (64, 64)) {
      LargeFixtures.webP(width: 2000, height: 1500, isLossless: false, hasAlpha: false)
    },
    Sample(testDescription: "lossy WebP with alpha for a tile", target: (64, 64)) {
      LargeFixtures.webP(width: 2000, height: 1500, isLossless: false, hasAlpha: true)
    },
    Sample(testDescription: "lossy WebP with alpha in transforms") {
      LargeFixtures.webPWithAlphaTransforms(width: 4000, height: 3000)
    },
  ]

  @Test(arguments: samples)
  func memoryUsedIsCloseToThePrediction(sample: Sample) throws {
    let path = "/tmp/vitrine-memory-\(UUID().uuidString)"
    try Data(sample.bytes()).write(to: URL(filePath: path))
    defer { unlink(path) }

    let box = sample.target ?? (0, 0)
    let (status, output) = try CorpusVerdict.runToTheEnd(
      CorpusVerdict.probe, ["--peak", "\(box.width)", "\(box.height)", path])

    #expect(status == 0)
    let numbers = output.split(whereSeparator: { $0 == " " || $0 == "\n" }).compactMap { Int($0) }
    try #require(numbers.count == 2, "\(output)")
    let (needed, taken) = (numbers[0], numbers[1])
    // The measurement includes code pages that are used for the first time.
    #expect(taken <= needed + (1 << 20), "needed \(needed), taken \(taken)")
    // WebP with alpha, or lossless with few colors, takes less, which the header does not show. A progressive JPEG for
    // a tile takes less, unless its DC scans are damaged and libjpeg decodes it.
    guard !sample.isPredictedAsMaximum else { return }
    #expect(needed <= taken * 2 + (3 << 20), "needed \(needed), taken \(taken)")
  }
}
