import VitrineConcurrency
import VitrineGraphics

/// Makes previews from the bytes received so far, on worker threads.
///
/// Previews are made only while workers are idle and memory is free, because whole images take precedence.
struct PreviewMaker: Sendable {
  /// The end of a preview job, with the decoder for the next preview.
  enum End {
    /// No preview was made, for lack of memory.
    case skipped(ReservedDecoder?)
    /// A preview was made, or there was nothing to show yet. Without a decoder, no more previews are made.
    case ended(ReservedDecoder?, hasPreview: Bool)
  }

  private let decoder: any ImageDecoding
  private let workers: WorkerPool
  private let ledger: MemoryLedger
  private let pixelFormat: PixelFormat

  init(_ decoder: any ImageDecoding, workers: WorkerPool, ledger: MemoryLedger, pixelFormat: PixelFormat) {
    self.decoder = decoder
    self.workers = workers
    self.ledger = ledger
    self.pixelFormat = pixelFormat
  }

  /// Submits a preview. Returns false if no worker is free, or if the bytes have changed. Never blocks, because this
  /// method is called by threads of a transport.
  ///
  /// Memory for a copy of the body is reserved before the preview reads the body, because the body is copied when more
  /// bytes arrive in the meantime. If there is no room now, a worker reserves the memory and may evict cached memory.
  ///
  /// - Parameters:
  ///   - bytes: Returns the bytes received so far, or `nil` if `beginning` no longer describes the body.
  ///   - show: Receives a preview, the reservation of its memory and the cancellation of the job, on a worker thread.
  ///   - end: Called once on a worker thread, unless the job is cancelled before the start or false is returned.
  func submit(
    _ job: PreviewJob, _ beginning: PreviewSchedule.Beginning, bytes: @escaping @Sendable () -> [UInt8]?,
    show: @escaping @Sendable (Image, MemoryReservation, DecodeCancellation) -> Void,
    end: @escaping @Sendable (End) -> Void
  ) -> Bool {
    guard workers.isFree else { return false }
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    var body: [UInt8]?
    if reservation.reserve(beginning.count, force: false) {
      body = bytes()
      guard body != nil else { return false }
    }
    let flag = CancellationFlag()
    workers.submit(job.number, priority: ImageRequest.Priority.veryLow.rawValue, stoppedBy: flag) { [body] in
      ledger.checkPressure()
      guard body != nil || reservation.reserveOrEvict(toFit: beginning.count), let body = body ?? bytes()
      else {
        reservation.end()
        return end(.skipped(job.decoder))
      }
      if let counted = job.decoder ?? newDecoder(for: job) {
        end(make(job, counted, body, beginning.expected, reservation, flag.cancellation, show))
      } else {
        end(.ended(nil, hasPreview: false))
      }
      reservation.end()
    }
    return true
  }

  private func newDecoder(for job: PreviewJob) -> ReservedDecoder? {
    decoder.progressiveDecoder(job.style, options: job.key.options(pixelFormat))
      .map { ReservedDecoder(decoder: $0, reservation: MemoryReservation(0, in: ledger, as: .decoding)) }
  }

  /// Makes a preview. `reservation` has the memory of this preview, and `counted.reservation` the memory kept for later
  /// previews.
  private func make(
    _ job: PreviewJob, _ counted: ReservedDecoder, _ body: [UInt8], _ expectedLength: Int?,
    _ reservation: MemoryReservation, _ cancellation: DecodeCancellation,
    _ show: (Image, MemoryReservation, DecodeCancellation) -> Void
  ) -> End {
    let decoder = counted.decoder
    guard reservation.reserveOrEvict(toFit: decoder.memoryNeeded(for: body) - counted.reservation.bytes)
    else { return .skipped(counted) }
    let made = Result { () throws(ImageError) in
      try decoder.image(of: body, expectedLength: expectedLength, cancellation: cancellation)
    }
    let image = (try? made.get()) ?? nil
    if let image { show(job.key.settings.applied(to: image), reservation, cancellation) }
    let isOver = if case .failure = made { true } else { false }
    reservation.resize(to: body.count)
    counted.reservation.resize(to: isOver ? 0 : decoder.retainedBytes)
    return .ended(isOver ? nil : counted, hasPreview: image != nil)
  }
}

extension MemoryReservation {
  /// Reserves `bytes` more, evicting cached memory if necessary. Returns false if the bytes do not fit the budget. No
  /// lock may be held.
  fileprivate func reserveOrEvict(toFit bytes: Int) -> Bool {
    if bytes <= 0 || reserve(bytes, force: false) { return true }
    evict(toFit: bytes)
    return reserve(bytes, force: false)
  }
}
