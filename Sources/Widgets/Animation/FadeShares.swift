/// How opaque both pictures of a fade are: first one out, then the other in.
nonisolated struct FadeShares: Hashable {
  var old: Double
  var new: Double

  /// Where there is one picture only, it takes the whole time.
  init(progress: Double, hasOld: Bool, hasNew: Bool) {
    switch (hasOld, hasNew) {
    case (true, true):
      old = max(0, 1 - 2 * progress)
      new = max(0, 2 * progress - 1)
    default:
      old = 1 - progress
      new = progress
    }
  }
}
