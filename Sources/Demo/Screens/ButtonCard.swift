import Vitrine

/// A card with a heading, a hint about what to try, and content such as buttons.
final class ButtonCard: View {
  let content: View
  private let heading: Label
  private let hint: Label
  private let contentSize: Size
  /// The width in points below which the card has narrow margins, so that its buttons stay large enough for fingers.
  private static let narrow = 320.0

  init(_ heading: String, hint: String, content: View, contentSize: Size) {
    self.heading = Label(heading, font: Theme.title, color: Theme.text)
    self.hint = Label(hint, font: Theme.body, color: Theme.secondaryText)
    self.content = content
    self.contentSize = contentSize
    super.init()
    self.hint.numberOfLines = 2
    applyCardStyle()
    for view in [self.heading, self.hint, content] { addSubview(view) }
  }

  override func layoutSubviews() {
    let inset = bounds.width < Self.narrow ? 12.0 : 24
    let width = max(0, bounds.width - 2 * inset)
    heading.frame = Rect(x: inset, y: 20, width: width, height: 24)
    let height = hint.sizeThatFits(Size(width: width, height: 40)).height
    hint.frame = Rect(x: inset, y: 48, width: width, height: min(40, height))
    let area = Rect(x: inset, y: 96, width: width, height: bounds.height - 120)
    let size = Size(width: min(contentSize.width, area.width), height: min(contentSize.height, area.height))
    content.frame = Rect(
      x: (area.midX - size.width / 2).rounded(), y: (area.midY - size.height / 2).rounded(),
      width: size.width, height: size.height)
  }
}

/// A button that scripts find by a name, with the loading state among its script states.
class DemoButton: Button, ScriptNamed {
  let scriptTitle: String

  init(_ name: String, cornerRadius: Double = 0) {
    scriptTitle = name
    super.init()
    self.cornerRadius = cornerRadius
    titleFont = .bold(15)
    setTitleColor(Theme.text, for: .normal)
    // As on iOS, a press whose finger moves stays a press; only a flick scrolls.
    yieldsTouchesToScrolling = false
  }

  /// The accessibility label, by default the script name, because most of these buttons have no title.
  override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? scriptTitle }
    set { super.accessibilityLabel = newValue }
  }

  var scriptStates: Set<ScriptState> {
    let load: ScriptState = isLoading ? .loading : hasFailed ? .failed : .loaded
    return ScriptState.states(of: self).union([load])
  }

  /// An additional identifier of the button's images, which separates them from images of another size with the same
  /// URLs, so that the size of an image does not depend on the order of the loads; `nil` by default.
  var imageIdentifier: String?

  /// True if the button has an image over its background; false by default.
  var hasIcon = false

  /// True if an image of the button could not be loaded.
  var hasFailed = false
}
