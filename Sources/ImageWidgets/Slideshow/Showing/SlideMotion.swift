/// The movement of a slide while it is shown.
public nonisolated enum SlideMotion: Hashable, Sendable {
  /// Slides stand still. A slideshow then draws no frames between two transitions.
  case none
  /// A slow pan and zoom over each image that fills the view (after Ken Burns). An image of another shape, which is
  /// shown whole, stands still.
  case kenBurns

  /// The number of times by which an image is enlarged at most.
  var largestZoom: Double { self == .kenBurns ? KenBurns.zoom : 1 }
}
