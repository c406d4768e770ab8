import Vitrine

/// A condition on a view, from the command `expect "TITLE" state|role|value|name WORD`.
nonisolated enum ScriptExpectation: Equatable {
  /// The view has this state, possibly among others.
  case state(String)
  case role(String)
  case value(String)
  case name(String)

  /// Returns the difference of a view as the end of a sentence that begins with the view's title; `nil` if the view
  /// meets the condition.
  @MainActor func mismatch(in view: View) -> String? {
    switch self {
    case .state(let state):
      let states = Self.states(of: view)
      return states.contains(state) ? nil : "is \(states.sorted().joined(separator: ", ")), not \(state)"
    case .role(let role):
      let actual = view.accessibilityRole.rawValue
      return actual == role ? nil : "is a \(actual), not a \(role)"
    case .value(let value):
      let actual = view.accessibilityValue ?? ""
      return actual == value ? nil : "has the value “\(actual)”, not “\(value)”"
    case .name(let name):
      let actual = view.accessibilityLabel ?? ""
      return actual == name ? nil : "is called “\(actual)”, not “\(name)”"
    }
  }

  /// Returns the script states of a view, or the accessibility states of a view that is not a `ScriptNamed`.
  @MainActor private static func states(of view: View) -> Set<String> {
    if let named = view as? any ScriptNamed { return Set(named.scriptStates.map(\.rawValue)) }
    let states = view.accessibilityStates
    let names = states.subtracting(.busy).names
    return Set(names.isEmpty ? ["normal"] : names).union(states.contains(.busy) ? ["loading"] : [])
  }
}
