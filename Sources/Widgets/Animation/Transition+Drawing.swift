import VitrineGraphics

extension Transition.Kind {
  /// Draws one moment of the transition within the scene's rectangle.
  package nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    switch self {
    case .none: if let new = scene.new { list.draw(new) }
    case .fadeThrough:
      let opacities = FadeOpacities(
        progress: scene.progress, hasOld: scene.old != nil, hasNew: scene.new != nil)
      if let old = scene.old { list.draw(old.faded(to: opacities.old)) }
      if let new = scene.new { list.draw(new.faded(to: opacities.new)) }
    case .crossDissolve:
      if let old = scene.old, let new = scene.new {
        list.dissolve(old, into: new, fraction: scene.progress)
      } else {
        if let old = scene.old { list.draw(old.faded(to: 1 - scene.progress)) }
        if let new = scene.new { list.draw(new.faded(to: scene.progress)) }
      }
    case .slide(let direction):
      let offsets = SlideOffsets(
        direction, progress: scene.progress, size: scene.rect.size, scale: scene.scale)
      list.enter(origin: .zero, opacity: 1, clip: scene.rect)
      if let old = scene.old { list.draw(old.moved(by: offsets.old)) }
      if let new = scene.new { list.draw(new.moved(by: offsets.new)) }
      list.leave()
    case .flip(let direction):
      let turn = FlipTurn(progress: scene.progress, hasOld: scene.old != nil, hasNew: scene.new != nil)
      guard var image = turn.showsNew ? scene.new : scene.old else { return }
      image.destination = turn.frame(of: image.destination, in: scene.rect, direction)
      image.tint = image.tint.darkened(to: turn.brightness)
      list.draw(image)
    case .custom(let custom):
      list.draw(within: scene.rect) { custom.drawing.draw(scene, into: &$0) }
    }
  }
}

extension DrawList.ImageCommand {
  fileprivate nonisolated func faded(to fraction: Double) -> Self {
    var image = self
    image.opacity *= fraction
    return image
  }

  fileprivate nonisolated func moved(by offset: Point) -> Self {
    var image = self
    image.destination = destination.offset(by: offset)
    return image
  }
}

extension Color {
  fileprivate nonisolated func darkened(to brightness: Double) -> Color {
    func scaled(_ channel: UInt8) -> UInt8 { UInt8((Double(channel) * min(1, max(0, brightness))).rounded()) }
    return Color(red: scaled(red), green: scaled(green), blue: scaled(blue), alpha: alpha)
  }
}
