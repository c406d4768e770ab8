/// The error of a benchmark that could not go on, with a reason in one line.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The error of a subject that cannot be measured on this machine, with a reason in one line.
struct NotMeasurable: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
