/// The processor time and the memory of a process at a moment.
nonisolated struct ProcessCost: Hashable {
  /// The time of the reading in seconds.
  var time: Double
  /// The processor time since the start of the process in seconds, user and system.
  var processorTime: Double
  /// The resident memory in bytes.
  var memoryBytes: Int

  /// Returns the cost since an earlier reading in words, such as `3 % of a core  ·  41 MB`; only the memory without an
  /// earlier reading.
  func text(since earlier: ProcessCost?) -> String {
    let memory = "\((Double(max(0, memoryBytes)) / 1_048_576).rounded().digits) MB"
    guard let earlier, time > earlier.time else { return memory }
    let fraction = (processorTime - earlier.processorTime) / (time - earlier.time)
    return "\((fraction * 100).rounded().digits) % of a core  ·  \(memory)"
  }
}

extension Double {
  /// The number without a fraction, 0 to a billion; 0 for NaN.
  fileprivate nonisolated var digits: String { "\(Int(min(1e9, max(0, isNaN ? 0 : self))))" }
}
