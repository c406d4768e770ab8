public import VitrineGraphics

/// Draws a transition of one's own.
///
/// ```swift
/// struct Iris: TransitionDrawing {
///   nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
///     if let old = scene.old { list.draw(old) }
///     let rest = (1 - scene.progress) / 2
///     let opening = scene.rect.inset(
///       by: Insets(
///         top: scene.rect.height * rest, left: scene.rect.width * rest,
///         bottom: scene.rect.height * rest, right: scene.rect.width * rest))
///     list.enter(origin: .zero, opacity: 1, clip: opening)
///     if let new = scene.new { list.draw(new) }
///     list.leave()
///   }
/// }
///
/// imageView.setImage(picture, transition: .custom(Iris()))
/// ```
///
/// Two that are equal draw the same.
public nonisolated protocol TransitionDrawing: Hashable, Sendable {
  /// Draws a moment of it, in the coordinates of the view; called in each frame while it lasts, and whenever the
  /// view is drawn anew. What lies outside `scene.rect` is cut off. A function of the scene alone.
  func draw(_ scene: TransitionScene, into list: inout DrawList)
}

/// A moment of a transition.
public nonisolated struct TransitionScene: Hashable, Sendable {
  /// From 0, where the old picture is seen, to 1, where the new one is; after the transition's curve.
  public var progress: Double
  /// As it was seen before, in its place; nil where there was none.
  public var old: DrawList.Picture?
  /// As it is seen afterwards, in its place; nil where there is none.
  public var new: DrawList.Picture?
  /// The room that both have, in the coordinates of the view.
  public var rect: Rect
  /// Pixels to a point: what moves by whole pixels stays sharp.
  public var scale: Double

  /// A moment between two pictures; one pixel to a point unless said otherwise.
  public init(
    progress: Double, old: DrawList.Picture?, new: DrawList.Picture?, rect: Rect, scale: Double = 1
  ) {
    self.progress = progress
    self.old = old
    self.new = new
    self.rect = rect
    self.scale = scale
  }
}

/// A transition of one's own as a value: equal to another whose drawing is.
public nonisolated struct CustomTransition: Hashable, Sendable {
  /// Draws it.
  public let drawing: any TransitionDrawing

  /// A transition that is drawn so.
  public init(_ drawing: some TransitionDrawing) { self.drawing = drawing }

  /// Whether both draw the same.
  public static func == (a: Self, b: Self) -> Bool { AnyHashable(a.drawing) == AnyHashable(b.drawing) }

  /// By what is drawn.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(drawing)) }
}
