/// How a view is at present, to somebody who does not see it.
public nonisolated struct AccessibilityStates: OptionSet, Hashable, Sendable {
  /// A bit for each of the states below.
  public let rawValue: Int

  /// A set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A finger or a key presses it.
  public static let highlighted = AccessibilityStates(rawValue: 1)
  /// It is chosen, or on.
  public static let selected = AccessibilityStates(rawValue: 2)
  /// It cannot be used now.
  public static let disabled = AccessibilityStates(rawValue: 4)
  /// It gets the keys; of a row: keys act on it.
  public static let focused = AccessibilityStates(rawValue: 8)
  /// It waits for a picture.
  public static let busy = AccessibilityStates(rawValue: 16)

  /// The names of those that hold, in the order above; empty where none does.
  public var names: [String] {
    let all: [(AccessibilityStates, String)] = [
      (.highlighted, "highlighted"), (.selected, "selected"), (.disabled, "disabled"), (.focused, "focused"),
      (.busy, "busy"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension AccessibilityStates {
  /// What a control's state says.
  init(_ state: ControlState) {
    self = []
    if state.contains(.highlighted) { insert(.highlighted) }
    if state.contains(.selected) { insert(.selected) }
    if state.contains(.disabled) { insert(.disabled) }
    if state.contains(.focused) { insert(.focused) }
  }
}
