/// The time and the resources that the process has used since a moment.
struct StartMeter {
  private let time = SystemCounters.time
  private let processCPU = SystemCounters.processCPU
  private let io = SystemCounters.io
  private let faults = SystemCounters.pageFaults
  private let resident = SystemCounters.residentBytes

  /// The elapsed time in seconds.
  var seconds: Double { SystemCounters.time - time }
  /// The processor time of all threads in seconds.
  var cpu: Double { SystemCounters.processCPU - processCPU }

  var figures: [String: Double] {
    let (seconds, cpu) = (seconds, cpu)
    let (io, faults) = (SystemCounters.io, SystemCounters.pageFaults)
    return [
      "shown_s": seconds, "cpu_s": cpu, "read_bytes": Double(io.read - self.io.read),
      "storage_bytes": Double(io.readFromStorage - self.io.readFromStorage),
      "minor_faults": Double(faults.minor - self.faults.minor),
      "major_faults": Double(faults.major - self.faults.major),
      "above_baseline_bytes": Double(SystemCounters.peakResidentBytes - resident),
    ]
  }
}
