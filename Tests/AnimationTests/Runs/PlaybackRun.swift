import VitrineGraphics

@testable import VitrineAnimation

/// Calls the methods of a playback in the order and with the arguments that the bytes of a fuzzer give: times, rates,
/// durations and loop counts. Checks the frame and the upcoming frames after each call.
struct PlaybackRun {
  /// A broken rule.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  private var input: RunInput
  private var durations: [Double]
  private var playback: Playback
  /// The number of the first frame that is left out; the frame count if there is none.
  private var firstLeftOut: Int
  /// A time that never goes back.
  private var now = 0.0

  /// Calls a playback until the bytes end.
  ///
  /// - Parameter durations: The seconds for which each frame is shown; by default, numbers read from the bytes.
  static func run(_ bytes: [UInt8], durations: [Double]? = nil) throws(Violation) {
    var run = PlaybackRun(bytes, durations)
    while !run.input.isAtEnd { try run.step() }
  }

  private init(_ bytes: [UInt8], _ durations: [Double]?) {
    input = RunInput(bytes)
    self.durations = durations ?? []
    if durations == nil { for _ in 0...input.number(below: 9) { self.durations.append(input.double()) } }
    playback = Playback(
      times: FrameTimes(self.durations), loopCount: input.int(), isComplete: input.byte() % 4 > 0,
      mode: Self.mode(input.byte()))
    firstLeftOut = self.durations.count
  }

  private static func mode(_ byte: UInt8) -> PlaybackMode {
    PlaybackMode.allCases[Int(byte) % PlaybackMode.allCases.count]
  }

  /// Returns the next time: mostly a little later, sometimes earlier, far away or no time.
  private mutating func time() -> Double {
    let other = input.byte() == 0
    let number = input.double()
    guard !other, number.isFinite, number > 0, now + number < 1e6 else { return number }
    now += number
    return now
  }

  private mutating func step() throws(Violation) {
    switch input.number(below: 16) {
    case 0: playback.play(at: time())
    case 1: playback.pause(at: time())
    case 2: playback.suspend(at: time())
    case 3: playback.rewind(at: time())
    case 4: playback.seek(toFrame: input.int(), at: time())
    case 5: playback.setRate(input.double(), at: time())
    case 6: playback.setMode(Self.mode(input.byte()), at: time())
    case 7: playback.loopCount = max(0, input.int())
    case 8: try goOn()
    case 9: try leaveOut()
    case 10: try restoreAllFrames()
    default: try advance()
    }
    try check()
  }

  /// Goes on with more frames, as if they had arrived.
  private mutating func goOn() throws(Violation) {
    let frame = playback.frame
    if durations.count < 300 { for _ in 0..<input.number(below: 3) { durations.append(input.double()) } }
    playback = playback.continued(
      times: FrameTimes(durations), loopCount: input.int(), isComplete: input.byte() % 2 > 0, at: time())
    firstLeftOut = durations.count
    try require(playback.frame == frame, "the frame stays when more frames arrive")
  }

  private mutating func leaveOut() throws(Violation) {
    let (before, hasEnded) = (playback.frame, playback.hasEnded)
    // Mostly a frame of the animation.
    let first = input.byte() < 8 ? input.int() : input.number(below: durations.count + 2)
    let isNew = max(1, first) < firstLeftOut
    try require(playback.leaveOut(from: first, at: time()) == isNew, "frames are left out once")
    guard isNew else { return }
    firstLeftOut = max(1, first)
    try require(
      playback.frame == before || before >= first || hasEnded || playback.isStalled, "the frame stays")
    try require(playback.hasEnded == hasEnded, "the end")
  }

  private mutating func restoreAllFrames() throws(Violation) {
    let (before, loops, hasEnded) = (playback.frame, playback.endedLoops, playback.hasEnded)
    playback.restoreAllFrames(at: time())
    firstLeftOut = durations.count
    try require(playback.frame == before && playback.hasEnded == hasEnded, "the frame and the end stay")
    try require(playback.endedLoops == loops || loops > 1 << 40, "the loop stays")
  }

  private mutating func advance() throws(Violation) {
    let (before, loops, wasPlaying) = (playback.frame, playback.endedLoops, playback.isPlaying)
    let progress = playback.advance(to: time())
    try require(progress.frame == playback.frame, "the frame of the progress")
    try require(0...(2 * durations.count) ~= progress.steps, "as many steps as a loop has")
    try require(progress.endedLoops >= 0, "loops do not begin again")
    try require(
      playback.endedLoops >= min(loops, max(1, playback.loopCount)), "the time does not go back")
    try require(wasPlaying || progress.frame == before, "a paused animation stays")
    try require(!progress.hasEnded || playback.hasEnded && !playback.isPlaying, "the end")
  }

  private mutating func check() throws(Violation) {
    try require(0..<firstLeftOut ~= playback.frame, "a frame that is not left out")
    try require(Playback.rates ~= playback.rate, "a rate within the limits")
    try require(playback.endedLoops >= 0, "a number of loops")
    if let next = playback.nextChange {
      try require(!next.isNaN, "a time")
      try require(playback.isPlaying && !playback.isStalled, "only a running animation changes")
    }
    try require(!(playback.hasEnded && playback.isPlaying), "an animation that has ended does not play")
    let count = input.number(below: 12)
    let upcoming = playback.upcomingFrames(count)
    try require(upcoming.count <= count && Set(upcoming).count == upcoming.count, "each frame once")
    try require(
      upcoming.allSatisfy { 0..<firstLeftOut ~= $0 && $0 != playback.frame }, "frames that are not left out")
  }

  private func require(_ condition: Bool, _ rule: String) throws(Violation) {
    guard condition else { throw Violation(description: "\(rule): \(playback)") }
  }
}
