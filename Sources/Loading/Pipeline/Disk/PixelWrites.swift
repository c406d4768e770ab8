import VitrineConcurrency
import VitrineGraphics

/// Pixels that wait to be written, because they must not delay the images that the screen is waiting for. Makes
/// decisions only. Times are in nanoseconds.
///
/// Pixels wait for the images of slots; see `SlotHold`. The queue retains images of at most
/// `keptBytesLimit` bytes. It holds weak references to further images, and skips those that were released before their
/// turn.
struct PixelWrites {
  /// The maximum number of bytes of images and bodies that are kept in memory.
  static let keptBytesLimit = DiskWrites.unwrittenBytesLimit
  /// The maximum number of images that wait.
  static let countLimit = 10_000

  /// The key under which the pixels of an image are written, and the stored body that they belong to.
  struct Entry {
    let identity: RequestIdentity
    let variant: String
    private let digest: BodyDigest?
    private let storing: StoringSignal?
    /// The body that the image was made from, if its digest was not read from disk with it; empty otherwise.
    private let body: [UInt8]

    /// - Parameter bytes: The bytes that the image was made from.
    init(identity: RequestIdentity, variant: String, madeFrom bytes: FetchedBytes) {
      (self.identity, self.variant) = (identity, variant)
      (digest, storing) = (bytes.digest, bytes.storing)
      body = bytes.source == .disk && bytes.digest == nil ? bytes.body : []
    }

    fileprivate var keptBytes: Int { body.count }

    /// Returns the digest of the stored body that the image was made from; `nil` if the body is not on disk.
    func storedBody(digest hash: (_ body: [UInt8]) -> BodyDigest?) -> BodyDigest? {
      digest ?? (body.isEmpty ? storing?.storedBody : hash(body))
    }
  }

  private struct Waiting {
    let entry: Entry
    /// The image, if it is kept in memory until it is written.
    let kept: Image?
    weak var image: Image?
    let added: Int64

    var keptBytes: Int { (kept?.cost ?? 0) + entry.keptBytes }
  }

  enum Step {
    case write(Image, Entry)
    /// Call `next` at this time.
    case wait(until: Int64)
  }

  /// The pixels that wait, by consecutive numbers.
  private var waiting: [UInt64: Waiting] = [:]
  private var first: UInt64 = 0
  private var end: UInt64 = 0
  private var keptBytes = 0
  /// True to keep all images in memory until they are written.
  private let keepsAll: Bool
  /// The number of images that were added and are not on disk: too many waited, or they could not be written.
  private(set) var lostCount = 0
  private var hold = SlotHold()
  private var nextWake = NextWake()
  private var isWriting = false
  /// True while a caller of `next` performs a step, after which it calls `next` again.
  private var isPerforming = false
  /// True to write all pixels that wait without further delay.
  private var isHurried = false

  /// - Parameter keepsAll: True if the caller bounds the number of bytes that wait; see
  ///   `ImageDownloader.Configuration.Memory.keepsUnwritten`.
  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// True if no pixels wait or are being written.
  var isIdle: Bool { waiting.isEmpty && !isWriting }

  /// True if pixels are being written, or wait and are not held back for slots.
  func isBusy(at now: Int64) -> Bool {
    isWriting || isPerforming || !waiting.isEmpty && (isHurried || !hold.isActive(at: now))
  }

  /// The number of images that were added so far.
  var addedCount: UInt64 { end }

  /// Returns true if the first `count` images that were added have been written.
  func areWritten(_ count: UInt64) -> Bool { first >= count && !isWriting }

  /// Adds the pixels of an image, unless too many wait already.
  mutating func add(_ image: Image, _ entry: Entry, at now: Int64) {
    let bytes = keptBytes + entry.keptBytes
    let isAdmitted = waiting.count < Self.countLimit && (keptBytes == 0 || bytes <= Self.keptBytesLimit)
    guard keepsAll || isAdmitted else {
      lostCount += 1
      return
    }
    let isKept = keepsAll || bytes == 0 || bytes + image.cost <= Self.keptBytesLimit
    let pixels = Waiting(entry: entry, kept: isKept ? image : nil, image: image, added: now)
    keptBytes += pixels.keptBytes
    waiting[end] = pixels
    end += 1
  }

  mutating func slotBegan() { hold.slotBegan() }

  /// Notes that slots have ended loading.
  ///
  /// - Parameter bodyBytes: The number of bytes of bodies that wait to be written. Pixels are written after their
  ///   body, so they wait with the bodies.
  mutating func slotsEnded(_ count: Int, bodyBytes: Int = 0, at now: Int64) {
    hold.slotsEnded(count, waitingBytes: keptBytes + bodyBytes, at: now)
  }

  /// Writes the pixels that wait without further delay.
  mutating func hurry() { isHurried = true }

  /// Returns the next step; `nil` if there is none, or if another caller is performing a step and will call `next`
  /// again.
  ///
  /// - Parameter isAgain: True in the call that follows a step, by the caller who performed it.
  mutating func next(at now: Int64, isAgain: Bool) -> Step? {
    guard isAgain || !isPerforming else { return nil }
    isPerforming = false
    guard !isWriting else { return nil }
    while let pixels = waiting[first] {
      if !isHurried, let end = hold.end(ofWriteAddedAt: pixels.added, at: now) {
        return nextWake.schedule(at: end) ? .wait(until: end) : nil
      }
      waiting[first] = nil
      first += 1
      keptBytes -= pixels.keptBytes
      guard let image = pixels.image else {
        lostCount += 1
        continue
      }
      isWriting = true
      isPerforming = true
      return .write(image, pixels.entry)
    }
    isHurried = false
    return nil
  }

  mutating func woken(at time: Int64) { nextWake.take(at: time) }

  /// Notes that an image was written, or could not be.
  mutating func ended(isWritten: Bool = true) {
    isWriting = false
    if !isWritten { lostCount += 1 }
  }
}
