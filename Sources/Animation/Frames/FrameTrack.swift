import VitrineGraphics

/// The decoded frames of one animation, and the demands of the views that show it. Makes decisions only.
struct FrameTrack {
  /// The bytes of all frames up to which a small animation keeps its frames.
  static let keptBytes = 4 << 20
  /// The smallest number of bytes that a frame counts. An image of one pixel takes about 400 bytes with its objects, as
  /// measured with 65,536 of them; the rest is a margin for the growth of the table of frames.
  static let smallestFrameBytes = 1024

  /// A frame that is being decoded.
  struct Decoding {
    let frame: Int
    /// The views that need the frame, or needed it and have only played on since then. A frame is not cancelled because
    /// decoding it takes longer than it is shown; otherwise such an animation would never show a frame.
    fileprivate(set) var viewers: Set<UInt64>
    /// True if the decoder was told to stop.
    fileprivate(set) var isCancelled = false
  }

  private(set) var frameCount: Int
  /// The number of bytes of the pixels of a frame.
  let frameBytes: Int
  /// The number of bytes that a decoder keeps between two frames.
  private let decoderBytes: Int
  private let storage: FrameStorage
  /// The maximum number of bytes of all frames of the pool.
  private let byteLimit: Int
  /// The frames that are decoded.
  private(set) var images: [Int: Image]
  /// The first frame that is not decoded; the frame count if there is none.
  private(set) var firstMissing = 1
  /// The frames that views need, by the number of the view.
  private(set) var demands: [UInt64: FrameDemand] = [:]
  /// The numbers of the views that show the animation.
  private(set) var viewers: Set<UInt64> = []
  /// The frame that a thread decodes; `nil` for none. The frames of an animation are decoded one after another.
  private(set) var decoding: Decoding?
  /// True if the last decode was cancelled because views went to other frames. The next decode then runs to its end
  /// while a view plays, so that views that change their frame again and again are shown frames nevertheless.
  private var hasCancelled = false
  /// The tries to decode a frame for which there was no memory.
  var backOff = MemoryBackOff()
  /// The latest frame that was decoded too late for a view, by the number of the view. The view shows it until a newer
  /// frame is there, so that frames that take long to decode are shown at all.
  private(set) var late: [UInt64: Int] = [:]
  /// The first frame that cannot be decoded.
  private(set) var firstDamaged: Int?
  /// False after frames had to be released for others.
  var maySpendMemory = true
  /// False from the release of all frames until a view needs a frame again.
  private var mayPreload = true

  /// - Parameter still: The first frame, which the image has already.
  init(
    frameCount: Int, frameBytes: Int, decoderBytes: Int = 0, storage: FrameStorage, byteLimit: Int = .max,
    still: Image
  ) {
    self.frameCount = frameCount
    self.frameBytes = frameBytes
    self.decoderBytes = decoderBytes
    self.storage = storage
    self.byteLimit = byteLimit
    images = [0: still]
  }

  private var countedFrameBytes: Int { max(frameBytes, Self.smallestFrameBytes) }

  /// The bytes of the decoded frames, without the first, which belongs to the image.
  var bytes: Int { ByteCount.product(images.count - 1, countedFrameBytes) }
  private var bytesOfAllFrames: Int { ByteCount.product(frameCount, countedFrameBytes) }

  /// True if frames stay decoded after they were shown.
  var keepsAll: Bool {
    guard maySpendMemory else { return false }
    switch storage {
    case .automatic: return bytesOfAllFrames <= Self.keptBytes
    case .preloaded: return bytesOfAllFrames <= byteLimit
    case .streaming: return false
    }
  }

  /// True if all frames stay decoded and take less memory than the decoder without which they would have to be decoded
  /// again. The decoder is then released before the frames.
  var keepsInsteadOfDecoder: Bool { keepsAll && bytesOfAllFrames < decoderBytes }

  /// True if a view needs frames that are not decoded yet, now or later.
  var needsDecoder: Bool { !demands.isEmpty && images.count < firstDamaged ?? frameCount }

  /// Adds frames of the same animation that have arrived. Returns the first frame that was kept until now.
  ///
  /// - Parameter still: The first frame, which the image has already.
  mutating func extend(toFrameCount count: Int, still: Image) -> Image? {
    frameCount = max(frameCount, count)
    return images.updateValue(still, forKey: 0)
  }

  // MARK: Views

  mutating func add(_ viewer: UInt64) { viewers.insert(viewer) }

  mutating func remove(_ viewer: UInt64) {
    viewers.remove(viewer)
    setDemand(nil, of: viewer)
  }

  mutating func setDemand(_ demand: FrameDemand?, of viewer: UInt64) {
    let old = demands[viewer]
    demands[viewer] = demand
    if demand.map({ images[$0.current] != nil }) ?? true { late[viewer] = nil }
    if demand != nil {
      backOff.countDemand()
      mayPreload = true
    }
    guard let frame = decoding?.frame else { return }
    if let demand, demand.needs(frame) {
      decoding?.viewers.insert(viewer)
    } else if demand.map({ old?.needs($0.current) != true }) ?? true {
      decoding?.viewers.remove(viewer)
    }
  }

  /// Returns the frame for a view to show: the one that the view needs, or the latest one that came too late.
  func frame(for viewer: UInt64) -> DecodedFrame? {
    guard let current = demands[viewer]?.current else { return nil }
    for number in [current, late[viewer]].compactMap(\.self) {
      if let image = images[number] { return DecodedFrame(number: number, image: image) }
    }
    return nil
  }

  // MARK: Decoding

  /// Returns the next frame to decode, and the time at which it is needed; `nil` if there is none.
  ///
  /// - Parameter ahead: The maximum number of frames that are decoded before they are to be shown.
  func next(ahead: Int) -> (frame: Int, time: Double)? {
    guard decoding == nil, !backOff.lacksMemory else { return nil }
    var best: (frame: Int, time: Double)?
    for demand in demands.values {
      guard let missing = missingFrame(of: demand, ahead: ahead) else { continue }
      if best.map({ missing.time < $0.time }) ?? true { best = missing }
    }
    return best ?? (hasFrameToPreload ? (firstMissing, .infinity) : nil)
  }

  /// Returns true if a frame that the view needs, or a frame that is preloaded, can be decoded now. O(1).
  func hasWork(for viewer: UInt64, ahead: Int) -> Bool {
    guard decoding == nil, !backOff.lacksMemory, let demand = demands[viewer] else { return false }
    return missingFrame(of: demand, ahead: ahead) != nil || hasFrameToPreload
  }

  private func missingFrame(of demand: FrameDemand, ahead: Int) -> (frame: Int, time: Double)? {
    if isMissing(demand.current) { return (demand.current, -.infinity) }
    for (place, frame) in demand.upcoming.prefix(ahead).enumerated() where isMissing(frame) {
      return (frame, demand.time + Double(place) * 0.001)
    }
    return nil
  }

  /// True if all frames are decoded, whether or not a view is about to show them.
  private var decodesAll: Bool { !demands.isEmpty && storage == .preloaded && keepsAll }
  private var hasFrameToPreload: Bool { mayPreload && decodesAll && isMissing(firstMissing) }

  /// Notes that a thread decodes a frame, until `endDecoding()`.
  mutating func beginDecoding(_ frame: Int) {
    decoding = Decoding(frame: frame, viewers: Set(demands.filter { $0.value.needs(frame) }.keys))
  }

  /// Decides whether the frame that is being decoded is no longer needed. Returns true once for each decode.
  mutating func cancelsDecoding() -> Bool {
    guard let decoding, !decoding.isCancelled, decoding.viewers.isEmpty, !decodesAll else { return false }
    guard demands.isEmpty || !hasCancelled else { return false }
    self.decoding?.isCancelled = true
    return true
  }

  /// Notes the end of a decode, cancelled or not.
  mutating func endDecoding() {
    hasCancelled = decoding?.isCancelled == true
    decoding = nil
  }

  private func isMissing(_ frame: Int) -> Bool {
    images[frame] == nil && frame < firstDamaged ?? frameCount && frame >= 0
  }

  /// Keeps a decoded frame.
  ///
  /// - Parameter viewers: The views that wait for the frame, some of which may have played on.
  mutating func decoded(_ frame: Int, _ image: Image, for viewers: Set<UInt64> = []) {
    images[frame] = image
    while images[firstMissing] != nil { firstMissing += 1 }
    for viewer in viewers {
      guard let demand = demands[viewer], !demand.needs(frame), images[demand.current] == nil else {
        continue
      }
      late[viewer] = frame
    }
  }

  /// Records that a frame cannot be decoded, and therefore none after it.
  mutating func failed(_ frame: Int) { firstDamaged = min(frame, firstDamaged ?? frame) }

  // MARK: Releasing

  /// Removes and returns the frames that are neither shown nor shown next, unless all are kept.
  ///
  /// - Parameter ahead: The number of frames after the current one that stay.
  mutating func takeUnneeded(ahead: Int) -> [Image] {
    guard !keepsAll else { return [] }
    return take(keeping: ahead)
  }

  /// The frames that a view needs: its demand, and the frame that came too late for it.
  struct Needs {
    var demand: FrameDemand?
    var late: Int?
  }

  func needs(of viewer: UInt64) -> Needs { Needs(demand: demands[viewer], late: late[viewer]) }

  /// Removes and returns the frames that a view has needed before and that no view needs now, unless all are kept. If the
  /// view has needed none, returns all frames that no view needs.
  ///
  /// - Parameters:
  ///   - before: The needs of the view before the change of its demand.
  ///   - ahead: The number of frames after the current one that stay.
  mutating func takeUnneeded(since before: Needs, ahead: Int) -> [Image] {
    guard !keepsAll else { return [] }
    guard let demand = before.demand else { return take(keeping: ahead) }
    var taken: [Image] = []
    take(demand.current, ahead, into: &taken)
    for frame in demand.upcoming { take(frame, ahead, into: &taken) }
    if let late = before.late { take(late, ahead, into: &taken) }
    return taken
  }

  /// Removes a frame unless a view needs it.
  private mutating func take(_ frame: Int, _ ahead: Int, into taken: inout [Image]) {
    guard frame != 0, images[frame] != nil, !late.values.contains(frame) else { return }
    let isNeeded = demands.values.contains { demand in
      demand.current == frame || demand.upcoming.prefix(ahead).contains(frame)
    }
    if !isNeeded, let image = remove(frame: frame) { taken.append(image) }
  }

  private mutating func remove(frame: Int) -> Image? {
    firstMissing = min(firstMissing, frame)
    return images.removeValue(forKey: frame)
  }

  /// Removes and returns all frames except the current ones. Frames are preloaded again when a view needs a frame.
  mutating func takeAll() -> [Image] {
    mayPreload = false
    return take(keeping: 0)
  }

  /// Removes and returns all frames except the current ones and `ahead` frames after each.
  mutating func take(keeping ahead: Int) -> [Image] {
    var needed = Set(late.values).union([0])
    for demand in demands.values {
      needed.insert(demand.current)
      needed.formUnion(demand.upcoming.prefix(ahead))
    }
    return images.keys.filter { !needed.contains($0) }.compactMap { remove(frame: $0) }
  }
}
