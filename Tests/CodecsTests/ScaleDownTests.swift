import Synchronization
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Images that are scaled down to a number of bytes instead of being refused.
@Suite(.timeLimit(.minutes(5))) struct ScaleDownTests {
  private let limits = DecodeLimits(scaleDownBytes: 4_000_000)

  @Test("2000x2000 under 4,000,000 bytes is 1000x1000, in each preview and in the final image")
  func previewsAndFinalImageAreScaledDown() throws {
    let black = Bitmap(width: 2000, height: 2000, format: .bgra, isOpaque: true) { _, _ in }
    let bytes = try ImageCodecs().encode(Image(black), as: .jpeg)

    let previews = try parts(of: bytes, every: bytes.count / 4, limits: limits).map(\.image)
    let final = try decode(bytes, limits: limits)

    #expect(previews.count >= 2)
    for image in previews + [final] {
      #expect(image.pixelWidth == 1000 && image.pixelHeight == 1000)
      #expect(image.sourceWidth == 2000 && image.sourceHeight == 2000)
    }
    #expect(previews.allSatisfy(\.isPreview) && !final.isPreview)
  }

  @Test("the previews of a progressive JPEG have the size of the final image")
  func progressivePreviewsHaveTheSizeOfTheFinalImage() throws {
    var fixture = JPEGFixture(width: 200, height: 200, color: patternColor)
    fixture.isProgressive = true
    let limits = DecodeLimits(scaleDownBytes: 40_000)
    let images = try parts(of: fixture.bytes, every: 500, limits: limits).map(\.image)
    #expect(images.count >= 2)
    #expect(images.allSatisfy { $0.pixelWidth == 100 && $0.pixelHeight == 100 && $0.isPreview })
    #expect(try decode(fixture.bytes, limits: limits).pixelWidth == 100)
  }

  /// The real codecs, with a count of the attempts to decode a preview.
  private final class CountingCodecs: ImageDecoding {
    private let codecs = ImageCodecs()
    private let attempts = Mutex(0)

    var previewAttempts: Int { attempts.withLock { $0 } }

    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      try codecs.decode(data, options: options)
    }

    func progressiveDecoder(
      _ style: ImageRequest.Progressive, options: DecodeOptions
    ) -> (any ProgressiveImageDecoding)? {
      codecs.progressiveDecoder(style, options: options).map { decoder in
        Counting(decoder: decoder) { self.attempts.withLock { $0 += 1 } }
      }
    }

    private final class Counting: ProgressiveImageDecoding {
      let decoder: any ProgressiveImageDecoding
      let note: @Sendable () -> Void

      init(decoder: any ProgressiveImageDecoding, note: @escaping @Sendable () -> Void) {
        self.decoder = decoder
        self.note = note
      }

      func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
        defer { note() }
        return try decoder.image(of: data, expectedLength: expectedLength)
      }
    }
  }

  @Test("SD-M11 SD-D9 a load of a progressive JPEG delivers 1000x1000 in each preview and at its end")
  @MainActor func loadDeliversScaledPreviewsAndImage() async throws {
    var fixture = JPEGFixture(width: 2000, height: 2000, color: patternColor)
    fixture.isProgressive = true
    fixture.repeatsFirstRow = true
    let body = fixture.bytes
    let (codecs, transport, clock) = (CountingCodecs(), FakeTransport(), ManualLoadingClock())
    let ledger = MemoryLedger()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    configuration.memory.ledger = ledger
    configuration.retries = .none
    let downloader = ImageDownloader(configuration: configuration, transports: [transport], decoder: codecs)
    var request = try ImageRequest("http://a.test/large.jpg")
    request.progressive = .scans
    request.limits = limits
    request.keepsData = true
    var previews: [Image] = []
    let task = downloader.load(request, completion: { _ in }, preview: { previews.append($0) })
    let transfer = try await transport.transfer(1)

    transfer.respond(expectedLength: body.count)
    let step = body.count / 4
    for start in stride(from: 0, to: 3 * step, by: step) {
      let before = codecs.previewAttempts
      transfer.send(Array(body[start..<start + step]))
      // The pause before the next preview starts when this preview has been decoded.
      try await until { ledger.usage.decoding == 0 }
      #expect(codecs.previewAttempts > before)
      clock.advance(by: 10)
    }
    try await until { previews.count >= 2 }
    transfer.send(Array(body[(3 * step)...]))
    transfer.finish()
    let response = try await task.response
    let final = response.image

    #expect(response.data == body)
    for image in previews + [final] {
      #expect(image.pixelWidth == 1000 && image.pixelHeight == 1000)
      #expect(image.sourceWidth == 2000 && image.sourceHeight == 2000)
    }
    #expect(previews.allSatisfy(\.isPreview) && !final.isPreview)
  }

  @Test("each format is scaled down with its aspect ratio, and a small image keeps its size")
  func scaledImageKeepsItsAspectRatio() throws {
    let png = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }.bytes
    var interlaced = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }
    interlaced.isInterlaced = true
    let gif = GIFFixture(width: 200, height: 100) { _, _ in 0 }.bytes
    let jpeg = JPEGFixture(width: 200, height: 100) { _, _ in .white }.bytes
    for bytes in [png, interlaced.bytes, gif, jpeg] {
      let image = try decode(bytes, limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
      #expect((image.pixelWidth, image.pixelHeight) == (50, 25))
      let unscaled = try decode(bytes, limits: DecodeLimits(scaleDownBytes: 200 * 100 * 4))
      #expect(unscaled.isFullSize && unscaled.pixelWidth == 200)
      let thumbnail = try decode(
        bytes, to: DecodeTarget(width: 20, height: 20), limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
      #expect((thumbnail.pixelWidth, thumbnail.pixelHeight) == (40, 20))
    }
  }

  @Test("the result has at least one pixel and at most the allowed bytes")
  func scaledSizeIsWithinItsBounds() {
    for (width, height) in [(1, 1), (1, 100_000), (65_535, 3), (1029, 1029), (7, 5)] {
      for bytes in [Int.min, -1, 0, 1, 4, 399, 400, 1 << 20, .max] {
        let size = DecodeOptions(limits: DecodeLimits(scaleDownBytes: bytes))
          .outputSize(sourceWidth: width, sourceHeight: height)
        #expect(size.width >= 1 && size.height >= 1)
        #expect(size.width <= width && size.height <= height)
        #expect(size.width * size.height * 4 <= max(4, bytes))
      }
    }
  }

  @Test func scalingDownReducesTheMemoryNeeded() {
    let bytes = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }.bytes
    let limited = DecodeOptions(limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
    let codecs = ImageCodecs()
    #expect(
      codecs.memoryNeeded(for: bytes, options: limited) < codecs.memoryNeeded(for: bytes, options: .init()))
  }
}
