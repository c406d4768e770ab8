import VitrineConcurrency
import VitrineGraphics

/// The schedule of the previews of one image, at one size and in one style. Makes decisions only.
///
/// One preview is made at a time, at intervals, and only from more bytes than the previous preview. No preview is made
/// from a few bytes or from a nearly complete body; see `Beginning.isWorthShowing`.
struct PreviewSchedule {
  /// The part of a body that has been received so far.
  struct Beginning: Hashable {
    /// The number of the body. Different bodies have different numbers, even for an equal URL.
    let body: UInt64
    let count: Int
    let expected: Int?

    /// The minimum number of bytes for a preview.
    static let leastCount = 1024

    /// True if a preview is worthwhile: at least `leastCount` bytes are there, and less than 99 % of the expected
    /// length, if known.
    var isWorthShowing: Bool {
      count >= Self.leastCount && expected.map { Double(count) < 0.99 * Double($0) } ?? true
    }
  }

  private enum Phase {
    case idle
    case running(Beginning, job: UInt64, since: Int64)
    /// No more previews are made, because the decoder makes none or has failed.
    case over
  }

  private var phase = Phase.idle
  /// The bytes from which the last preview was made.
  private var shown: Beginning?
  /// The earliest time of the next preview, in nanoseconds.
  private(set) var next = Int64.min
  private var decoder: ReservedDecoder?
  /// The number of the body whose beginning `decoder` has seen.
  private var body: UInt64?
  private var newest: [ProcessedImageID: WeakImage] = [:]
  private var failed: Set<ProcessedImageID> = []

  private struct WeakImage { weak var image: Image? }

  /// The number of the job that is making a preview; `nil` if none is running.
  var runningJob: UInt64? { if case .running(_, let job, _) = phase { job } else { nil } }

  /// Begins a preview with the number `job`, which runs until `end` or `skip`. Returns false if a preview is running,
  /// if none is due at `now`, or if `beginning` is not worth showing.
  mutating func begin(_ beginning: Beginning, job: UInt64, at now: Int64) -> Bool {
    guard case .idle = phase, now >= next, beginning.isWorthShowing, beginning.count > shown?.count ?? 0
    else {
      return false
    }
    phase = .running(beginning, job: job, since: now)
    return true
  }

  /// Removes and returns the decoder: as `fitting` if `body` is `nil` or is the body that the decoder has seen, else as
  /// `other`. The decoder belongs to the caller until `end` or `skip`.
  mutating func takeDecoder(for body: UInt64? = nil) -> (fitting: ReservedDecoder?, other: ReservedDecoder?) {
    defer { decoder = nil }
    return body == nil || self.body == body ? (decoder, nil) : (nil, decoder)
  }

  /// Ends a job that has made no preview, because no worker or no memory was free. The next bytes are another chance,
  /// but not before `earliest`.
  mutating func skip(_ job: UInt64, _ decoder: ReservedDecoder?, until earliest: Int64 = .min) {
    guard case .running(let beginning, job, _) = phase else { return }
    phase = .idle
    next = max(next, earliest)
    keep(decoder, of: beginning)
  }

  /// Ends a job. Without a decoder, no more previews are made.
  ///
  /// - Parameters:
  ///   - hasPreview: True if a preview was made; false if there was nothing to show yet.
  ///   - interval: The minimum number of seconds between the starts of two previews. After a slow preview, the next one
  ///     waits for as long as the slow preview took.
  mutating func end(
    _ job: UInt64, _ decoder: ReservedDecoder?, hasPreview: Bool, interval: Double, at now: Int64
  ) {
    guard case .running(let beginning, job, let began) = phase else { return }
    if hasPreview { shown = beginning }
    next = max(began.advanced(bySeconds: interval), now + (now - began))
    phase = decoder == nil ? .over : .idle
    keep(decoder, of: beginning)
  }

  private mutating func keep(_ decoder: ReservedDecoder?, of beginning: Beginning) {
    self.decoder = decoder
    body = beginning.body
  }

  // MARK: Transformed previews

  /// Returns true if previews of `processedImage` are shown, which ends when one of the transforms fails.
  func shows(_ processedImage: ProcessedImageID) -> Bool { !failed.contains(processedImage) }

  /// Ends the previews of `processedImage`, because a transform has failed.
  mutating func fail(_ processedImage: ProcessedImageID) { failed.insert(processedImage) }

  /// Returns the last preview of `processedImage`, or `nil` if the preview has been released. The schedule holds a weak
  /// reference.
  func newest(of processedImage: ProcessedImageID) -> Image? { newest[processedImage]?.image }

  mutating func setNewest(_ image: Image, of processedImage: ProcessedImageID) {
    newest[processedImage] = WeakImage(image: image)
  }
}
