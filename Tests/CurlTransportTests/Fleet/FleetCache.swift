import FoundationEssentials
import Glibc
import Testing

/// A caching server between displays and an origin, which runs the configuration that the documentation recommends.
final class FleetCache {
  enum Kind: String, CaseIterable, Sendable {
    case nginx, squid

    fileprivate var program: String { "/usr/sbin/\(rawValue)" }
    fileprivate var packageName: String { self == .nginx ? "nginx-light" : "squid" }
  }

  /// True unless a server is missing because `./run.sh test` does not install servers under systemd, which would start
  /// them.
  static let isTested =
    access("/run/systemd/system", F_OK) != 0
    || Kind.allCases.allSatisfy { ChildProgram.areInstalled($0.program) }

  /// The error for a server that is not installed. A test with a missing server fails, because nothing else would show
  /// that the configuration of the documentation is no longer tested.
  struct MissingServer: Error, CustomStringConvertible {
    let kind: Kind

    var description: String {
      "\(kind.program) is missing; install it with: apt-get install --no-install-recommends \(kind.packageName)"
    }
  }

  /// The error for a configuration file without a text that must be replaced.
  struct MissingText: Error {
    let text: String
  }

  private let program: ChildProgram
  var url: String { "http://127.0.0.1:\(program.ports[0])" }

  /// Starts the server in front of the origin at `http://127.0.0.1:originPort`.
  ///
  /// The lifetimes of errors and the time limits of the configuration are longer here, so that none of them ends during
  /// a test on a busy machine.
  init(_ kind: Kind, originPort: UInt16) throws {
    guard ChildProgram.areInstalled(kind.program) else { throw MissingServer(kind: kind) }
    program = try ChildProgram(ports: 1, reusingPort: kind == .nginx)
    let file = URL(filePath: #filePath).appending(path: "../../../../Scripts/fleet/\(kind).conf")
    let text = String(decoding: try Data(contentsOf: file.standardizedFileURL), as: UTF8.self)
    switch kind {
    case .nginx: try startNginx(text, originPort)
    case .squid: try startSquid(text, originPort)
    }
  }

  private func startNginx(_ text: String, _ originPort: UInt16) throws {
    let (folder, port) = (program.folder, program.ports[0])
    let site = try Self.replacing(
      [
        ("listen 8080;", "listen 127.0.0.1:\(port) reuseport;"),
        ("/var/cache/displays", "\(folder)/cache"),
        ("https://images.example.com;", "http://127.0.0.1:\(originPort);"),
        ("proxy_connect_timeout 5s;", "proxy_connect_timeout 600s;"),
        ("proxy_read_timeout 10s;", "proxy_read_timeout 600s;"),
        ("proxy_cache_lock_age 60s;", "proxy_cache_lock_age 600s;"),
        ("proxy_cache_lock_timeout 60s;", "proxy_cache_lock_timeout 600s;"),
        ("503 504 10s;", "503 504 600s;"),
      ], in: text)
    try program.write(site, to: "site.conf")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/t;"
    }
    try program.write(
      """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/log;
      events { worker_connections 1024; }
      http {
        access_log off; \(temporary.joined(separator: " "))
        include \(folder)/site.conf;
      }
      """, to: "nginx.conf")
    try program.start([Kind.nginx.program, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/log"])
  }

  private func startSquid(_ text: String, _ originPort: UInt16) throws {
    // Squid gives up the rights of root, so it has no folder here and stores in memory.
    let configuration = try Self.replacing(
      [
        ("http_port 8080 ", "http_port 127.0.0.1:\(program.ports[0]) "),
        (
          "cache_peer images.example.com parent 443 0 no-query no-digest originserver tls ",
          "cache_peer 127.0.0.1 parent \(originPort) 0 no-query no-digest originserver "
        ), ("cache_dir ufs /var/spool/squid 10000 16 256\n", ""),
        ("negative_ttl 10 seconds", "negative_ttl 600 seconds"),
      ], in: text)
    let own = """
      pid_filename none
      access_log none
      cache_log /dev/null
      visible_hostname localhost
      """
    try program.write(configuration + own + "\n", to: "squid.conf")
    try ChildProgram.run(["/bin/chmod", "-R", "a+rX", program.folder])
    try program.start([Kind.squid.program, "-N", "-f", "\(program.folder)/squid.conf"])
  }

  /// Returns the text with each text of a pair replaced by the other. Throws if one of them is not there exactly once.
  private static func replacing(_ pairs: [(String, String)], in text: String) throws -> String {
    try pairs.reduce(text) { text, pair in
      let parts = text.components(separatedBy: pair.0)
      guard parts.count == 2 else { throw MissingText(text: pair.0) }
      return parts.joined(separator: pair.1)
    }
  }
}
