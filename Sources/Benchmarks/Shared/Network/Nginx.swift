import FoundationEssentials
import Glibc
import VitrineGalleryServer

/// An nginx process on this machine that serves a folder under `/gallery/` over HTTP/1.1 and, if `isSecure` is true,
/// over HTTP/2 with TLS.
struct Nginx {
  let port: UInt16
  /// The port for TLS; 0 without TLS.
  let securePort: UInt16
  /// The path of the self-signed certificate for `localhost`.
  var authority: String { workingFolder + "/certificate.pem" }
  private let workingFolder: String
  private let process: ChildProcess

  private static let programPaths = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]

  /// Starts nginx and waits until connections are accepted. Throws `NotMeasurable` if nginx is not installed.
  ///
  /// - Parameters:
  ///   - folder: The folder to serve.
  ///   - workingFolder: The folder for nginx's own files, created if missing.
  ///   - isSecure: True to serve over HTTP/2 with TLS as well.
  init(folder: String, workingFolder: String, isSecure: Bool = false) throws {
    let root = URL(filePath: folder).standardizedFileURL.path
    self.workingFolder = URL(filePath: workingFolder).standardizedFileURL.path
    do {
      try FileManager.default.createDirectory(atPath: workingFolder, withIntermediateDirectories: true)
    } catch {
      throw BenchmarkError("cannot write to \(workingFolder)")
    }
    port = try Self.freePort()
    securePort = isSecure ? try Self.freePort() : 0
    if isSecure { try Self.makeCertificate(in: self.workingFolder) }
    try? FileManager.default.removeItem(atPath: self.workingFolder + "/access.log")
    process = try Self.start(
      Self.configuration(root: root, workingFolder: self.workingFolder, port, securePort),
      in: self.workingFolder, port: port)
  }

  /// Starts nginx with a configuration, and waits until `port` accepts connections. Throws `NotMeasurable` if nginx is
  /// not installed.
  static func start(
    _ configuration: String, in workingFolder: String, port: UInt16
  ) throws -> ChildProcess {
    guard let program = programPaths.first(where: { access($0, X_OK) == 0 }) else {
      throw NotMeasurable("nginx is not there: apt-get install nginx-light")
    }
    do {
      try Data(configuration.utf8).write(to: URL(filePath: workingFolder + "/nginx.conf"))
    } catch {
      throw BenchmarkError("cannot write to \(workingFolder)")
    }
    let process = try ChildProcess(
      program,
      ["-c", workingFolder + "/nginx.conf", "-p", workingFolder, "-e", workingFolder + "/error.log"])
    for _ in 0..<500 {
      if canConnect(to: port) { return process }
      if process.hasEnded { break }
      usleep(10_000)
    }
    throw BenchmarkError("nginx does not start; \(workingFolder)/error.log says why")
  }

  /// The lines of a configuration that move nginx's folders for temporary files into a folder.
  static func temporaryPaths(in folder: String) -> String {
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
      .joined(separator: " ")
  }

  /// The number of requests so far to `/counted/`, which serves the files of `/gallery/`.
  var countedRequests: Int {
    let log = FileManager.default.contents(atPath: workingFolder + "/access.log") ?? Data()
    return log.count { $0 == UInt8(ascii: "\n") }
  }

  private static func configuration(
    root: String, workingFolder: String, _ port: UInt16, _ securePort: UInt16
  ) -> String {
    let secure =
      securePort == 0
      ? ""
      : """
      listen 127.0.0.1:\(securePort) ssl http2;
      ssl_certificate \(workingFolder)/certificate.pem; ssl_certificate_key \(workingFolder)/key.pem;
      """
    return """
      daemon off; worker_processes 1; pid \(workingFolder)/pid; error_log \(workingFolder)/error.log;
      events { worker_connections 1024; }
      http {
        log_format line "$request_uri";
        access_log off; sendfile on; tcp_nodelay on; keepalive_requests 100000; default_type image/jpeg;
        \(temporaryPaths(in: workingFolder))
        server {
          listen 127.0.0.1:\(port); \(secure)
          location /gallery/ { alias \(root)/; }
          location /counted/ { alias \(root)/; access_log \(workingFolder)/access.log line; }
        }
      }

      """
  }

  /// Creates a certificate that is valid for two days. A new one for each run, because that of an earlier run may have
  /// expired.
  private static func makeCertificate(in workingFolder: String) throws {
    let program = "/usr/bin/openssl"
    guard access(program, X_OK) == 0 else {
      throw NotMeasurable("openssl is not there: apt-get install openssl")
    }
    let (key, certificate) = (workingFolder + "/key.pem", workingFolder + "/certificate.pem")
    let commands = [
      ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key],
      [
        "req", "-x509", "-key", key, "-days", "2", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost", "-out", certificate,
      ],
    ]
    for command in commands where try ChildProcess(program, command).end().status != 0 {
      throw BenchmarkError("openssl makes no certificate in \(workingFolder)")
    }
  }

  // MARK: Ports

  private static func canConnect(to port: UInt16) -> Bool {
    guard let descriptor = connect(toPort: port) else { return false }
    close(descriptor)
    return true
  }

  static func freePort() throws -> UInt16 {
    let (descriptor, port) = try listen(onPort: 0)
    close(descriptor)
    return port
  }
}
