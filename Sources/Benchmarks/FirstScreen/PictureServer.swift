import FoundationEssentials
import Glibc
import VitrineGalleryServer

/// Serves the pictures over HTTP on this machine, from a process of its own.
struct PictureServer {
  enum Kind: String {
    case gallery, nginx
  }

  /// Without a slash at the end.
  let baseURL: String
  private let process: ChildProcess

  init(_ kind: Kind, pictures: PictureSet) throws {
    switch kind {
    case .gallery:
      process = try ChildProcess(.server, [pictures.folder])
      let line = process.line() ?? "the gallery server does not start"
      guard line.hasPrefix("http") else { throw BenchmarkError(line) }
      baseURL = line
    case .nginx:
      (process, baseURL) = try Self.startNginx(pictures)
    }
  }

  /// The child's side: prints its URL, or why there is none, and serves until its input ends, which it does
  /// with the parent.
  static func serve(_ arguments: [String]) {
    do {
      let server = try GalleryServer(pictures: arguments.first ?? "")
      print(server.baseURL + "/gallery")
      fflush(nil)
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      server.stop()
    } catch {
      print("the gallery server does not start: \(error)")
    }
  }

  private static func startNginx(_ pictures: PictureSet) throws -> (ChildProcess, String) {
    let places = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
    guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
      throw BenchmarkError("--server nginx needs nginx: apt-get install nginx-light")
    }
    let root = URL(filePath: pictures.folder).standardizedFileURL
    let place = root.deletingLastPathComponent().path + "/nginx"
    let port = try freePort()
    let configuration = """
      daemon off; worker_processes 1; pid \(place)/pid; error_log \(place)/error.log;
      events {}
      http {
        access_log off; sendfile on; keepalive_requests 100000;
        client_body_temp_path \(place)/body; proxy_temp_path \(place)/proxy; fastcgi_temp_path \(place)/fastcgi;
        uwsgi_temp_path \(place)/uwsgi; scgi_temp_path \(place)/scgi;
        server { listen 127.0.0.1:\(port); location /gallery/ { alias \(root.path)/; default_type image/jpeg; } }
      }

      """
    do {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try Data(configuration.utf8).write(to: URL(filePath: place + "/nginx.conf"))
    } catch {
      throw BenchmarkError("cannot write to \(place)")
    }
    let process = try ChildProcess(
      program, ["-c", place + "/nginx.conf", "-p", place, "-e", place + "/error.log"])
    for _ in 0..<500 {
      if canConnect(to: port) { return (process, "http://127.0.0.1:\(port)/gallery") }
      if process.hasEnded { break }
      usleep(10_000)
    }
    throw BenchmarkError("nginx does not start; \(place)/error.log says why")
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func withSocket<Result>(
    _ port: UInt16, _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func canConnect(to port: UInt16) -> Bool {
    withSocket(port) { connect($0, $1, $2) == 0 }
  }

  private static func freePort() throws -> UInt16 {
    let port = withSocket(0) { descriptor, address, length in
      var length = length
      guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else {
        return UInt16(0)
      }
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.bigEndian }
    }
    guard port > 0 else { throw BenchmarkError("no port is free") }
    return port
  }
}
