/// How much memory pictures may take, and who gets which share of it.
///
/// By default a quarter of the machine's memory, or of what its control group allows, and 256 MiB at most.
public nonisolated struct MemoryBudget: Hashable, Sendable {
  /// All of it, in bytes: decoded pictures, textures, and what is being decoded.
  public let bytes: Int

  /// No more than this by default, however large the machine is.
  public static let largestDefault = 256 << 20

  /// At least 1 MiB.
  public init(bytes: Int) { self.bytes = max(1 << 20, bytes) }

  /// The default of this machine.
  public static var machine: MemoryBudget { MemoryBudget(KernelFiles(root: "")) }

  /// By the machine's memory, and by the limit of every control group that the process is in.
  init(_ files: KernelFiles) {
    let kilobytes = files.numbers("/proc/meminfo")["MemTotal"].map { min($0, Int.max / 1024) }
    let limits = ControlGroup.all(files).map { $0.limit(files) } + [kilobytes.map { $0 * 1024 }]
    // Nothing at all is what no machine has.
    let least = limits.compactMap { $0 }.filter { $0 > 0 }.min()
    self.init(bytes: min(Self.largestDefault, (least ?? .max) / 4))
  }

  /// Decoded pictures in the memory cache: 100 of 256 MiB.
  public var cacheCapacity: Int { bytes / 256 * 100 }
  /// What a purge of the cache leaves: 60 of its 100 MiB (AF-F5).
  public var cacheUsageAfterPurge: Int { cacheCapacity / 100 * 60 }
  /// Textures: 64 of 256 MiB.
  public var textures: Int { bytes / 256 * 64 }
}
