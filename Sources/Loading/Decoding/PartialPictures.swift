import VitrineGraphics

/// What is shown of a picture at one size and in one style until all of it is here. Decides only.
///
/// One is made at a time and not too often, from more than a head and not from what is as good as whole, and never from
/// less than the one before.
struct PartialPictures {
  /// What has come of a body.
  struct Beginning: Hashable {
    /// Another body, even of the same URL, has another number.
    let body: UInt64
    let count: Int
    let expected: Int?

    /// In fewer bytes there is nothing to see.
    static let leastCount = 1024

    /// Whether there is something to see, and so much missing that it is worth it (YY-F35).
    var isWorthShowing: Bool {
      count >= Self.leastCount && expected.map { Double(count) < 0.99 * Double($0) } ?? true
    }
  }

  private enum Phase {
    case idle
    case running(Beginning, job: UInt64, since: Int64)
    /// Nothing is shown any more: it cannot be, or has failed.
    case over
  }

  private var phase = Phase.idle
  /// What the last picture was made from.
  private var shown: Beginning?
  private(set) var next = Int64.min
  private var decoder: CountedDecoder?
  /// What `decoder` has seen is the beginning of this one.
  private var body: UInt64?
  private var newest: [PictureID: WeakImage] = [:]
  private var failed: Set<PictureID> = []

  private struct WeakImage {
    weak var image: Image?
  }

  /// The job that makes one.
  var runningJob: UInt64? { if case .running(_, let job, _) = phase { job } else { nil } }

  /// Whether it is time to show what has come; then `job` is under way until its `end` or `skip`.
  mutating func begin(_ beginning: Beginning, job: UInt64, at now: Int64) -> Bool {
    guard case .idle = phase, now >= next, beginning.isWorthShowing, beginning.count > shown?.count ?? 0
    else {
      return false
    }
    phase = .running(beginning, job: job, since: now)
    return true
  }

  /// The decoder that has seen the beginning of `body`, or any, and one that has seen another body; they belong to the
  /// caller until `end` or `skip`.
  mutating func takeDecoder(for body: UInt64? = nil) -> (fitting: CountedDecoder?, other: CountedDecoder?) {
    defer { decoder = nil }
    return body == nil || self.body == body ? (decoder, nil) : (nil, decoder)
  }

  /// Nobody had the time or the memory for it: the next bytes are another chance, but not before `earliest`.
  mutating func skip(_ job: UInt64, _ decoder: CountedDecoder?, until earliest: Int64 = .min) {
    guard case .running(let beginning, job, _) = phase else { return }
    phase = .idle
    next = max(next, earliest)
    keep(decoder, of: beginning)
  }

  /// A picture has been made, or there was none to make yet. Without a decoder there never is.
  ///
  /// - Parameter interval: seconds from one to the next, at least; as long as this one took is left free after it.
  mutating func end(
    _ job: UInt64, _ decoder: CountedDecoder?, hasPicture: Bool, interval: Double, at now: Int64
  ) {
    guard case .running(let beginning, job, let began) = phase else { return }
    if hasPicture { shown = beginning }
    next = max(began.advanced(bySeconds: interval), now + (now - began))
    phase = decoder == nil ? .over : .idle
    keep(decoder, of: beginning)
  }

  private mutating func keep(_ decoder: CountedDecoder?, of beginning: Beginning) {
    self.decoder = decoder
    body = beginning.body
  }

  // MARK: Transformed

  /// Whether one of its pictures is still shown in part.
  func shows(_ picture: PictureID) -> Bool { !failed.contains(picture) }

  /// A transform cannot be applied to it.
  mutating func fail(_ picture: PictureID) { failed.insert(picture) }

  /// What those saw last who wait for a picture, as long as one of them has it.
  func newest(of picture: PictureID) -> Image? { newest[picture]?.image }

  mutating func setNewest(_ image: Image, of picture: PictureID) {
    newest[picture] = WeakImage(image: image)
  }
}
