import Synchronization

/// A TCP proxy that delays all bytes to a server on this machine by a fixed time in each direction, without limiting
/// the throughput.
///
///     let proxy = try DelayingProxy(to: server.port, delay: 0.025)  // 50 ms there and back
///     let picture = "http://127.0.0.1:\(proxy.port)/one.png"
///
/// Forwards bytes without interpreting them, so that TLS works as well. Unlike on a real network with this latency,
/// opening a connection is not delayed; the first bytes on the connection are.
package final class DelayingProxy: Sendable {
  /// The port on 127.0.0.1 on which the proxy listens.
  package let port: UInt16

  private let shared = DelayingLoop.Shared()
  private let thread: Mutex<LoopThread?>

  /// Listens on a free port and forwards to the port `target` on 127.0.0.1, on a new thread.
  ///
  /// - Parameter delay: The delay in each direction in seconds, with a precision of a millisecond; clamped to 0...3600.
  package init(to target: UInt16, delay: Double) throws(GalleryServerError) {
    let listener = try listen(onPort: 0)
    let (shared, nanoseconds) = (shared, UInt64(max(0, min(delay, 3600)) * 1e9))
    let thread = try LoopThread(closing: listener.descriptor, port: listener.port) { wakeup in
      DelayingLoop(
        listener: listener.descriptor, wakeup: wakeup, target: target, delay: nanoseconds, shared: shared
      ).run()
    }
    port = listener.port
    self.thread = Mutex(thread)
  }

  deinit { stop() }

  /// The number of connections that were forwarded so far.
  package var connectionCount: Int { shared.connections.load(ordering: .relaxed) }

  /// Closes every connection and waits for the thread to end. A second call does nothing.
  package func stop() {
    thread.withLock { thread in
      shared.isStopping.store(true, ordering: .releasing)
      thread?.join()
      thread = nil
    }
  }
}
