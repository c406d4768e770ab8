/// The kernel's memory figures at one moment. Unknown figures have values that indicate no shortage.
struct MemoryReading: Hashable, Sendable {
  /// The used fraction of a control group's limit: the largest of the process's groups.
  var fractionOfLimit = 0.0
  /// The fraction of the machine's memory that is free or can be reclaimed at once.
  var availableFraction = 1.0
  /// The percentage of the last ten seconds in which at least one process (`some`) or all processes (`full`) waited for
  /// memory.
  var someStalled = 0.0
  var fullStalled = 0.0
  /// The number of times that a limit was reached, and that memory ran out.
  var limitHits = 0
  var outOfMemory = 0

  /// Creates a reading in which nothing is known.
  init() {}

  /// Reads the figures from a few small files. Takes about 0.1 ms.
  init(_ files: KernelFiles, groups: [ControlGroup]) {
    for group in groups {
      if let limit = group.limit(files), let usage = group.usage(files) {
        fractionOfLimit = max(fractionOfLimit, Double(usage) / Double(max(1, limit)))
      }
      let events = group.events(files)
      limitHits &+= events.limit
      outOfMemory &+= events.outOfMemory
    }
    let machine = files.numbers("/proc/meminfo")
    if let total = machine["MemTotal"], let available = machine["MemAvailable"], total > 0 {
      availableFraction = Double(available) / Double(total)
    }
    let files = ([groups.first?.pressureFile].compactMap { $0 } + ["/proc/pressure/memory"]).map(files.stalls)
    someStalled = files.compactMap { $0["some"] }.max() ?? 0
    fullStalled = files.compactMap { $0["full"] }.max() ?? 0
  }
}
