import FoundationEssentials
import Glibc

/// The program `curl`, which fetches many URLs at once and keeps nothing.
struct CurlProgram {
  /// What a run took, the start of the program aside.
  struct Figures {
    var wall: Double
    var cpu: Double
  }

  private let program = "/usr/bin/curl"
  private let place: String

  /// - Parameter place: a folder for its list of URLs.
  init(place: String) throws {
    guard access(program, X_OK) == 0 else {
      throw NotMeasurable("curl is not there: apt-get install curl")
    }
    self.place = place
  }

  /// Fetches all of `urls`, `width` at a time.
  func fetch(_ urls: [String], width: Int, authority: String?) throws -> Figures {
    let list = place + "/curl.txt"
    let lines = urls.map { "url = \"\($0)\"\noutput = \"/dev/null\"\n" }.joined()
    do {
      try Data(lines.utf8).write(to: URL(filePath: list))
    } catch {
      throw BenchmarkError("cannot write \(list)")
    }
    var arguments = ["--no-progress-meter", "--fail", "--noproxy", "*", "--parallel"]
    arguments += ["--parallel-max", "\(width)", "--config", list]
    if let authority { arguments += ["--cacert", authority] }
    let all = try run(arguments)
    // What loading the program and its libraries takes: ours are loaded when it is measured.
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
