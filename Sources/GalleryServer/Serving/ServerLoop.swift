import Glibc
import Synchronization
import VitrineConcurrency

/// A function that accepts a connection from a listening socket. Returns the descriptor, or -1 with `errno` set.
typealias Accept = @Sendable (_ listener: Int32) -> Int32

/// The loop of the server. Sleeps in `poll` until a socket or the wakeup pipe is ready or a deadline has passed, then
/// lets each connection continue.
final class ServerLoop {
  /// The time in nanoseconds for which no connection is accepted after the process ran out of file descriptors.
  private static let acceptPause: UInt64 = 100_000_000

  private let listener: Int32
  private let wakeup: WakeupPipe
  private let server: ServerState
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)
  private var connections: [Connection] = []
  private var polled: [pollfd] = []
  private var acceptsFrom: UInt64 = 0
  private let limit: ConnectionLimit
  private let acceptOne: Accept

  /// Creates a loop that serves connections on `listener`, which the loop closes at the end. A ring of `wakeup`
  /// makes the loop check the server's state.
  init(
    listener: Int32, wakeup: WakeupPipe, server: ServerState, limit: ConnectionLimit = .ofProcess,
    accept: @escaping Accept = { Glibc.accept($0, nil, nil) }
  ) {
    self.limit = limit
    acceptOne = accept
    self.listener = listener
    self.wakeup = wakeup
    self.server = server
  }

  deinit { buffer.deallocate() }

  /// Runs until the server stops, then closes every connection.
  func run() {
    while !server.isStopping.load(ordering: .acquiring) {
      sleep()
      let now = monotonicNow()
      for (connection, entry) in zip(connections, polled.dropFirst(2)) {
        connection.proceed(entry.revents, at: now)
      }
      if polled[0].revents != 0 { handleWakeUps(at: now) }
      if polled[1].revents != 0 { accept(at: now) }
      connections.removeAll(where: \.isClosed)
    }
    for connection in connections { connection.stop() }
    close(listener)
  }

  private func sleep() {
    let isFull = limit.admission(connections.lazy.map(\.idleSince)) == .wait
    var deadline = acceptsFrom == 0 ? UInt64.max : acceptsFrom
    polled.removeAll(keepingCapacity: true)
    polled.append(pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: acceptsFrom == 0 && !isFull ? listener : -1, events: Int16(POLLIN), revents: 0))
    for connection in connections {
      let interest = connection.interest
      polled.append(pollfd(fd: connection.descriptor, events: interest.events, revents: 0))
      deadline = min(deadline, interest.deadline ?? .max)
    }
    if poll(&polled, nfds_t(polled.count), pollTimeout(until: deadline == .max ? nil : deadline)) < 0 {
      for index in polled.indices { polled[index].revents = 0 }
    }
    if acceptsFrom != 0, monotonicNow() >= acceptsFrom { acceptsFrom = 0 }
  }

  private func handleWakeUps(at now: UInt64) {
    wakeup.silence()
    guard server.behaviour.withLock({ $0.isDown }) else { return }
    for connection in connections { connection.closeIfIdle(at: now) }
  }

  private func accept(at now: UInt64) {
    var hasAccepted = false
    while true {
      let admission = limit.admission(connections.lazy.map(\.idleSince))
      guard admission != .wait else { return }
      let descriptor = acceptOne(listener)
      guard descriptor >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        // After the last free descriptor has been used, `accept` fails even if no other connection is waiting. If one
        // is waiting, the next turn of the loop accepts it.
        if errno != EAGAIN, !hasAccepted { runOutOfDescriptors(at: now) }
        return
      }
      hasAccepted = true
      if case .acceptAfterClosing(let index) = admission { connections.remove(at: index).stop() }
      makeNonblocking(descriptor)
      setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: descriptor)
      let connection = Connection(
        descriptor, number: server.log.addConnection(), server: server, buffer: buffer, limit: limit, at: now)
      connections.append(connection)
      if server.behaviour.withLock({ $0.isDown }) {
        connection.closeIfIdle(at: now)
      } else {
        connection.proceed(Int16(POLLIN), at: now)
      }
    }
  }

  /// Handles a lack of file descriptors or memory: closes an idle connection if there is one, and pauses accepting,
  /// because the listening socket stays readable.
  private func runOutOfDescriptors(at now: UInt64) {
    let admission = ConnectionLimit(maximumCount: 0).admission(connections.lazy.map(\.idleSince))
    if case .acceptAfterClosing(let index) = admission { connections.remove(at: index).stop() }
    acceptsFrom = now + Self.acceptPause
  }
}
