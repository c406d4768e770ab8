import FoundationEssentials
import Glibc
import Testing

/// What became of a file that a process of its own decoded.
enum CorpusVerdict: Hashable {
  case decoded
  /// The case of the error.
  case refused(String)
  /// The signal, or the exit code.
  case crashed(String)
  case hung
  case overMemory

  /// Decodes a file under limits.
  ///
  /// - Parameters:
  ///   - memory: address space in bytes. Not limited under a sanitizer, which takes terabytes of it.
  ///   - program: the probe, or what stands in for it.
  init(
    of file: String, seconds: Int = 10, memory: Int = 2 << 30, program: String = Self.probe
  ) throws {
    let limit = Self.isSanitized ? 0 : memory
    let verdict = try Self.run(program, ["\(limit)", "\(seconds)", file])
    switch verdict {
    case .crashed where limit > 0, .refused where limit > 0:
      // What does not happen without the limit is its doing.
      let unlimited = try Self.run(program, ["0", "\(seconds)", file])
      self = unlimited == verdict ? verdict : .overMemory
    default: self = verdict
    }
  }

  /// Tests and programs are built into the same folder.
  static let probe: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return tests.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/CorpusProbe"
  }()

  static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  private static func run(_ program: String, _ arguments: [String]) throws -> CorpusVerdict {
    let (status, output) = try runToTheEnd(program, arguments)
    let signal = status & 0x7F
    if signal == SIGALRM { return .hung }
    if signal != 0 { return .crashed("signal \(signal)") }
    if status != 0 { return .crashed("exit code \(status >> 8)") }
    let lines = output.split(separator: "\n")
    return lines.first { $0 != "decoded" }.map { .refused(String($0)) } ?? .decoded
  }

  static func runToTheEnd(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // Threads of tests block signals, the alarm's too; a program does not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    // A crash is to end it at once, without a look at its stack.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { (words + environment).forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, program, &actions, &attributes, &words, &environment)
    close(ends[1])
    try #require(result == 0, "\(program) cannot be started")

    var output: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &bytes, bytes.count), count > 0 { output += bytes[..<count] }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return (status, String(decoding: output, as: UTF8.self))
  }
}
