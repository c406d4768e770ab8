/// What the kernel says of memory at one moment. What is unknown says nothing.
nonisolated struct MemoryReading: Hashable, Sendable {
  /// The greatest share of its limit that a control group of the process takes.
  var shareOfLimit = 0.0
  /// The share of the machine's memory that is free, or could be at once.
  var availableShare = 1.0
  /// Percent of the last ten seconds in which some process, and in which all, waited for memory.
  var someStalled = 0.0
  var fullStalled = 0.0
  /// How often a limit was hit, and memory ran out.
  var limitHits = 0
  var outOfMemory = 0

  /// Nothing known.
  init() {}

  /// Some small files; takes about 0.1 ms.
  init(_ files: KernelFiles, groups: [ControlGroup]) {
    for group in groups {
      if let limit = group.limit(files), let usage = group.usage(files) {
        shareOfLimit = max(shareOfLimit, Double(usage) / Double(max(1, limit)))
      }
      let events = group.events(files)
      limitHits &+= events.limit
      outOfMemory &+= events.outOfMemory
    }
    let machine = files.numbers("/proc/meminfo")
    if let total = machine["MemTotal"], let available = machine["MemAvailable"], total > 0 {
      availableShare = Double(available) / Double(total)
    }
    let files = ([groups.first?.pressureFile].compactMap { $0 } + ["/proc/pressure/memory"]).map(files.stalls)
    someStalled = files.compactMap { $0["some"] }.max() ?? 0
    fullStalled = files.compactMap { $0["full"] }.max() ?? 0
  }
}
