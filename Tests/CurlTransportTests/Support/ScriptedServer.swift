import Glibc
import Synchronization
import VitrineConcurrency

/// A loopback server that sends the exact bytes of a test, for responses that no conforming server sends.
final class ScriptedServer: Sendable {
  /// An action on a connection.
  enum Step: Sendable {
    case send([UInt8])
    /// Call a function, which may block.
    case call(@Sendable () -> Void)
    /// Wait until the other side closes.
    case hold
    case close
    /// Close with RST.
    case reset
  }

  /// A received request.
  struct Request: Sendable {
    /// The number of the connection, counted from 0 in the order of acceptance.
    let connection: Int
    /// The number of the request on its connection, counted from 0.
    let number: Int
    let head: String

    var target: String { String(head.split(separator: " ").dropFirst().first ?? "") }

    /// The lines after the request line, with field names in lower case.
    var fields: [String] {
      head.split(separator: "\r\n").dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts.first ?? "").lowercased() + ":" + (parts.dropFirst().first ?? "")
      }
    }
  }

  private struct State {
    var requests: [Request] = []
    var open: Set<Int32> = []
    var connections = 0
    var isStopped = false
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let closed = Signal()
  private let greeting: String
  private let script: @Sendable (Request) -> [Step]

  struct CannotListen: Error {}

  /// Starts the server, which sends `greeting` on each connection before it reads a request.
  init(
    port: UInt16 = 0, greeting: String = "", script: @escaping @Sendable (Request) -> [Step]
  ) throws {
    guard let bound = Loopback.bind(port: port), listen(bound.socket, 128) == 0 else { throw CannotListen() }
    (listener, self.port) = bound
    self.greeting = greeting
    self.script = script
    BlockingThread.start { self.acceptAll() }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var connectionCount: Int { state.withLock { $0.connections } }

  /// Closes the listener and all connections. Call this at the end of a test: the threads keep the server alive.
  func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      shutdown(listener, Int32(SHUT_RDWR))
      for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  /// Waits until the listener is closed, so that its port can be used again.
  func hasClosed() async { await closed.wait() }

  private func acceptAll() {
    while true {
      let socket = accept(listener, nil, nil)
      guard socket >= 0 else { break }
      let number = state.withLock { state -> Int? in
        guard !state.isStopped else { return nil }
        defer { state.connections += 1 }
        state.open.insert(socket)
        return state.connections
      }
      guard let number else {
        close(socket)
        break
      }
      BlockingThread.start { self.serve(socket, number) }
    }
    close(listener)
    closed.fire()
  }

  private func serve(_ socket: Int32, _ connection: Int) {
    defer {
      _ = state.withLock { $0.open.remove(socket) }
      close(socket)
    }
    guard send(Array(greeting.utf8), to: socket) else { return }
    for number in 0... {
      guard let head = readHead(socket) else { return }
      let request = Request(connection: connection, number: number, head: head)
      state.withLock { $0.requests.append(request) }
      for step in script(request) {
        switch step {
        case .send(let bytes):
          guard send(bytes, to: socket) else { return }
        case .call(let function): function()
        case .hold:
          var byte: UInt8 = 0
          while recv(socket, &byte, 1, 0) > 0 {}
          return
        case .close: return
        case .reset:
          var now = linger(l_onoff: 1, l_linger: 0)
          setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
          return
        }
      }
    }
  }

  private func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let sent = remaining.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      remaining = remaining.dropFirst(sent)
    }
    return true
  }

  private func readHead(_ socket: Int32) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard recv(socket, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ScriptedServer.Step {
  static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

  /// A complete response with this text as its body.
  static func response(_ body: String, status: String = "200 OK", fields: [String] = []) -> Self {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
    return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }
}
