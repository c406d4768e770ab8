import Glibc

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
  public static var machine: MemoryBudget {
    let limits = [MachineMemory.physical, MachineMemory.controlGroup].compactMap { $0 }
    return MemoryBudget(bytes: min(largestDefault, (limits.min() ?? largestDefault * 4) / 4))
  }

  /// Decoded pictures in the memory cache: 100 of 256 MiB.
  public var cacheCapacity: Int { bytes / 256 * 100 }
  /// What a purge of the cache leaves: 60 of its 100 MiB (AF-F5).
  public var cacheUsageAfterPurge: Int { cacheCapacity / 100 * 60 }
  /// Textures: 64 of 256 MiB.
  public var textures: Int { bytes / 256 * 64 }
}

/// What the kernel says of the memory that this process may use.
private nonisolated enum MachineMemory {
  static var physical: Int? {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    return pages > 0 && size > 0 ? pages * size : nil
  }

  /// The limit of the process's control group: version 2, then version 1; nil without one. A machine without
  /// a limit says "max", or a number beyond all memory, which the physical memory undercuts.
  static var controlGroup: Int? {
    number(in: "/sys/fs/cgroup/memory.max") ?? number(in: "/sys/fs/cgroup/memory/memory.limit_in_bytes")
  }

  private static func number(in path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 32)
    let count = read(file, &text, text.count)
    guard count > 0 else { return nil }
    let digits = text[..<count].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
