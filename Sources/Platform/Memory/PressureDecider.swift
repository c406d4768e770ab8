import VitrineGraphics

/// Decides from successive readings whether memory is short.
struct PressureDecider {
  /// The interval in seconds at which a continuing shortage is reported again, so that memory taken since then is released
  /// too.
  static let repetition = 10.0

  private var last: MemoryReading?
  private var told: (pressure: MemoryPressure, time: Double)?

  /// Returns the pressure to report to the holders of memory now, or `nil` for none.
  ///
  /// - Parameters:
  ///   - isStalled: True if the kernel has reported that processes wait for memory.
  ///   - now: Seconds since an arbitrary time in the past.
  mutating func decide(_ reading: MemoryReading, isStalled: Bool = false, at now: Double) -> MemoryPressure? {
    let pressure = Self.pressure(reading, since: last) ?? (isStalled ? .warning : nil)
    last = reading
    guard let pressure else {
      told = nil
      return nil
    }
    if let told, told.pressure >= pressure, (0..<Self.repetition).contains(now - told.time) { return nil }
    told = (pressure, now)
    return pressure
  }

  /// Returns the pressure of a reading. The thresholds leave the kernel room to work: with less than 5 % free memory,
  /// it begins to reclaim memory in use. A stall of 10 % over ten seconds is noticeable.
  private static func pressure(_ reading: MemoryReading, since last: MemoryReading?) -> MemoryPressure? {
    let hasRunOut = last.map { reading.outOfMemory > $0.outOfMemory } ?? false
    let hasHitLimit = last.map { reading.limitHits > $0.limitHits } ?? false
    if reading.fractionOfLimit >= 0.95 || reading.availableFraction <= 0.05 || reading.fullStalled >= 10
      || hasRunOut
    {
      return .critical
    }
    if reading.fractionOfLimit >= 0.85 || reading.availableFraction <= 0.1 || reading.someStalled >= 10
      || hasHitLimit
    {
      return .warning
    }
    return nil
  }
}
