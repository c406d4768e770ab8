import Foundation
import Glibc
import Testing

/// A running DiskProbe program, with a pipe from one of its outputs.
struct ProbeProcess {
  let id: pid_t
  /// The end of the pipe that is read; closed by `end()`.
  let output: Int32

  /// The path of the program, which is built into the same folder as the tests.
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/DiskProbe"
  }()

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - descriptor: The output that goes to the pipe: `STDOUT_FILENO` or `STDERR_FILENO`.
  ///   - variables: The environment, in addition to the variables for backtraces and sanitizers.
  init(_ arguments: [String], piping descriptor: Int32, variables: [String] = []) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
    var argv = ([Self.program] + arguments).map { strdup($0) } + [nil]
    // LeakSanitizer finds the program that turns addresses into names, which the suppressions need, by `PATH`.
    // ThreadSanitizer needs a preloaded library; see `Tests/Support/tsan_mutex.c`.
    let inherited = ["LD_PRELOAD", "LSAN_OPTIONS", "PATH"].compactMap { (name: String) in
      getenv(name).map { "\(name)=" + String(cString: $0) }
    }
    var environment = (["SWIFT_BACKTRACE=enable=no"] + inherited + variables).map { strdup($0) } + [nil]
    defer { (argv + environment).forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, Self.program, &actions, nil, &argv, &environment)
    close(ends[1])
    if result != 0 { close(ends[0]) }
    try #require(result == 0, "\(Self.program) cannot be started")
    (id, output) = (process, ends[0])
  }

  /// Waits until the pipe has output or is closed. Returns false at the deadline, or if the task is cancelled.
  func hasOutput(before deadline: ContinuousClock.Instant) -> Bool {
    while ContinuousClock.now < deadline, !Task.isCancelled {
      var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if poll(&state, 1, 100) > 0 { return true }
    }
    return false
  }

  /// Reads the output to its end. A program that has not closed the pipe after `seconds` is killed, so that its test
  /// fails instead of hanging.
  func outputToTheEnd(within seconds: Double = 60) -> String {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      guard hasOutput(before: deadline) else {
        kill(id, SIGKILL)
        break
      }
      let count = read(output, &bytes, bytes.count)
      guard count > 0 else { break }
      text += bytes[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Closes the pipe and waits until the process has ended. Returns its status as `waitpid` gives it.
  func end() -> Int32 {
    close(output)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status
  }
}
