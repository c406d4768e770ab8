public import VitrineGraphics

/// Draws an application's own transition.
///
/// ```swift
/// struct Iris: TransitionDrawing {
///   nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
///     if let old = scene.old { list.draw(old) }
///     let margin = (1 - scene.progress) / 2
///     let opening = scene.rect.inset(
///       by: Insets(
///         top: scene.rect.height * margin, left: scene.rect.width * margin,
///         bottom: scene.rect.height * margin, right: scene.rect.width * margin))
///     list.enter(origin: .zero, opacity: 1, clip: opening)
///     if let new = scene.new { list.draw(new) }
///     list.leave()
///   }
/// }
///
/// imageView.setImage(picture, transition: .custom(Iris()))
/// ```
///
/// Two equal values must draw the same.
public nonisolated protocol TransitionDrawing: Hashable, Sendable {
  /// Draws one moment of the transition in the coordinates of the view. Called in each frame of the transition and
  /// whenever the view is redrawn. Drawing outside `scene.rect` is clipped. The result must depend on the scene alone.
  func draw(_ scene: TransitionScene, into list: inout DrawList)
}

/// One moment of a transition.
public nonisolated struct TransitionScene: Hashable, Sendable {
  /// The progress from the old image (0) to the new one (1), after the timing curve is applied.
  public var progress: Double
  /// The old image, placed as before the transition; `nil` if there was none.
  public var old: DrawList.ImageCommand?
  /// The new image, placed as after the transition; `nil` if there is none.
  public var new: DrawList.ImageCommand?
  /// The union of both frames, in the coordinates of the view.
  public var rect: Rect
  /// Pixels per point. Images that move by whole pixels stay sharp.
  public var scale: Double

  /// Creates a moment of a transition between two images, for tests of a drawing; `scale` is 1 by default.
  public init(
    progress: Double, old: DrawList.ImageCommand?, new: DrawList.ImageCommand?, rect: Rect, scale: Double = 1
  ) {
    self.progress = progress
    self.old = old
    self.new = new
    self.rect = rect
    self.scale = scale
  }
}

/// A type-erased `TransitionDrawing`, made by `Transition.custom(_:duration:when:)`. Two values are equal if their
/// drawings are equal.
public nonisolated struct CustomTransition: Hashable, Sendable {
  package let drawing: any TransitionDrawing

  package init(_ drawing: some TransitionDrawing) { self.drawing = drawing }

  /// Returns whether both drawings are equal.
  public static func == (a: Self, b: Self) -> Bool { AnyHashable(a.drawing) == AnyHashable(b.drawing) }

  /// Hashes the drawing.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(drawing)) }
}
