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
    guard let data = FileManager.default.contents(atPath: "/proc/self/status"),
      let status = String(validating: data, as: UTF8.self),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
      let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return 0 }
    return (Int(kilobytes) ?? 0) * 1024
  }
}
