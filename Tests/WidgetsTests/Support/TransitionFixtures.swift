import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The kinds of image that can change with a transition.
nonisolated enum ImageRole: CaseIterable, Sendable {
  case contents, image, highlightedImage, buttonImage, buttonBackground

  @MainActor func view() -> View {
    let view: View =
      switch self {
      case .contents: View()
      case .image, .highlightedImage: ImageView()
      case .buttonImage, .buttonBackground: Button()
      }
    view.frame = Rect(x: 20, y: 10, width: 80, height: 60)
    (view as? ImageView)?.isHighlighted = self == .highlightedImage
    (view as? Button)?.imageSize = Size(width: 40, height: 40)
    return view
  }

  @MainActor func set(_ image: Image?, in view: View, _ transition: Transition) {
    switch self {
    case .contents: view.setContents(image, transition: transition)
    case .image: (view as? ImageView)?.setImage(image, transition: transition)
    case .highlightedImage: (view as? ImageView)?.setHighlightedImage(image, transition: transition)
    case .buttonImage: (view as? Button)?.setImage(image, for: .normal, transition: transition)
    case .buttonBackground:
      (view as? Button)?.setBackgroundImage(image, for: .normal, transition: transition)
    }
  }
}

/// Returns a view whose image has been drawn.
func window(showing image: Image) -> (ImageView, TestWindow) {
  let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 40))
  let test = TestWindow(view)
  view.image = image
  test.draw()
  return (view, test)
}

extension Transition {
  static func linear(_ kind: Transition.Kind, _ duration: Double = 1) -> Transition {
    Transition(kind: kind, duration: duration, curve: .linear)
  }
}

extension Transition.Kind {
  nonisolated static let all: [Transition.Kind] =
    [.fadeThrough, .crossDissolve, .custom(CustomTransition(Cut()))]
    + Transition.Direction.allCases.flatMap { [.slide($0), .flip($0)] }
}

/// Draws the new image over the old one, clipped to the transition's progress.
nonisolated struct Cut: TransitionDrawing {
  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let old = scene.old { list.draw(old) }
    var part = scene.rect
    part.size.width *= scene.progress
    list.enter(origin: .zero, opacity: 1, clip: part)
    if let new = scene.new { list.draw(new) }
    list.leave()
  }
}
