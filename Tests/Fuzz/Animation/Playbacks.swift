/// Plays animations with the calls, times and settings that the bytes tell, and decides about their frames.
enum Playbacks {
  static func fuzz(_ bytes: [UInt8]) -> Bool {
    check(bytes)
    do throws(PlaybackRun.Violation) {
      try FramePlanRun.run(bytes)
    } catch {
      preconditionFailure("\(error)")
    }
    return true
  }

  /// - Parameter durations: The seconds for which each frame is shown; by default, numbers read from the bytes.
  static func check(_ bytes: [UInt8], durations: [Double]? = nil) {
    do throws(PlaybackRun.Violation) {
      try PlaybackRun.run(bytes, durations: durations)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
