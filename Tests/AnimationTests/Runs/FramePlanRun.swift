import VitrineGraphics

@testable import VitrineAnimation

/// Calls the plan of a pool as the bytes of a fuzzer tell, with all kinds of demands and outcomes, and checks what must
/// hold after each call.
struct FramePlanRun {
  private struct View {
    let number: UInt64
    let animation: Int
    let track: UInt64
  }

  private static let still = Image(
    Bitmap(width: 1, height: 1, format: .rgba, isOpaque: true) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    })

  private var input: RunInput
  private let animations: [ImageAnimation]
  private var plan: FramePlan
  private var views: [View] = []
  private var tracks: Set<UInt64> = []
  private var jobs: [FramePlan.Job] = []
  /// The numbers of the jobs that the plan has cancelled.
  private var cancelled: Set<UInt64> = []
  private var lastNumber: UInt64 = 0

  /// Calls a plan until the bytes end.
  static func run(_ bytes: [UInt8]) throws(PlaybackRun.Violation) {
    var run = FramePlanRun(bytes)
    while !run.input.isAtEnd { try run.step() }
  }

  private init(_ bytes: [UInt8]) {
    input = RunInput(bytes)
    let sizes = [0, 1, 1000, 1 << 20, ImageAnimation.largestByteCount]
    let storages: [FrameStorage] = [.automatic, .preloaded, .streaming]
    var animations: [ImageAnimation] = []
    for _ in 0..<4 {
      let animation = ImageAnimation(
        durations: [Double](repeating: 0.1, count: 2 + input.number(below: 20)),
        frameByteCount: sizes[input.number(below: sizes.count)], byteCount: 0,
        isComplete: input.byte() % 2 > 0
      ) { () throws(AnimationError) in throw .cancelled }
      animations.append(animation.stored(as: storages[input.number(below: storages.count)]))
    }
    self.animations = animations
    plan = FramePlan(byteLimit: [0, 3000, 1 << 22, .max][input.number(below: 4)])
  }

  private mutating func step() throws(PlaybackRun.Violation) {
    switch input.number(below: 12) {
    case 0: add()
    case 1 where !views.isEmpty:
      let view = views.remove(at: input.number(below: views.count))
      _ = plan.remove(view.number, of: animations[view.animation], from: view.track)
    case 2...4 where !views.isEmpty: try setDemand()
    case 5...6: try takeJob()
    case 7...8 where !jobs.isEmpty: try endJob()
    case 9 where !jobs.isEmpty:
      let job = jobs[input.number(below: jobs.count)]
      if plan.cancels(job), plan.isCurrent(job) {
        try require(cancelled.insert(job.number).inserted, "a job is cancelled once")
      }
    case 10: _ = plan.release([0, 1, 5000, .max][input.number(below: 4)])
    default:
      guard let track = tracks.sorted().dropFirst(input.number(below: 4)).first else { break }
      switch input.number(below: 4) {
      case 0: _ = plan.releaseAll(of: track)
      case 1: _ = plan.releaseSpare()
      case 2: plan.setUrgent(false, track)
      default: plan.setUrgent(true, track)
      }
    }
    try check()
  }

  private mutating func add() {
    let index = input.number(below: animations.count)
    lastNumber += 1
    let begun = input.byte() % 2 == 0 ? views.last?.track : nil
    let (track, _) = plan.add(lastNumber, to: animations[index], still: Self.still, continuing: begun)
    views.append(View(number: lastNumber, animation: index, track: track))
    tracks.insert(track)
  }

  private mutating func setDemand() throws(PlaybackRun.Violation) {
    let view = views[input.number(below: views.count)]
    let isDemand = input.byte() % 5 > 0
    var demand = FrameDemand(current: frame(), time: input.double())
    for _ in 0..<input.number(below: 5) { demand.upcoming.append(frame()) }
    let found = plan.setDemand(isDemand ? demand : nil, of: view.number, in: view.track)
    try require(!found.hasWork || plan.hasWork, "a frame to decode")
    guard let found = found.frame else { return }
    try require(
      isDemand && plan.track(view.track)?.images[found.number] === found.image, "a frame that is kept")
  }

  /// Returns the number of a frame: mostly one that there is.
  private mutating func frame() -> Int { input.byte() < 8 ? input.int() : input.number(below: 22) }

  private mutating func takeJob() throws(PlaybackRun.Violation) {
    let hasWork = plan.hasWork
    guard let job = plan.takeJob() else { return try require(!hasWork, "work is taken") }
    try require(hasWork, "a job is work")
    try require(!jobs.contains { plan.isCurrent($0) && $0.track == job.track }, "one job for each track")
    let track = plan.track(job.track)
    try require(track.map { 0..<$0.frameCount ~= job.frame } == true, "a frame of the animation")
    try require(job.frame < job.animation.frameCount, "a frame that the decoder has")
    try require(track?.images[job.frame] == nil, "a frame that is not decoded")
    jobs.append(job)
  }

  private mutating func endJob() throws(PlaybackRun.Violation) {
    let job = jobs.remove(at: input.number(below: jobs.count))
    let outcome: FramePlan.Outcome =
      switch input.number(below: 10) {
      case 9: .neverFits
      case 0: .damaged(from: 1 + input.number(below: 22))
      case 1: .noMemory
      case 2: .cancelled
      default: .decoded(Image(Self.still.bitmap))
      }
    let isCurrent = plan.isCurrent(job)
    _ = plan.end(job, outcome)
    guard isCurrent, case .decoded = outcome, (0...plan.byteLimit ~= plan.bytes) == false else { return }
    for id in tracks {
      guard var track = plan.track(id), track.frameBytes < ImageAnimation.largestByteCount else { continue }
      try require(track.take(keeping: 1).isEmpty, "beyond the limit only needed frames are kept")
    }
  }

  private func check() throws(PlaybackRun.Violation) {
    var bytes = 0
    for id in tracks {
      guard let track = plan.track(id) else { continue }
      bytes &+= track.bytes
      try require(track.images.keys.allSatisfy { 0..<track.frameCount ~= $0 }, "frames of the animation")
      let firstMissing = (1...track.frameCount).first { track.images[$0] == nil }
      try require(track.firstMissing == firstMissing, "the first frame that is not decoded")
      try require(!track.viewers.isEmpty, "a track without views is released")
    }
    try require(plan.bytes == bytes, "the bytes of all frames")
    try require(1...DecodeAhead.longest ~= plan.ahead, "frames ahead")
    try require(plan.trackCount <= views.count, "no more tracks than views")
    try require(!views.isEmpty || plan.bytes == 0, "no frames without views")
  }

  private func require(_ condition: Bool, _ rule: String) throws(PlaybackRun.Violation) {
    guard condition else { throw PlaybackRun.Violation(description: rule) }
  }
}
