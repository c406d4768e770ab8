import FoundationEssentials
import Glibc

/// An nginx process with the configuration that the documentation recommends for many displays.
struct FleetProxy {
  /// The URL that displays use, without a trailing slash.
  let baseURL: String
  private let process: ChildProcess

  private static let configurationFile = "Scripts/fleet/nginx.conf"

  /// Starts nginx in front of the server at `http://127.0.0.1:originPort`.
  ///
  /// - Parameter folder: The folder for nginx's own files and its cache.
  init(folder: String, originPort: UInt16) throws {
    let port = try Nginx.freePort()
    baseURL = "http://127.0.0.1:\(port)"
    let site = try Self.site(folder: folder, port: port, originPort: originPort)
    do {
      try Data(site.utf8).write(to: URL(filePath: folder + "/site.conf"))
    } catch {
      throw BenchmarkError("cannot write to \(folder)")
    }
    process = try Nginx.start(
      """
      \(geteuid() == 0 ? "user root;" : "") daemon off; worker_processes 1; worker_rlimit_nofile 4096;
      pid \(folder)/pid; error_log \(folder)/error.log;
      events { worker_connections 2048; }
      http {
        access_log off; keepalive_requests 100000; \(Nginx.temporaryPaths(in: folder))
        include \(folder)/site.conf;
      }

      """, in: folder, port: port)
  }

  /// Returns the recommended configuration with the addresses and the folder of this run.
  private static func site(folder: String, port: UInt16, originPort: UInt16) throws -> String {
    guard let data = FileManager.default.contents(atPath: configurationFile) else {
      throw BenchmarkError("cannot read \(configurationFile)")
    }
    let changes = [
      ("listen 8080;", "listen 127.0.0.1:\(port);"), ("/var/cache/displays", folder + "/cache"),
      ("https://images.example.com;", "http://127.0.0.1:\(originPort);"),
    ]
    return try changes.reduce(String(decoding: data, as: UTF8.self)) { text, change in
      guard text.contains(change.0) else {
        throw BenchmarkError("\(configurationFile) has no “\(change.0)”")
      }
      return text.replacing(change.0, with: change.1)
    }
  }
}
