import FoundationEssentials
import Glibc

/// The program `curl`, which fetches many URLs concurrently and discards the responses.
struct CurlProgram {
  /// The elapsed time and the processor time of a run in seconds, without the start of the program.
  struct Figures {
    var wall, cpu: Double
  }

  private let program = "/usr/bin/curl"
  private let folder: String

  /// Throws `NotMeasurable` if curl is not installed.
  ///
  /// - Parameter folder: The folder for the list of URLs.
  init(folder: String) throws {
    guard access(program, X_OK) == 0 else {
      throw NotMeasurable("curl is not there: apt-get install curl")
    }
    self.folder = folder
  }

  /// Fetches all URLs with up to `concurrency` concurrent transfers.
  func fetch(_ urls: [String], concurrency: Int, authority: String?) throws -> Figures {
    let list = folder + "/curl.txt"
    let lines = urls.map { "url = \"\($0)\"\noutput = \"/dev/null\"\n" }.joined()
    do {
      try Data(lines.utf8).write(to: URL(filePath: list))
    } catch {
      throw BenchmarkError("cannot write \(list)")
    }
    var arguments = ["--no-progress-meter", "--fail", "--noproxy", "*", "--parallel"]
    arguments += ["--parallel-max", "\(concurrency)", "--config", list]
    if let authority { arguments += ["--cacert", authority] }
    let all = try run(arguments)
    // The time for loading the program and its libraries is subtracted, because Vitrine's are loaded before its time is
    // measured.
    let start = try run(["--version"])
    return Figures(wall: all.wall - start.wall, cpu: all.cpu - start.cpu)
  }

  private func run(_ arguments: [String]) throws -> Figures {
    let start = SystemCounters.time
    let end = try ChildProcess(program, arguments).end()
    let wall = SystemCounters.time - start
    guard end.status == 0 else { throw BenchmarkError("curl ends with \(end.status)") }
    return Figures(wall: wall, cpu: end.cpu)
  }
}
