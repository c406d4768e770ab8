import FoundationEssentials
import Glibc
import Testing

/// The result of decoding a file in a separate process.
enum CorpusVerdict: Hashable {
  case decoded
  /// The file was refused, with the case of the error.
  case refused(String)
  /// The process crashed, with the signal or exit code.
  case crashed(String)
  case hung
  case overMemory

  /// Decodes a file under limits.
  ///
  /// - Parameters:
  ///   - memory: The limit of address space in bytes. Ignored under a sanitizer, which reserves terabytes.
  ///   - program: The probe, or a replacement for tests.
  init(
    of file: String, seconds: Int = 10, memory: Int = 2 << 30, program: String = Self.probe
  ) throws {
    let limit = Self.isSanitized ? 0 : memory
    let verdict = try Self.run(program, ["\(limit)", "\(seconds)", file])
    switch verdict {
    case .crashed where limit > 0, .refused where limit > 0:
      // A failure that does not happen without the limit is caused by the limit.
      let unlimited = try Self.run(program, ["0", "\(seconds)", file])
      self = unlimited == verdict ? verdict : .overMemory
    default: self = verdict
    }
  }

  /// The path of the probe, which is built into the same folder as the tests.
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
    // Threads of tests block signals, including the alarm's; the probe must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    // Without a backtrace, a crash ends the process immediately.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { (argv + environment).forEach { free($0) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, program, &actions, &attributes, &argv, &environment)
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
