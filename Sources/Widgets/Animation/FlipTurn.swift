import Glibc
import VitrineGraphics

/// A picture that turns about the middle of its place and has another one on its back, seen from not far away.
///
/// Its height does not change; its width is foreshortened, on the far side more than on the near one, and it gets darker
/// the less it faces the viewer. That much is what rectangles can show.
nonisolated struct FlipTurn: Hashable {
  /// Whether it has turned so far that its back is seen.
  var showsNew: Bool
  /// What is left of the half that comes forward, and of the half that goes back, 0…1.
  var near: Double
  var far: Double
  /// What is left of its light.
  var brightness: Double

  /// What the far half loses, and the light, when it is seen edge on.
  static let depth = 0.25
  static let shade = 0.5

  /// From nothing it begins edge on, and to nothing it ends so.
  init(progress: Double, hasOld: Bool, hasNew: Bool) {
    let start = hasOld ? 0 : 0.5
    let end = hasNew ? 1 : 0.5
    let turn = start + (end - start) * progress
    showsNew = turn > 0.5 || !hasOld
    // Away from the viewer, in quarters of a circle.
    let tilt = (turn > 0.5 ? 1 - turn : turn) * .pi
    near = max(0, cos(tilt))
    far = near * (1 - Self.depth * sin(tilt))
    brightness = 1 - Self.shade * sin(tilt)
  }

  /// Where a part of the room goes that the pictures turn in.
  func place(of part: Rect, in room: Rect, _ direction: Transition.Direction) -> Rect {
    // The edge that comes forward is opposite to where it goes, until it has passed the middle.
    let towards = showsNew
    switch direction {
    case .left, .right:
      let nearIsLeft = towards == (direction == .left)
      let (left, right) = fold(part.minX, part.maxX, about: room.midX, nearIsFirst: nearIsLeft)
      return Rect(x: left, y: part.minY, width: right - left, height: part.height)
    case .up, .down:
      let nearIsTop = towards == (direction == .up)
      let (top, bottom) = fold(part.minY, part.maxY, about: room.midY, nearIsFirst: nearIsTop)
      return Rect(x: part.minX, y: top, width: part.width, height: bottom - top)
    }
  }

  private func fold(
    _ start: Double, _ end: Double, about middle: Double, nearIsFirst: Bool
  ) -> (Double, Double) {
    func place(_ position: Double) -> Double {
      middle + (position - middle) * ((position < middle) == nearIsFirst ? near : far)
    }
    return (place(start), place(end))
  }
}
