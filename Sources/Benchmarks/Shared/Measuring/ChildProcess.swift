import FoundationEssentials
import Glibc

/// A child process, with pipes to standard input and from standard output.
final class ChildProcess {
  private let id: pid_t
  private let input, output: Int32
  private var isRunning = true

  /// Starts this program in a role.
  convenience init(_ role: Role.Name, _ arguments: [String]) throws(BenchmarkError) {
    try self.init("/proc/self/exe", Role.arguments(role, arguments))
  }

  /// Starts this program in a role, on the first core only.
  static func onOneCore(_ role: Role.Name, _ arguments: [String]) throws -> ChildProcess {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return try ChildProcess(
      "/usr/bin/taskset", ["-c", "0", program] + Role.arguments(role, arguments))
  }

  /// Runs this program in a role several times. Returns the figures of each run.
  static func figures(_ role: Role.Name, _ arguments: [String], runs: Int) throws -> [[String: Double]] {
    try (0..<runs).map { _ in try ChildProcess(role, arguments).figures() }
  }

  /// Starts the program at a path. The child shares this process's standard error.
  init(_ program: String, _ arguments: [String]) throws(BenchmarkError) {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
      throw BenchmarkError("no pipe: \(String(cString: strerror(errno)))")
    }
    // Otherwise a child would inherit the pipe ends of other children and keep their pipes open.
    for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var id = pid_t()
    let error = posix_spawn(&id, program, &actions, nil, &words, environ)
    input = toChild[1]
    output = fromChild[0]
    self.id = id
    guard error == 0 else {
      isRunning = false
      throw BenchmarkError("cannot start \(program): \(String(cString: strerror(error)))")
    }
  }

  deinit {
    close(input)
    close(output)
    if isRunning {
      kill(id, SIGTERM)
      waitpid(id, nil, 0)
    }
  }

  /// Reads the next line of the child's output; `nil` at the end.
  func line() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Reads the figures that the child prints at the end.
  func figures() throws(BenchmarkError) -> [String: Double] {
    guard let line = line(),
      let figures = try? JSONDecoder().decode([String: Double].self, from: Data(line.utf8))
    else { throw BenchmarkError("a measuring process ended without figures") }
    return figures
  }

  /// Waits for the child to end. Returns its exit code, or 128 plus the number of the signal that ended it, and its
  /// processor time in seconds.
  func end() -> (status: Int32, cpu: Double) {
    var status: Int32 = 0
    var usage = rusage()
    guard isRunning, wait4(id, &status, 0, &usage) == id else { return (127, 0) }
    isRunning = false
    let signal = status & 0x7F
    let times = [usage.ru_utime, usage.ru_stime]
    let cpu = times.map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    return (signal == 0 ? status >> 8 & 0xFF : 128 + signal, cpu)
  }

  var hasEnded: Bool {
    if isRunning, waitpid(id, nil, WNOHANG) == id { isRunning = false }
    return !isRunning
  }
}
