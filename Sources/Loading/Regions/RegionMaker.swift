import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Opens images for regions, and decodes regions, on the threads and within the memory of a downloader.
struct RegionMaker: Sendable {
  /// The last number of a job; apart from the numbers of other jobs that run on the same threads.
  private static let lastNumber = Atomic<UInt64>(7 << 61)

  private let decoder: any ImageRegionDecoding
  private let workers: WorkerPool
  let ledger: MemoryLedger
  private let pixelFormat: PixelFormat

  /// Returns `nil` for a decoder that decodes images only as a whole.
  init?(_ decoder: any ImageDecoding, workers: WorkerPool, ledger: MemoryLedger, pixelFormat: PixelFormat) {
    guard let decoder = decoder as? any ImageRegionDecoding else { return nil }
    self.decoder = decoder
    self.workers = workers
    self.ledger = ledger
    self.pixelFormat = pixelFormat
  }

  /// Makes the decoder of an image's regions.
  ///
  /// - Parameters:
  ///   - bytes: Returns the encoded image, on a worker thread; `nil` if there is none, which fails with `.notCached`.
  ///   - content: The identity of the shown image; other bytes fail with `.replaced`. `nil` accepts any.
  ///   - reservation: The reservation of the bytes in memory. Has the memory of the decoder in addition afterwards.
  ///   - completion: Called once on a worker thread, unless the job is cancelled before the start.
  func open(
    _ bytes: @escaping @Sendable () -> RegionBytes?, of content: ContentID?, limits: DecodeLimits,
    reservation: MemoryReservation,
    completion: @escaping @Sendable (Result<any ImageRegionDecoder, RegionError>) -> Void
  ) -> RegionJob {
    let kept = reservation.bytes
    let opened = Shared<RegionBytes?>(nil)
    // A file is opened here, before the memory is reserved.
    let claim = MemoryClaim(in: reservation) { [decoder] in
      guard let bytes = bytes() else { return 0 }
      opened.withLock { $0 = bytes }
      return decoder.memoryForRegions(of: bytes.encoded)
    }
    let options = DecodeOptions(pixelFormat: pixelFormat, limits: limits)
    return submit(.high, claim) { [decoder] cancellation in
      let result = Result { () throws(RegionError) -> any ImageRegionDecoder in
        guard let bytes = opened.withLock({ $0.take() }) else { throw .image(.notCached) }
        if claim.isGivenUp { throw .image(claim.refusal) }
        if let content, !bytes.are(content) { throw .replaced }
        return try decoder.regionDecoder(for: bytes.encoded, options: options, cancellation: cancellation)
      }
      let retained = (try? result.get()).map { ByteCount.sum(kept, $0.retainedBytes) }
      reservation.resize(to: retained ?? 0)
      completion(result)
    }
  }

  /// Decodes the regions of a band into images, which count as shown until they are released.
  ///
  /// - Parameter completion: Called once on a worker thread with the images of the regions, in order, unless the job is
  ///   cancelled before the start.
  func decode(
    _ band: RegionBand, with regions: any ImageRegionDecoder, priority: ImageRequest.Priority,
    completion: @escaping @Sendable (Result<[Image], ImageError>) -> Void
  ) -> RegionJob {
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let needed = ByteCount.sum(regions.memoryNeeded(for: band.whole), band.copiedBytes)
    let claim = MemoryClaim(needed, in: reservation)
    return submit(priority, claim) { cancellation in
      let result = Result { () throws(ImageError) -> [Image] in
        if let claim, claim.isGivenUp { throw claim.refusal }
        let pixels = try regions.decode(band.whole, cancellation: cancellation)
        return band.bitmaps(of: pixels).map { Image($0, format: regions.format) }
      }
      if case .success(let images) = result {
        for image in images { image.countAsShown(movedFrom: reservation) }
      }
      reservation.end()
      completion(result)
    }
  }

  /// Counts as work of the downloader until `endHold()`, for regions that are decoded one after another.
  func beginHold() { workers.beginHold() }

  func endHold() { workers.endHold() }

  private func submit(
    _ priority: ImageRequest.Priority, _ claim: MemoryClaim?,
    _ body: @escaping @Sendable (DecodeCancellation) -> Void
  ) -> RegionJob {
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let flag = CancellationFlag()
    let work = ledger.beginWork()
    workers.submit(number, priority: priority.rawValue, taking: claim, stoppedBy: flag) { [ledger] in
      ledger.checkPressure()
      body(flag.cancellation)
      work.end()
    }
    return RegionJob(workers, number)
  }
}

/// A job of a `RegionMaker`.
final class RegionJob: Cancellable {
  private let workers: WorkerPool
  private let number: UInt64

  fileprivate init(_ workers: WorkerPool, _ number: UInt64) {
    self.workers = workers
    self.number = number
  }

  /// Drops the job if it has not begun, and asks a running one to stop.
  func cancel() { workers.cancel(number) }
}
