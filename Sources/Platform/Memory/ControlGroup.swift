/// A control group of version 2 or 1 that limits the memory of this process: its own group, or an ancestor of that.
struct ControlGroup: Hashable, Sendable {
  enum Version: Hashable, Sendable { case two, one }

  let version: Version
  /// The directory of the group, without a trailing slash.
  let folder: String

  /// Returns the groups from the process's own outwards; empty if there are none with a memory controller.
  static func all(_ files: KernelFiles) -> [ControlGroup] {
    guard let list = files.text("/proc/self/cgroup") else { return around("/", files) }
    var groups: [ControlGroup] = []
    for line in list.split(separator: "\n") {
      // Each line is hierarchy:controllers:path. Version 2 has hierarchy 0 and no controllers.
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      if fields[1].isEmpty {
        groups += around(
          String(fields[2]), files, .two, mounts: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"])
      } else if fields[1].split(separator: ",").contains("memory") {
        groups += around(String(fields[2]), files, .one, mounts: ["/sys/fs/cgroup/memory"])
      }
    }
    // In a container, the path may be that of the machine while the directory is that of the container.
    return groups.isEmpty ? around("/", files) : groups
  }

  private static func around(_ path: String, _ files: KernelFiles) -> [ControlGroup] {
    around(path, files, .two, mounts: ["/sys/fs/cgroup"])
      + around(path, files, .one, mounts: ["/sys/fs/cgroup/memory"])
  }

  private static func around(
    _ path: String, _ files: KernelFiles, _ version: Version, mounts: [String]
  ) -> [ControlGroup] {
    var names = path.split(separator: "/").filter { $0 != ".." }
    var groups: [ControlGroup] = []
    while true {
      for mount in mounts {
        let group = ControlGroup(
          version: version, folder: ([Substring(mount)] + names).joined(separator: "/"))
        if files.exists(group.file(.usage)) { groups.append(group) }
      }
      guard names.popLast() != nil else { return groups }
    }
  }

  private enum File { case usage, limit, softLimit, statistics, events, pressure }

  private func file(_ file: File) -> String {
    let name =
      switch (file, version) {
      case (.usage, .two): "memory.current"
      case (.usage, .one): "memory.usage_in_bytes"
      case (.limit, .two): "memory.max"
      case (.limit, .one): "memory.limit_in_bytes"
      case (.softLimit, _): "memory.high"
      case (.statistics, _): "memory.stat"
      case (.events, _): "memory.events"
      case (.pressure, _): "memory.pressure"
      }
    return folder + "/" + name
  }

  /// Returns the limit in bytes; `nil` without a limit. Without a limit, version 1 reports a number larger than any
  /// memory.
  func limit(_ files: KernelFiles) -> Int? {
    let limits = [files.number(file(.limit)), version == .two ? files.number(file(.softLimit)) : nil]
    return limits.compactMap { $0 }.min().flatMap { UInt64($0) < 1 << 60 ? $0 : nil }
  }

  /// Returns the used memory in bytes, without inactive file pages, which the kernel can drop at once.
  func usage(_ files: KernelFiles) -> Int? {
    guard let all = files.number(file(.usage)) else { return nil }
    let statistics = files.numbers(file(.statistics))
    return max(0, all - (statistics["total_inactive_file"] ?? statistics["inactive_file"] ?? 0))
  }

  /// Returns how many times the group has reached a limit and has run out of memory since its creation; 0 for version
  /// 1.
  func events(_ files: KernelFiles) -> (limit: Int, outOfMemory: Int) {
    guard version == .two else { return (0, 0) }
    let events = files.numbers(file(.events))
    return ((events["high"] ?? 0) &+ (events["max"] ?? 0), (events["oom"] ?? 0) &+ (events["oom_kill"] ?? 0))
  }

  /// The path of the group's pressure stall information (PSI).
  var pressureFile: String { file(.pressure) }
}
