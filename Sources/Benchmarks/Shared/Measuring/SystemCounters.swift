import FoundationEssentials
import Glibc

/// Counters and clocks of the kernel for this process.
enum SystemCounters {
  /// The time of the monotonic clock in seconds.
  static var time: Double { seconds(CLOCK_MONOTONIC) }
  /// The processor time of all threads, user and system, in seconds.
  static var processCPU: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }
  /// The processor time of the calling thread in seconds.
  static var threadCPU: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

  /// The number of voluntary context switches: a thread gave up the processor in order to wait.
  static var voluntarySwitches: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_nvcsw
  }

  /// The bytes that the process has passed to the kernel and received since its start, and those of the storage below.
  struct IO {
    /// The bytes of all calls that read or write, including pages that are in the page cache.
    var read = 0
    var written = 0
    /// The bytes that came from the storage, and the bytes of pages that were changed and go to the storage.
    var readFromStorage = 0
    var writtenToStorage = 0
  }

  static var io: IO {
    let lines = lines(of: "/proc/self/io")
    return IO(
      read: number("rchar", in: lines), written: number("wchar", in: lines),
      readFromStorage: number("read_bytes", in: lines), writtenToStorage: number("write_bytes", in: lines))
  }

  /// The number of page faults: those that needed no storage, and those that waited for storage.
  static var pageFaults: (minor: Int, major: Int) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return (usage.ru_minflt, usage.ru_majflt)
  }

  static var residentBytes: Int { memory("VmRSS") }
  static var peakResidentBytes: Int { memory("VmHWM") }

  static var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns the value of a line of /proc/self/status in bytes; 0 if the line is missing.
  private static func memory(_ name: String) -> Int {
    number(name, in: lines(of: "/proc/self/status")) * 1024
  }

  private static func lines(of path: String) -> [Substring] {
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(validating: data, as: UTF8.self)
    else { return [] }
    return text.split(separator: "\n")
  }

  /// Returns the first number after `NAME:`; 0 if there is no such line.
  private static func number(_ name: String, in lines: [Substring]) -> Int {
    guard let line = lines.first(where: { $0.hasPrefix(name + ":") }),
      let value = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return 0 }
    return Int(value) ?? 0
  }
}
