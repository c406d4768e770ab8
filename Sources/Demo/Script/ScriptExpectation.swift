import Vitrine

/// What `expect "TITLE" WHAT WORD` asks of a view.
nonisolated enum ScriptExpectation: Equatable {
  /// One of several that may hold at once.
  case state(String)
  case role(String)
  case value(String)
  case name(String)

  /// How a view differs, to be said after its title; nil where it does not.
  @MainActor func complaint(about view: View) -> String? {
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

  /// What the view says for scripts, or else what it says to whoever does not see it.
  @MainActor private static func states(of view: View) -> Set<String> {
    if let named = view as? any ScriptNamed { return Set(named.scriptStates.map(\.rawValue)) }
    let states = view.accessibilityStates
    let names = states.subtracting(.busy).names
    return Set(names.isEmpty ? ["normal"] : names).union(states.contains(.busy) ? ["loading"] : [])
  }
}
