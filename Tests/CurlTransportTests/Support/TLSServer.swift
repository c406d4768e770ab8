import FoundationEssentials
import Glibc
import Testing

/// nginx on loopback with HTTP/2 and a certificate for `localhost` that was just made and that nobody trusts.
final class TLSServer {
  /// Whether this machine has what it takes.
  static let isAvailable = access("/usr/sbin/nginx", X_OK) == 0 && access("/usr/bin/openssl", X_OK) == 0

  let port: UInt16
  /// Speaks TLS 1.1 and nothing newer.
  let oldPort: UInt16
  /// Path of the certificate, which is its own authority.
  var certificate: String { "\(folder)/cert.pem" }

  private let folder: String
  /// Bound and not listening: they keep the ports for nginx alone.
  private let ports: [Int32]
  private var process: pid_t = 0

  struct CannotRun: Error {
    let command: String
  }

  /// Starts a server that answers `/` with `hello` and ends a connection after `requests`.
  init(requestsPerConnection requests: Int = 1000, speaksHTTP2: Bool = true) throws {
    folder = "/tmp/vitrine-tls-\(UUID().uuidString)"
    (ports, port, oldPort) = try Self.reservePorts()
    mkdir(folder, 0o700)
    try Self.run([
      "/usr/bin/openssl", "req", "-x509", "-newkey",
      "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
      "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost", "-keyout", "\(folder)/key.pem", "-out", "\(folder)/cert.pem",
    ])
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/t;"
    }
    let configuration = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/log;
      events { worker_connections 256; }
      http {
        access_log off; \(temporary.joined(separator: " "))
        ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
        keepalive_requests \(requests);
        server {
          listen 127.0.0.1:\(port) ssl \(speaksHTTP2 ? "http2" : "") reuseport;
          location / { return 200 "hello"; }
          location /down { return 302 http://localhost:\(port)/; }
        }
        server {
          listen 127.0.0.1:\(oldPort) ssl reuseport;
          ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;
        }
      }
      """
    try Data(configuration.utf8).write(to: URL(filePath: "\(folder)/nginx.conf"))
    try start()
  }

  deinit {
    stop()
    for socket in ports { close(socket) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Runs again what was stopped, on the same port.
  func start() throws {
    process = try Self.spawn(["/usr/sbin/nginx", "-c", "\(folder)/nginx.conf", "-e", "\(folder)/log"])
    for _ in 0..<500 where !Self.isListening(port) { usleep(10_000) }
  }

  func stop() {
    guard process > 0 else { return }
    // A child of a pool thread has SIGTERM blocked, as the thread has.
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
  }

  private static func run(_ command: [String]) throws {
    var status: Int32 = 0
    waitpid(try spawn(command), &status, 0)
    guard status == 0 else { throw CannotRun(command: command.joined(separator: " ")) }
  }

  /// Runs a program with its output thrown away.
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

  private static func reservePorts() throws -> (sockets: [Int32], first: UInt16, second: UInt16) {
    let bound = (0..<2).map { _ in Loopback.bind(sharing: true) }
    guard let first = bound[0], let second = bound[1] else { throw CannotRun(command: "bind") }
    return ([first.socket, second.socket], first.port, second.port)
  }

  private static func isListening(_ port: UInt16) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    return Loopback.connect(socket, to: port)
  }
}
