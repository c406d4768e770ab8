import VitrineGraphics

/// Whether memory is short, by what the kernel says from time to time.
nonisolated struct PressureDecider {
  /// A shortage that lasts is told again after so many seconds: what has come in since should go too.
  static let repetition = 10.0

  private var last: MemoryReading?
  private var told: (pressure: MemoryPressure, time: Double)?

  /// What holders should be told now; nil for nothing.
  ///
  /// - Parameters:
  ///   - isStalled: whether the kernel has said by itself that processes wait for memory.
  ///   - now: seconds since some time in the past.
  mutating func decide(_ reading: MemoryReading, isStalled: Bool = false, at now: Double) -> MemoryPressure? {
    let pressure = max(Self.pressure(reading, since: last), isStalled ? .warning : nil)
    last = reading
    guard let pressure else {
      told = nil
      return nil
    }
    if let told, told.pressure >= pressure, (0..<Self.repetition).contains(now - told.time) { return nil }
    told = (pressure, now)
    return pressure
  }

  /// The shares leave the kernel room to work: below a twentieth it begins to reclaim what is in use. A tenth of ten
  /// seconds is a stall that is seen.
  private static func pressure(_ reading: MemoryReading, since last: MemoryReading?) -> MemoryPressure? {
    let hasRunOut = last.map { reading.outOfMemory > $0.outOfMemory } ?? false
    let hasHitLimit = last.map { reading.limitHits > $0.limitHits } ?? false
    if reading.shareOfLimit >= 0.95 || reading.availableShare <= 0.05 || reading.fullStalled >= 10
      || hasRunOut
    {
      return .critical
    }
    if reading.shareOfLimit >= 0.85 || reading.availableShare <= 0.1 || reading.someStalled >= 10
      || hasHitLimit
    {
      return .warning
    }
    return nil
  }

  private static func max(_ a: MemoryPressure?, _ b: MemoryPressure?) -> MemoryPressure? {
    guard let a, let b else { return a ?? b }
    return Swift.max(a, b)
  }

  private func max(_ a: MemoryPressure?, _ b: MemoryPressure?) -> MemoryPressure? { Self.max(a, b) }
}
