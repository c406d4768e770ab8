/// The current states of a view for assistive technology.
public nonisolated struct AccessibilityStates: OptionSet, Hashable, Sendable {
  /// One bit for each of the states below.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Pressed by a finger or a key.
  public static let highlighted = AccessibilityStates(rawValue: 1)
  /// Selected, or switched on.
  public static let selected = AccessibilityStates(rawValue: 2)
  /// Currently not usable.
  public static let disabled = AccessibilityStates(rawValue: 4)
  /// Receives keys; for a row, keys act on the row.
  public static let focused = AccessibilityStates(rawValue: 8)
  /// Waiting for an image, or showing that work is in progress.
  public static let busy = AccessibilityStates(rawValue: 16)

  /// The names of the states in the set, in the order above, for a description in text; empty for an empty set.
  public var names: [String] {
    let all: [(AccessibilityStates, String)] = [
      (.highlighted, "highlighted"), (.selected, "selected"), (.disabled, "disabled"), (.focused, "focused"),
      (.busy, "busy"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension AccessibilityStates {
  /// Creates the states that correspond to a control's state.
  init(_ state: ControlState) {
    self = []
    if state.contains(.highlighted) { insert(.highlighted) }
    if state.contains(.selected) { insert(.selected) }
    if state.contains(.disabled) { insert(.disabled) }
    if state.contains(.focused) { insert(.focused) }
  }
}
