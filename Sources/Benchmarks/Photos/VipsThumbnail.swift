import Glibc

/// The program `vipsthumbnail`, which makes thumbnails of many files in one process and writes their pixels to files.
struct VipsThumbnail {
  private let program = "/usr/bin/vipsthumbnail"
  private let paths: [String]

  /// Throws `NotMeasurable` if vipsthumbnail is not installed.
  init(_ paths: [String]) throws(NotMeasurable) {
    guard access(program, X_OK) == 0 else {
      throw NotMeasurable("vipsthumbnail is not there: apt-get install libvips-tools")
    }
    self.paths = paths
  }

  /// Returns the elapsed time and the processor time of a run in seconds, with the start of the program.
  func measure(width: Int, height: Int) throws -> (seconds: Double, cpu: Double) {
    try ScratchFolder.use("vips") { folder in
      let start = SystemCounters.time
      let arguments = ["--size", "\(width)x\(height)", "-o", folder + "/%s.v"] + paths
      let end = try ChildProcess(program, arguments).end()
      let seconds = SystemCounters.time - start
      guard end.status == 0 else { throw BenchmarkError("vipsthumbnail ends with \(end.status)") }
      return (seconds, end.cpu)
    }
  }
}
