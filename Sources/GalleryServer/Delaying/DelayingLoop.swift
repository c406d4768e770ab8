import Glibc
import Synchronization
import VitrineConcurrency

/// The loop of a delaying proxy. Sleeps in `poll` until a socket is ready or bytes are due.
final class DelayingLoop {
  /// The state that the proxy shares with the proxy's thread.
  final class Shared: Sendable {
    let isStopping = Atomic(false)
    let connections = Atomic(0)
  }

  private let listener: Int32
  private let wakeup: WakeupPipe
  private let target: UInt16
  private let delay: UInt64
  private let shared: Shared
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  private var connections: [DelayedConnection] = []
  private var polled: [pollfd] = []
  /// The time before which no connection is accepted, because the process ran out of file descriptors; 0 for no pause.
  private var acceptsFrom: UInt64 = 0
  private static let acceptPause: UInt64 = 100_000_000

  /// Creates a loop that forwards connections on `listener` to the port `target` with a delay in nanoseconds. The loop
  /// closes `listener` when it ends.
  init(listener: Int32, wakeup: WakeupPipe, target: UInt16, delay: UInt64, shared: Shared) {
    self.listener = listener
    self.wakeup = wakeup
    self.target = target
    self.delay = delay
    self.shared = shared
  }

  deinit { buffer.deallocate() }

  func run() {
    while !shared.isStopping.load(ordering: .acquiring) {
      sleep()
      let now = monotonicNow()
      for (index, connection) in connections.enumerated() {
        connection.proceed(polled[(2 + 2 * index)..<(4 + 2 * index)], at: now)
      }
      if polled[1].revents != 0 { accept(at: now) }
      connections.removeAll(where: \.isOver)
    }
    connections = []
    close(listener)
  }

  private func sleep() {
    polled.removeAll(keepingCapacity: true)
    polled.append(pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: acceptsFrom == 0 ? listener : -1, events: Int16(POLLIN), revents: 0))
    var due = connections.compactMap { $0.interest(&polled) }.min()
    if acceptsFrom != 0 { due = min(due ?? .max, acceptsFrom) }
    if poll(&polled, nfds_t(polled.count), pollTimeout(until: due)) < 0 {
      for index in polled.indices { polled[index].revents = 0 }
    }
    if acceptsFrom != 0, monotonicNow() >= acceptsFrom { acceptsFrom = 0 }
  }

  private func accept(at now: UInt64) {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        // Without file descriptors the listening socket stays readable, so the loop must pause.
        if errno != EAGAIN { acceptsFrom = now + Self.acceptPause }
        return
      }
      guard let server = connect(toPort: target) else {
        close(client)
        continue
      }
      for socket in [client, server] {
        makeNonblocking(socket)
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: socket)
      }
      shared.connections.add(1, ordering: .relaxed)
      connections.append(DelayedConnection(from: client, to: server, delay: delay, buffer: buffer))
    }
  }
}
