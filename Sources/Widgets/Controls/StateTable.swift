/// Values of a button by state: titles, colours, pictures.
///
/// As in UIKit an entry is for an exact set of states, and a state without one shows the entry of `.normal`.
/// Focus alone never hides another entry: `[.highlighted, .focused]` without one of its own shows that of
/// `.highlighted`, so that a press looks the same by key and by touch.
nonisolated struct StateTable<Value> {
  private var entries: [ControlState: Value] = [:]

  /// The entry for exactly this state. Setting nil removes it, so that `.normal` shows again.
  subscript(state: ControlState) -> Value? {
    get { entries[state] }
    set { entries[state] = newValue }
  }

  /// What a state shows.
  func value(for state: ControlState) -> Value? { entries[key(for: state)] }

  /// Whether a state has an entry of its own.
  func hasOwn(_ state: ControlState) -> Bool { entries[key(for: state)] != nil && key(for: state) != .normal }

  /// Whether an entry for `entry` would be seen in `state`, if it were there.
  func shows(_ entry: ControlState, in state: ControlState) -> Bool {
    for candidate in [state, state.subtracting(.focused), .normal] {
      if candidate == entry { return true }
      if entries[candidate] != nil { return false }
    }
    return false
  }

  /// Whose entry a state shows.
  func key(for state: ControlState) -> ControlState {
    if entries[state] != nil { return state }
    let unfocused = state.subtracting(.focused)
    return entries[unfocused] != nil ? unfocused : .normal
  }
}
