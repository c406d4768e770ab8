import Vitrine

// The code of the article about animating views, compiled but not run; see `ArticleSnippets.swift`.

@MainActor
func dismiss(_ card: View) {
  card.animate(duration: 0.3, curve: .easeIn) {
    $0.frame.origin.y += 40
    $0.alpha = 0
  } completion: { isCompleted in
    if isCompleted { card.removeFromSuperview() }
  }
}

@MainActor
func letGo(_ card: View, in slot: Rect, velocity: Point) {
  card.animate(spring: SpringTiming(response: 0.35, dampingFraction: 0.75)) {
    $0.frame = slot
    $0.frameVelocity = velocity
  }
}

@MainActor
func press(_ tile: View, _ isPressed: Bool) {
  tile.animate(spring: SpringTiming(response: 0.25)) { $0.magnification = isPressed ? 0.94 : 1 }
}
