import Vitrine

/// A custom transition: the new image opens in vertical strips, staggered from left to right.
struct Blinds: TransitionDrawing {
  var count = 6

  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let old = scene.old { list.draw(old) }
    guard let new = scene.new else { return }
    let width = scene.rect.width / Double(count)
    for index in 0..<count {
      // The starts of the strips are staggered. The last strip is fully open just before the end.
      let begin = 0.5 * Double(index) / Double(count)
      let open = min(1, max(0, (scene.progress - begin) / 0.5))
      let strip = Rect(
        x: scene.rect.minX + width * Double(index), y: scene.rect.minY, width: width * open,
        height: scene.rect.height)
      guard !strip.isEmpty else { continue }
      list.enter(origin: .zero, opacity: 1, clip: strip)
      list.draw(new)
      list.leave()
    }
  }
}
