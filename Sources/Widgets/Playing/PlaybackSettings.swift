import VitrineAnimation

/// The settings that an application has made on a view. They apply to the animations that the view shows now and later.
struct PlaybackSettings: Hashable {
  /// True if animations play as soon as they are drawn.
  var autoplays = true
  /// True after `View.pause()`, until `View.play()`.
  var isPaused = false
  /// The speed, within `Playback.rates`.
  var rate = 1.0
  var mode = PlaybackMode.forward
}
