import Glibc

/// A blocking HTTP client that exposes the bytes of a connection. Reads time out after 60 seconds, so that no test
/// hangs. The socket's buffers are small, so that the server cannot send megabytes before the client reads them.
final class Client {
  private(set) var descriptor: Int32
  private var unread: [UInt8] = []

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var capacity: Int32 = 64 * 1024
    for option in [SO_RCVBUF, SO_SNDBUF] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &capacity, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw ClientError.failed(errno) }
  }

  deinit {
    leave()
  }

  /// Closes the connection from this side.
  func leave() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Sends text unchanged. Returns false if the server did not accept all of it.
  @discardableResult func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  func request(_ target: String, method: String = "GET", headers: [String] = []) {
    let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
    send(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// Sends a request and reads its response.
  func get(_ target: String, method: String = "GET", headers: [String] = []) throws -> Response {
    request(target, method: method, headers: headers)
    return try readResponse(isToHead: method == "HEAD")
  }

  /// Reads a response to the end that its head announces.
  func readResponse(isToHead: Bool = false) throws -> Response {
    var response = try readHead()
    if isToHead || response.status == 204 || response.status == 304 { return response }
    if response.headers["transfer-encoding"] == "chunked" {
      while true {
        let size = Int(try readLine(), radix: 16) ?? 0
        response.body += try read(size)
        _ = try readLine()
        if size == 0 { return response }
      }
    }
    if let length = response.headers["content-length"].flatMap({ Int($0) }) {
      response.body = try read(length)
    } else {
      response.body = try readToEnd()
    }
    return response
  }

  func readHead() throws -> Response {
    let statusLine = try readLine()
    guard statusLine.hasPrefix("HTTP/1.1 ") else { throw ClientError.notHTTP }
    var response = Response(status: Int(statusLine.split(separator: " ")[1]) ?? 0)
    while true {
      let line = try readLine()
      if line.isEmpty { return response }
      let name = line.prefix { $0 != ":" }
      response.headers[name.lowercased()] = String(line.dropFirst(name.count + 2))
    }
  }

  func read(_ count: Int) throws -> [UInt8] {
    while unread.count < count { try fill() }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }

  /// Returns all bytes up to the orderly end of the connection.
  func readToEnd() throws -> [UInt8] {
    do {
      while true { try fill() }
    } catch ClientError.ended {
      defer { unread = [] }
      return unread
    }
  }

  private func readLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: 10) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end + 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      try fill()
    }
  }

  private func fill() throws {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count == 0 { throw ClientError.ended }
    if count < 0 { throw ClientError.failed(errno) }
    unread += buffer[..<count]
  }
}

/// A response as received, with lowercase header names.
struct Response: Equatable {
  var status: Int
  var headers: [String: String] = [:]
  var body: [UInt8] = []
}

enum ClientError: Error, Equatable {
  /// The server closed the connection in an orderly way.
  case ended
  case failed(Int32)
  case notHTTP
}
