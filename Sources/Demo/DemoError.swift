/// The reason why the demo cannot start: one line, which says how to fix the problem if it can be fixed.
nonisolated struct DemoError: Error, Equatable, CustomStringConvertible {
  let message: String

  var description: String { message }
}
