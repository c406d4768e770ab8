/// A button's values by state: titles, colors or images.
///
/// As in UIKit, an entry applies to one exact set of states, and a state without an entry uses the entry of `.normal`.
/// Focus alone never hides another entry: `[.highlighted, .focused]` without an entry uses that of `.highlighted`, so
/// that a press looks the same by key and by touch.
nonisolated struct StateTable<Value> {
  private var entries: [ControlState: Value] = [:]

  /// The entry for exactly this state. Setting `nil` removes the entry.
  subscript(state: ControlState) -> Value? {
    get { entries[state] }
    set { entries[state] = newValue }
  }

  /// The entries of all states, in no order.
  var values: some Collection<Value> { entries.values }

  /// Returns the value that a state uses.
  func value(for state: ControlState) -> Value? { entries[key(for: state)] }

  /// True if a state uses an entry other than that of `.normal`.
  func hasOwnEntry(for state: ControlState) -> Bool {
    entries[key(for: state)] != nil && key(for: state) != .normal
  }

  /// True if an entry for `entry` would be used in `state`.
  func shows(_ entry: ControlState, in state: ControlState) -> Bool {
    for candidate in [state, state.subtracting(.focused), .normal] {
      if candidate == entry { return true }
      if entries[candidate] != nil { return false }
    }
    return false
  }

  /// Returns the state whose entry `state` uses.
  func key(for state: ControlState) -> ControlState {
    if entries[state] != nil { return state }
    let unfocused = state.subtracting(.focused)
    return entries[unfocused] != nil ? unfocused : .normal
  }
}
