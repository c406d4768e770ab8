/// The opacities of both images of a fade: the old image fades out in the first half, the new one fades in in the
/// second half.
nonisolated struct FadeOpacities: Hashable {
  var old, new: Double

  /// Computes both opacities. Without an old or a new image, the fade of the other takes the whole duration.
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
