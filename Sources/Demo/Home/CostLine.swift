import Vitrine

/// A line of text that says what the program costs while it is shown: processor time and memory, read once a second.
///
/// A reading that leads to the same text draws nothing.
final class CostLine: Label {
  /// False while the line is covered: nothing is read then. True by default.
  var isRunning = true { didSet { if isRunning != oldValue { restart() } } }

  /// The seconds between two readings.
  static let interval = 1.0

  private let read: () -> ProcessCost?
  private var last: ProcessCost?
  private var timer: WindowTimer?

  /// Creates a line.
  ///
  /// - Parameter read: Returns the cost of the process up to now; `nil` shows no text.
  init(read: @escaping () -> ProcessCost?) {
    self.read = read
    super.init()
    font = Theme.body
    textColor = Theme.text
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    restart()
  }

  /// Begins to read in a window, and stops outside of one.
  private func restart() {
    timer?.cancel()
    timer = nil
    last = nil
    guard isRunning, let window else { return }
    // The text stays until the processor time of a whole interval is known.
    last = read()
    if text.isEmpty { text = last?.text(since: nil) ?? "" }
    timer = window.every(Self.interval) { [weak self] in self?.update() }
  }

  /// Reads the cost, and shows it if the text differs.
  func update() {
    let cost = read()
    text = cost?.text(since: last) ?? ""
    last = cost
  }
}
