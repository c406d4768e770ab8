import Glibc
import VitrineGraphics

/// The geometry of a flip: an image turns about its center line, and the new image is on its back.
///
/// The height does not change. The width is foreshortened, more on the far side than on the near side, and the image
/// darkens as it turns away from the viewer. Axis-aligned rectangles cannot show more perspective than this.
nonisolated struct FlipTurn: Hashable {
  /// True once the back, with the new image, faces the viewer.
  var showsNew: Bool
  /// The foreshortened width of the near half and of the far half as fractions of their full width, 0…1.
  var near: Double
  var far: Double
  /// The brightness as a fraction of the full brightness, 0…1.
  var brightness: Double

  /// The fraction of the far half's width, and of the brightness, that is lost edge on.
  static let depth = 0.25
  static let shade = 0.5

  /// Computes the flip at `progress`, 0…1. Without an old image the flip starts edge on; without a new image it ends
  /// edge on.
  init(progress: Double, hasOld: Bool, hasNew: Bool) {
    let start = hasOld ? 0 : 0.5
    let end = hasNew ? 1 : 0.5
    let turn = start + (end - start) * progress
    showsNew = turn > 0.5 || !hasOld
    // The angle away from the viewer in radians: 0 faces the viewer, π/2 is edge on.
    let tilt = (turn > 0.5 ? 1 - turn : turn) * .pi
    near = max(0, cos(tilt))
    far = near * (1 - Self.depth * sin(tilt))
    brightness = 1 - Self.shade * sin(tilt)
  }

  /// Returns the frame of `part` after the turn. `container` is the rectangle in which both images turn.
  func frame(of part: Rect, in container: Rect, _ direction: Transition.Direction) -> Rect {
    // The near edge moves towards `direction`, so it lies on the opposite side until the flip passes its middle.
    let isPastMiddle = showsNew
    switch direction {
    case .left, .right:
      let nearIsLeft = isPastMiddle == (direction == .left)
      let (left, right) = fold(part.minX, part.maxX, about: container.midX, nearIsFirst: nearIsLeft)
      return Rect(x: left, y: part.minY, width: right - left, height: part.height)
    case .up, .down:
      let nearIsTop = isPastMiddle == (direction == .up)
      let (top, bottom) = fold(part.minY, part.maxY, about: container.midY, nearIsFirst: nearIsTop)
      return Rect(x: part.minX, y: top, width: part.width, height: bottom - top)
    }
  }

  private func fold(
    _ start: Double, _ end: Double, about middle: Double, nearIsFirst: Bool
  ) -> (Double, Double) {
    func folded(_ position: Double) -> Double {
      middle + (position - middle) * ((position < middle) == nearIsFirst ? near : far)
    }
    return (folded(start), folded(end))
  }
}
