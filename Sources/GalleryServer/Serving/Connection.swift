import Glibc
import Synchronization

/// A connection: reads requests, sends responses, and reports the events that it waits for.
///
/// Used on the server's thread only. While a response is being sent, no input is read, so that TCP's flow control slows
/// down a client that keeps sending.
final class Connection {
  /// The number of bytes that a connection may send before other connections get a turn.
  private static let bytesPerTurn = 1 << 20

  /// The time in nanoseconds for which a closed connection waits for the client's end. Closing earlier, with unread
  /// bytes, would reset the connection and could destroy the response (RFC 9112, section 9.6).
  private static let lingerTime: UInt64 = 1_000_000_000

  /// The event for a client that has closed the sending half of the connection: Linux's `POLLRDHUP`, which Glibc
  /// declares only with `_GNU_SOURCE`.
  private static let peerClosed: Int16 = 0x2000

  let descriptor: Int32
  private let number: Int
  private let server: ServerState
  private let buffer: UnsafeMutableRawBufferPointer
  private var parser = RequestParser()
  private var phase: Phase
  private let limit: ConnectionLimit

  private enum Phase {
    /// Waiting for a request since this time.
    case reading(since: UInt64)
    case responding(Response)
    case lingering(until: UInt64)
    case closed
  }

  private struct Response {
    var cursor: ResponseCursor
    var record: Record
    var recordNumber: Int
    /// The time at which the response began or last sent bytes.
    var lastProgress: UInt64
    var waitCondition = WaitCondition.untilWritable

    enum WaitCondition {
      case untilWritable
      case until(UInt64)
      case untilPeerCloses
    }
  }

  /// Creates a connection that owns the descriptor. `buffer` is scratch memory for system calls, shared by all
  /// connections.
  init(
    _ descriptor: Int32, number: Int, server: ServerState, buffer: UnsafeMutableRawBufferPointer,
    limit: ConnectionLimit, at now: UInt64
  ) {
    self.descriptor = descriptor
    self.limit = limit
    phase = .reading(since: now)
    self.number = number
    self.server = server
    self.buffer = buffer
  }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// The time since which the connection waits for a request; `nil` in any other phase.
  var idleSince: UInt64? {
    if case .reading(let since) = phase { since } else { nil }
  }

  /// The poll events to wait for, and the time on the monotonic clock at which to continue without an event.
  var interest: (events: Int16, deadline: UInt64?) {
    switch phase {
    case .reading: (Int16(POLLIN), nil)
    case .lingering(let deadline): (Int16(POLLIN), deadline)
    case .closed: (0, nil)
    case .responding(let response):
      switch response.waitCondition {
      case .untilWritable: (Int16(POLLOUT) | Self.peerClosed, response.lastProgress + limit.stallTime)
      case .until(let deadline): (Self.peerClosed, deadline)
      case .untilPeerCloses: (Self.peerClosed, response.lastProgress + limit.stallTime)
      }
    }
  }

  /// Continues as far as possible without blocking.
  func proceed(_ events: Int16, at now: UInt64) {
    switch phase {
    case .reading: if events != 0 { read(at: now) }
    case .responding(let response):
      if events & (Self.peerClosed | Int16(POLLERR | POLLHUP)) != 0 {
        end(response, .abandoned)
      } else if events == 0, isStalled(response, at: now) {
        end(response, .stopped)
      } else {
        run(response, at: now)
      }
    case .lingering(let deadline):
      if now >= deadline || (events != 0 && !discardInput()) { close() }
    case .closed: break
    }
  }

  private func isStalled(_ response: Response, at now: UInt64) -> Bool {
    if case .until = response.waitCondition { return false }
    return now >= response.lastProgress + limit.stallTime
  }

  /// Closes a connection that waits for a request, because the server simulates an outage.
  func closeIfIdle(at now: UInt64) { if case .reading = phase { closeInOrder(at: now) } }

  /// Closes the connection at once, because the server stops or needs the descriptor for another connection.
  func stop() {
    if case .responding(let response) = phase { end(response, .stopped) } else { close() }
  }

  private func read(at now: UInt64) {
    let isOpen = receive { parser.feed($0) }
    guard isOpen else { return close() }
    if let response = nextResponse(at: now) { run(response, at: now) }
  }

  /// Sends a response, then the responses to requests that have arrived meanwhile.
  private func run(_ response: Response, at now: UInt64) {
    var next: Response? = response
    var byteAllowance = Self.bytesPerTurn
    while let response = next {
      perform(response, at: now, &byteAllowance)
      guard case .reading = phase else { return }
      next = nextResponse(at: now)
    }
  }

  /// Returns the response to the next request, after adding the request to the log; `nil` if no complete request has
  /// arrived.
  private func nextResponse(at now: UInt64) -> Response? {
    let behaviour = server.behaviour.withLock { $0 }
    guard !behaviour.isDown else {
      closeInOrder(at: now)
      return nil
    }
    let date = httpDate(secondsSince1970: time(nil))
    let plan: ResponsePlan
    let record: Record
    do throws(Refusal) {
      guard let request = try parser.next() else { return nil }
      plan = self.plan(to: request, behaviour, date)
      record = Record(
        method: request.method, target: request.target.text, headers: request.headers,
        connection: number, status: plan.status)
    } catch {
      plan = ResponsePlan(to: error, date: date)
      record = Record(method: "", target: "", headers: [:], connection: number, status: plan.status)
    }
    return Response(
      cursor: ResponseCursor(plan), record: record, recordNumber: server.log.add(record), lastProgress: now)
  }

  private func plan(to request: Request, _ behaviour: Behaviour, _ date: String) -> ResponsePlan {
    let isRead = ["GET", "HEAD"].contains(request.method) && !request.hasBody
    if isRead, !Misbehaviour(request.target).replacesResource,
      let live = server.catalog.liveExhibit(at: request.target)
    {
      return ResponsePlan(to: request, for: live, behaviour: behaviour, date: date)
    }
    let exhibit = server.catalog.exhibit(at: request.target)
    return ResponsePlan(to: request, for: exhibit, behaviour: behaviour, date: date)
  }

  /// Performs the steps of a response until the response must wait or is complete. Sets the phase accordingly.
  private func perform(_ response: Response, at now: UInt64, _ byteAllowance: inout Int) {
    var response = response
    while true {
      switch response.cursor.next(at: now) {
      case .send(let piece):
        guard byteAllowance > 0 else { return wait(response, .untilWritable) }
        let sent = send(piece, of: &response)
        if sent == -Int(EAGAIN) { return wait(response, .untilWritable) }
        guard sent >= 0 else { return end(response, .abandoned) }
        byteAllowance -= sent
        response.lastProgress = now
      case .sleep(let deadline): return wait(response, .until(deadline))
      case .stall: return wait(response, .untilPeerCloses)
      case .reset:
        resetOnClose()
        return close()
      case .close: return closeInOrder(at: now)
      case .finish:
        phase = .reading(since: now)
        return
      }
    }
  }

  private func wait(_ response: Response, _ waitCondition: Response.WaitCondition) {
    var response = response
    response.waitCondition = waitCondition
    phase = .responding(response)
  }

  /// Sends as much of a piece as the socket accepts. Returns the number of bytes sent, or `errno` as a negative number.
  private func send(_ piece: ResponseCursor.Piece, of response: inout Response) -> Int {
    switch piece.source {
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { bytes in
        send(UnsafeRawBufferPointer(rebasing: bytes[piece.range]), isComplete: true, piece, of: &response)
      }
    case .file(let file):
      let count = file.read(piece.range, into: buffer)
      guard count > 0 else { return -Int(EIO) }
      return send(
        UnsafeRawBufferPointer(rebasing: buffer[..<count]), isComplete: count == piece.range.count,
        piece, of: &response)
    }
  }

  private func send(
    _ bytes: UnsafeRawBufferPointer, isComplete: Bool, _ piece: ResponseCursor.Piece,
    of response: inout Response
  ) -> Int {
    let flags = Int32(MSG_NOSIGNAL) | (piece.isFollowed && isComplete ? Int32(MSG_MORE) : 0)
    var cursor = response.cursor
    defer { response.cursor = cursor }
    return server.log.update(response.recordNumber, &response.record) { record in
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
      guard count >= 0 else { return -Int(errno) }
      cursor.sent(count)
      if piece.isBody { record.bodyBytesSent += count }
      if cursor.hasSentEverything { record.outcome = .finished }
      return count
    }
  }

  private func end(_ response: Response, _ outcome: Record.Outcome) {
    var record = response.record
    close()
    if record.outcome == .running {
      server.log.update(response.recordNumber, &record) { $0.outcome = outcome }
    }
  }

  /// Passes bytes that the socket has received to `consume`. Returns false if the client has disconnected.
  private func receive(_ consume: (UnsafeRawBufferPointer) -> Void) -> Bool {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { consume(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  private func discardInput() -> Bool { receive { _ in } }

  private func closeInOrder(at now: UInt64) {
    shutdown(descriptor, Int32(SHUT_WR))
    phase = .lingering(until: now + Self.lingerTime)
  }

  private func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  private func close() {
    guard !isClosed else { return }
    Glibc.close(descriptor)
    phase = .closed
  }
}
