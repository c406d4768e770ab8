import Vitrine

/// The transitions that `--transition` names: those of the transitions screen.
nonisolated enum SlideTransition {
  private static let seconds = 1.0
  private static let directions: [(String, Transition.Direction)] = [
    ("left", .left), ("right", .right), ("up", .up), ("down", .down),
  ]

  private static let transitions: [(name: String, transition: Transition)] =
    [
      ("none", .none), ("fade", .fadeThrough(seconds)), ("cross-dissolve", .crossDissolve(seconds)),
    ]
    + directions.map { ("slide-\($0)", .slide($1, duration: seconds)) }
    + directions.map { ("flip-\($0)", .flip($1, duration: seconds)) }
    + [("blinds", .custom(Blinds(), duration: seconds))]

  static var names: [String] { transitions.map(\.name) }

  /// Returns the transition with a name; the default one for an unknown name.
  static func named(_ name: String) -> Transition {
    transitions.first { $0.name == name }?.transition ?? .crossDissolve(seconds)
  }
}
