import Vitrine

/// A button that loads or shows an image, or all images of a screen, again.
final class AgainButton: Button, ScriptNamed {
  static let width = 68.0
  let scriptTitle: String

  init(_ title: String, scriptTitle: String) {
    self.scriptTitle = scriptTitle
    super.init()
    setTitle(title, for: .normal)
    setTitleColor(Theme.text, for: .normal)
    titleFont = .bold(13)
    accessibilityLabel = scriptTitle
    contentInsets = Insets(left: 8, right: 8)
    cornerRadius = 6
    stateDidChange()
  }

  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: (super.sizeThatFits(size).width + 16).rounded(.up), height: 34)
  }

  override func stateDidChange() {
    super.stateDidChange()
    backgroundColor = isHighlighted ? Theme.accentFill : Theme.line
  }

  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }
}
