/// The memory budget for images, with fixed fractions for the memory cache and for textures.
///
/// The default is a quarter of the machine's memory, or of the smallest limit of the process's control groups, but at
/// most 256 MiB.
public struct MemoryBudget: Hashable, Sendable {
  /// The total in bytes for decoded images, textures, and decoding in progress.
  public let bytes: Int

  /// The upper limit of the default budget in bytes: 256 MiB.
  package static let largestDefault = 256 << 20

  /// Creates a budget of `bytes` bytes, at least 1 MiB.
  public init(bytes: Int) { self.bytes = max(1 << 20, bytes) }

  /// The default budget of this machine.
  public static var machine: MemoryBudget { MemoryBudget(KernelFiles(root: "")) }

  /// Creates the default budget from the machine's memory and the limits of all control groups of the process.
  init(_ files: KernelFiles) {
    let kilobytes = files.numbers("/proc/meminfo")["MemTotal"].map { min($0, Int.max / 1024) }
    let limits = ControlGroup.all(files).map { $0.limit(files) } + [kilobytes.map { $0 * 1024 }]
    // A limit of 0 is not plausible and is ignored.
    let least = limits.compactMap { $0 }.filter { $0 > 0 }.min()
    self.init(bytes: min(Self.largestDefault, (least ?? .max) / 4))
  }

  /// The capacity in bytes of the memory cache: 100/256 of `bytes`. For a `MemoryImageCache` that a program creates
  /// itself.
  public var cacheCapacity: Int { bytes / 256 * 100 }
  /// The size in bytes to which the memory cache is purged: 60 % of `cacheCapacity`. For a `MemoryImageCache` that a
  /// program creates itself.
  public var cacheUsageAfterPurge: Int { cacheCapacity / 100 * 60 }
  /// The budget in bytes for textures: a quarter of `bytes`.
  package var textures: Int { bytes / 256 * 64 }
}
