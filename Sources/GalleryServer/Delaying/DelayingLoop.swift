import Glibc
import Synchronization

/// The thread of a delaying proxy: sleeps in `poll` until a socket has something or bytes are due.
final class DelayingLoop {
  /// What the proxy and its thread share.
  final class Shared: Sendable {
    let isStopping = Atomic(false)
    let connections = Atomic(0)
  }

  private let listener: Int32
  private let wakeUps: Int32
  private let target: UInt16
  private let delay: UInt64
  private let shared: Shared
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  private var connections: [DelayedConnection] = []
  private var polled: [pollfd] = []

  /// Passes on to `target`, `delay` nanoseconds later, what comes on `listener`, which it closes at the end.
  init(listener: Int32, wakeUps: Int32, target: UInt16, delay: UInt64, shared: Shared) {
    self.listener = listener
    self.wakeUps = wakeUps
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
      if polled[1].revents != 0 { accept() }
      connections.removeAll(where: \.isOver)
    }
    connections = []
    close(listener)
  }

  private func sleep() {
    polled.removeAll(keepingCapacity: true)
    polled.append(pollfd(fd: wakeUps, events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
    let due = connections.compactMap { $0.interest(&polled) }.min()
    if poll(&polled, nfds_t(polled.count), pollTimeout(until: due)) < 0 {
      for index in polled.indices { polled[index].revents = 0 }
    }
  }

  private func accept() {
    while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
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
