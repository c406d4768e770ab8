import Vitrine

/// A button over an image: light text on a dark plate that lets the image shine through.
final class ViewerButton: Button {
  init(_ title: String) {
    super.init()
    setTitle(title, for: .normal)
    setTitleColor(Theme.text, for: .normal)
    titleFont = Theme.title
    cornerRadius = 20
    stateDidChange()
  }

  override func stateDidChange() {
    super.stateDidChange()
    backgroundColor = Color.black.multiplyingAlpha(by: isHighlighted ? 0.8 : 0.5)
  }

  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: (super.sizeThatFits(size).width + 36).rounded(.up), height: 40)
  }
}

extension ViewerButton: ScriptNamed {
  var scriptTitle: String { title(for: .normal) ?? "" }
  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }
}
