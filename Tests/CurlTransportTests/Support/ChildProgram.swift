import FoundationEssentials
import Glibc

/// A server program that runs for one test, in its own folder and on reserved ports.
final class ChildProgram {
  /// The folder of the server, removed when this object is released.
  let folder: String
  let ports: [UInt16]
  /// Bound sockets that do not listen: they reserve the ports and share them with the server.
  private let sockets: [Int32]
  private var process: pid_t = 0

  struct CannotRun: Error {
    let command: String
    var reason = ""
  }

  /// Reserves ports and a folder, without starting a program. The server must set the same option as the reserving
  /// sockets: SO_REUSEPORT if `isReusingPort` is true, else SO_REUSEADDR.
  init(ports count: Int, reusingPort isReusingPort: Bool) throws {
    folder = "/tmp/vitrine-\(UUID().uuidString)"
    let bound = (0..<count).compactMap { _ in Loopback.bind(sharing: isReusingPort) }
    guard bound.count == count, mkdir(folder, 0o700) == 0 else { throw CannotRun(command: "bind") }
    ports = bound.map(\.port)
    sockets = bound.map(\.socket)
  }

  deinit {
    stop()
    for socket in sockets { close(socket) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Returns true if all of these programs are installed.
  static func areInstalled(_ paths: String...) -> Bool { paths.allSatisfy { access($0, X_OK) == 0 } }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  /// Starts the server and waits until it listens on all of its ports, which servers open one after another. Throws if
  /// the server ends before, or is not ready after four minutes: a busy machine may take one.
  func start(_ command: [String]) throws {
    process = try Self.spawn(command)
    let deadline = ContinuousClock.now + .seconds(240)
    var closed = ports
    while !closed.isEmpty {
      closed.removeAll(where: Self.isListening)
      guard !closed.isEmpty else { return }
      guard !hasEnded else { throw CannotRun(command: command.joined(separator: " "), reason: "has ended") }
      guard ContinuousClock.now < deadline else {
        throw CannotRun(command: command.joined(separator: " "), reason: "is not ready")
      }
      // Third-party servers do not report when they are ready, so the ports are polled.
      usleep(10_000)
    }
  }

  /// True if the server has ended by itself.
  private var hasEnded: Bool {
    guard process > 0, waitpid(process, nil, WNOHANG) == process else { return false }
    process = 0
    return true
  }

  func stop() {
    guard process > 0 else { return }
    // SIGTERM may be blocked: a child inherits the signal mask of the pool thread that started it.
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
  }

  /// Runs a program to its end.
  static func run(_ command: [String]) throws {
    var status: Int32 = 0
    waitpid(try spawn(command), &status, 0)
    guard status == 0 else { throw CannotRun(command: command.joined(separator: " ")) }
  }

  /// Starts a program whose output is discarded.
  private static func spawn(_ command: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    guard posix_spawn(&process, command[0], &actions, nil, &arguments, environ) == 0 else {
      throw CannotRun(command: command.joined(separator: " "))
    }
    return process
  }

  private static func isListening(_ port: UInt16) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    return Loopback.connect(socket, to: port)
  }
}
