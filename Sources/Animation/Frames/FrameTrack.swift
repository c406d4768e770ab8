import VitrineGraphics

/// The decoded frames of one animation, and the demands of the views that show it. Makes decisions only.
struct FrameTrack {
  /// The bytes of all frames up to which a small animation keeps its frames.
  static let keptBytes = 4 << 20

  let frameCount: Int
  let frameBytes: Int
  private let storage: FrameStorage
  /// The frames that are decoded.
  private(set) var images: [Int: Image]
  /// The frames that views need, by the number of the view.
  private(set) var demands: [UInt64: FrameDemand] = [:]
  /// The numbers of the views that show the animation.
  private(set) var viewers: Set<UInt64> = []
  /// True while a thread decodes a frame. The frames of an animation are decoded one after another.
  var isDecoding = false
  /// True if there was no memory for the last frame. The next demand tries again.
  private(set) var lacksMemory = false
  /// The first frame that cannot be decoded.
  private(set) var firstDamaged: Int?
  /// False after frames had to be released for others.
  var maySpendMemory = true

  /// - Parameter still: The first frame, which the image has already.
  init(frameCount: Int, frameBytes: Int, storage: FrameStorage, still: Image) {
    self.frameCount = frameCount
    self.frameBytes = frameBytes
    self.storage = storage
    images = [0: still]
  }

  /// The bytes of the decoded frames, without the first, which belongs to the image.
  var bytes: Int { ByteCount.product(images.count - 1, frameBytes) }

  /// True if frames stay decoded after they were shown.
  var keepsAll: Bool {
    guard maySpendMemory else { return false }
    guard storage == .automatic else { return storage == .preloaded }
    return ByteCount.product(frameCount, frameBytes) <= Self.keptBytes
  }

  // MARK: Views

  mutating func add(_ viewer: UInt64) { viewers.insert(viewer) }

  mutating func remove(_ viewer: UInt64) {
    viewers.remove(viewer)
    demands[viewer] = nil
  }

  mutating func setDemand(_ demand: FrameDemand?, of viewer: UInt64) {
    demands[viewer] = demand
    if demand != nil { lacksMemory = false }
  }

  // MARK: Decoding

  /// Returns the next frame to decode, and the time at which it is needed; `nil` if there is none.
  ///
  /// - Parameter ahead: The maximum number of frames that are decoded before they are to be shown.
  func next(ahead: Int) -> (frame: Int, time: Double)? {
    guard !isDecoding, !lacksMemory else { return nil }
    var best: (frame: Int, time: Double)?
    for demand in demands.values {
      let wanted = [demand.current] + demand.upcoming.prefix(ahead)
      guard let place = wanted.firstIndex(where: isMissing) else { continue }
      let time = place == 0 ? -.infinity : demand.time + Double(place - 1) * 0.001
      if best.map({ time < $0.time }) ?? true { best = (wanted[place], time) }
    }
    if best == nil, !demands.isEmpty, maySpendMemory, storage == .preloaded {
      best = (0..<frameCount).first(where: isMissing).map { ($0, .infinity) }
    }
    return best
  }

  private func isMissing(_ frame: Int) -> Bool {
    images[frame] == nil && frame < firstDamaged ?? frameCount && frame >= 0
  }

  mutating func decoded(_ frame: Int, _ image: Image) { images[frame] = image }

  /// Records that a frame cannot be decoded, and therefore none after it.
  mutating func failed(_ frame: Int) { firstDamaged = min(frame, firstDamaged ?? frame) }

  mutating func foundNoMemory() { lacksMemory = true }

  // MARK: Releasing

  /// Removes and returns the frames that are neither shown nor shown next, unless all are kept.
  ///
  /// - Parameter ahead: The number of frames after the current one that stay.
  mutating func takeUnneeded(ahead: Int) -> [Image] {
    guard !keepsAll else { return [] }
    return take(keeping: ahead)
  }

  /// Removes and returns all frames except the current ones and `ahead` frames after each.
  mutating func take(keeping ahead: Int) -> [Image] {
    var needed: Set<Int> = [0]
    for demand in demands.values {
      needed.insert(demand.current)
      needed.formUnion(demand.upcoming.prefix(ahead))
    }
    let taken = images.filter { !needed.contains($0.key) }
    for frame in taken.keys { images[frame] = nil }
    return Array(taken.values)
  }
}
