import Vitrine

/// A tile that shows a transition between two images, with a button that runs the transition again.
final class TransitionCard: View, ScriptNamed {
  static let minimumWidth = 216.0
  private static let textHeight = 60.0
  private static let margin = 12.0

  let scriptTitle: String
  private let image: View
  private let change: (_ turn: Int, _ completion: @escaping SlotCompletion) -> Void
  private let title: Label
  private let caption: Label
  private let again: AgainButton
  private var turn = 0
  private var hasFailed = false

  /// Creates a card.
  ///
  /// - Parameter change: Shows the image of a turn: the first of two images in even turns, the second in odd turns.
  init(
    _ name: String, _ hint: String, of image: View,
    change: @escaping (_ turn: Int, _ completion: @escaping SlotCompletion) -> Void
  ) {
    scriptTitle = name
    self.image = image
    self.change = change
    title = Label(name, font: .bold(14), color: Theme.text)
    caption = Label(hint, font: Theme.caption, color: Theme.secondaryText)
    again = AgainButton("Again", scriptTitle: "\(name) again")
    super.init()
    applyCardStyle()
    image.accessibilityLabel = name
    image.cornerRadius = 6
    image.backgroundColor = Theme.tile
    again.addAction(for: .touchUpInside) { [weak self] _ in self?.showNext() }
    for view in [image, title, caption, again] { addSubview(view) }
  }

  /// Shows the image of the next turn.
  func showNext() {
    turn += 1
    show()
  }

  /// Shows the image of the current turn again, for example after the cache was cleared.
  func show() {
    hasFailed = false
    change(turn) { [weak self] result in
      if case .failure(let error) = result, error != .cancelled { self?.hasFailed = true }
    }
  }

  var scriptStates: Set<ScriptState> {
    let load: ScriptState = image.isLoading ? .loading : hasFailed ? .failed : .loaded
    return image.isInTransition ? [load, .changing] : [load]
  }

  static func height(forWidth width: Double) -> Double {
    ((width - 2 * margin) * 0.625).rounded() + margin + textHeight
  }

  override func layoutSubviews() {
    let width = bounds.width - 2 * Self.margin
    image.frame = Rect(
      x: Self.margin, y: Self.margin, width: width, height: bounds.height - Self.margin - Self.textHeight)
    let top = bounds.height - Self.textHeight
    let textWidth = width - AgainButton.width - 8
    title.frame = Rect(x: Self.margin, y: top + 10, width: textWidth, height: 20)
    caption.frame = Rect(x: Self.margin, y: top + 30, width: textWidth, height: 18)
    again.frame = Rect(
      x: bounds.width - Self.margin - AgainButton.width, y: top + 13, width: AgainButton.width, height: 34)
  }
}
