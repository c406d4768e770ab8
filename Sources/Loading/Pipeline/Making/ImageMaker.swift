import VitrineConcurrency
import VitrineGraphics

/// Decodes and transforms images on worker threads, within the memory budget.
struct ImageMaker: Sendable {
  private let decoder: any ImageDecoding
  private let workers: WorkerPool
  private let ledger: MemoryLedger
  private let bodies: SharedBodyPool
  private let trace: Trace
  private let pixelFormat: PixelFormat
  private let countsImages: Bool
  private let clock: any LoadingClock

  /// - Parameters:
  ///   - bodies: Receives the storage of bodies that have been decoded.
  ///   - countsImages: True to count the pixels of images until they are released, except while the cache counts the
  ///     pixels. False for a cache of the application, which must limit its memory itself.
  init(
    _ decoder: any ImageDecoding, workers: WorkerPool, ledger: MemoryLedger, bodies: SharedBodyPool,
    configuration: ImageDownloader.Configuration, countsImages: Bool
  ) {
    self.decoder = decoder
    self.workers = workers
    self.ledger = ledger
    self.bodies = bodies
    self.countsImages = countsImages
    trace = configuration.environment.trace
    clock = configuration.environment.clock
    pixelFormat = configuration.decoding.pixelFormat
  }

  /// Decodes the bytes of an image, or checks the bytes of a request that is not decoded.
  ///
  /// - Parameter completion: Called once on a worker thread, unless the work is cancelled before the start. Receives the
  ///   number of seconds that the decode took.
  func decode(
    _ id: DecodeID, _ body: [UInt8], _ key: DecodeKey, _ priority: ImageRequest.Priority,
    completion: @escaping @Sendable (Result<Image, ImageError>, _ seconds: Double) -> Void
  ) {
    let options = key.options(pixelFormat)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let work = ledger.beginWork()
    // Measured by a worker: the header may be as long as the body, and this thread may belong to a transport.
    let claim = MemoryClaim(in: reservation, beside: body.count) { [decoder] in
      key.decodes ? decoder.memoryNeeded(for: body, options: options) : 0
    }
    let flag = CancellationFlag()
    let pool = bodies.current
    workers.submit(id.number, priority: priority.rawValue, taking: claim, stoppedBy: flag) {
      ledger.checkPressure()
      trace.record(.decodeBegan(decode: id.number))
      let began = clock.now
      let result = Result { () throws(ImageError) in
        guard key.decodes else {
          try key.validator?.check(body)
          return Self.noImage
        }
        if claim.isGivenUp { throw claim.refusal }
        return try key.settings.applied(
          to: decoder.decode(body, options: options, cancellation: flag.cancellation)
        ).identified(by: ContentID(samplesOf: EncodedBytes(body)))
      }
      if countsImages, key.decodes, case .success(let image) = result {
        image.countAsShown(movedFrom: reservation)
      }
      reservation.end()
      trace.record(.decodeEnded(id, result))
      completion(result, clock.now.seconds(since: began))
      work.end()
      // Last, when the load no longer uses the body.
      if key.decodes { pool.give(body) }
    }
  }

  /// Applies transforms to a decoded image.
  ///
  /// - Parameter completion: Called once on a worker thread, unless the work is cancelled before the start. Receives the
  ///   number of seconds that the transforms took.
  func transform(
    _ id: ProcessedImageID, _ image: Image, _ transforms: [any ImageTransform],
    _ priority: ImageRequest.Priority,
    completion: @escaping @Sendable (Result<Image, ImageError>, _ seconds: Double) -> Void
  ) {
    let work = ledger.beginWork()
    let reservation = reserve(image)
    let claim = MemoryClaim(image.cost, in: reservation, beside: image.isCounted ? image.cost : 0)
    let flag = CancellationFlag()
    workers.submit(id.number, priority: priority.rawValue, taking: claim, stoppedBy: flag) {
      trace.record(.transformBegan(processedImage: id.number))
      let began = clock.now
      let result =
        claim.flatMap { $0.isGivenUp ? .failure($0.refusal) : nil }
        ?? image.applying(transforms, flag.cancellation)
      if countsImages, case .success(let image) = result { image.countAsShown(movedFrom: reservation) }
      reservation.end()
      trace.record(.transformEnded(processedImage: id.number))
      completion(result, clock.now.seconds(since: began))
      work.end()
    }
  }

  /// Counts the pixels of an image that waits for the next stage, unless the pixels are counted already.
  func reserve(_ image: Image) -> MemoryReservation {
    MemoryReservation(image.isCounted ? 0 : image.cost, in: ledger, as: .decoding)
  }

  /// The placeholder image of a response that is not decoded.
  private static let noImage = Image(
    Bitmap(width: 1, height: 1, format: .bgra, isOpaque: false) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    })
}

extension Image {
  /// Applies transforms one after another. Fails with `.cancelled` between two transforms, and within a transform that
  /// can be cancelled.
  func applying(
    _ transforms: [any ImageTransform], _ cancellation: DecodeCancellation
  ) -> Result<Image, ImageError> {
    Result { () throws(ImageError) in
      var image = self
      for transform in transforms {
        try cancellation.check()
        image = try transform.applied(to: image, cancellation).keepingMetadata(of: image)
          .claimingNoMore(than: image)
      }
      return image
    }
  }

  /// Returns the image with a source size in proportion, if a transform has lost the information that the input was
  /// scaled down. Otherwise a slot that needs more pixels would be served by this image.
  private func claimingNoMore(than input: Image) -> Image {
    guard isFullSize, !input.isFullSize else { return self }
    // The product of two sides may exceed an `Int` of 32 bits.
    func source(_ side: Int, _ source: Int, _ decoded: Int) -> Int {
      max(side + 1, Int(clamping: Int64(side) * Int64(source) / Int64(decoded)))
    }
    return Image(
      bitmap, animation: animation, scale: scale, format: format,
      sourceWidth: source(pixelWidth, input.sourceWidth, input.pixelWidth),
      sourceHeight: source(pixelHeight, input.sourceHeight, input.pixelHeight), metadata: metadata)
  }
}
