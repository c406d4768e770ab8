import FoundationEssentials

/// A fake /proc and /sys in a temporary folder, which is deleted with the object.
final class MachineFolder {
  let root: String

  init() throws {
    root = FileManager.default.temporaryDirectory.path + "/vitrine-machine-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ text: String, to path: String) throws {
    let folder = root + path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: root + path))
  }

  /// Writes a machine of 1 GB with plenty of available memory.
  func writeMachine(availableKilobytes: Int = 800_000) throws {
    try write(
      "MemTotal:        1000000 kB\nMemFree:   10 kB\nMemAvailable:    \(availableKilobytes) kB\n",
      to: "/proc/meminfo")
  }

  /// Writes a process in a service's version 2 cgroup, below a cgroup without limits.
  func writeGroup(
    current: String, max: String, high: String = "max", inactiveFile: Int = 0, events: String = "",
    pressure: String? = nil
  ) throws {
    try write("0::/system.slice/kiosk.service\n", to: "/proc/self/cgroup")
    let folder = "/sys/fs/cgroup/system.slice"
    try write("123456789\n", to: folder + "/memory.current")
    try write("max\n", to: folder + "/memory.max")
    try write(current + "\n", to: folder + "/kiosk.service/memory.current")
    try write(max + "\n", to: folder + "/kiosk.service/memory.max")
    try write(high + "\n", to: folder + "/kiosk.service/memory.high")
    try write(
      "anon 5\nfile 6\ninactive_file \(inactiveFile)\n", to: folder + "/kiosk.service/memory.stat")
    try write(events, to: folder + "/kiosk.service/memory.events")
    if let pressure { try write(pressure, to: folder + "/kiosk.service/memory.pressure") }
  }
}
