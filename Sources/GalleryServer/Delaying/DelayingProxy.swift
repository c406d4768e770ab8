import Synchronization

/// A way to a server on this machine that takes its time: whatever goes through comes out so much later, in either
/// direction, and as much of it as is sent.
///
///     let proxy = try DelayingProxy(to: server.port, delay: 0.025)  // 50 ms there and back
///     let picture = "http://127.0.0.1:\(proxy.port)/one.png"
///
/// It passes on bytes and knows nothing of what they mean, TLS among them. Opening a connection takes no time, unlike over a
/// network of that length; the first bytes over it do.
public final class DelayingProxy: Sendable {
  /// The port that is listened on, on 127.0.0.1.
  public let port: UInt16

  private let shared = DelayingLoop.Shared()
  private let thread: Mutex<LoopThread?>

  /// Listens on a free port and passes on to `target`, on 127.0.0.1 too, on a thread of its own.
  ///
  /// `delay` is in seconds, for each direction, and kept to a millisecond; 0 for none.
  public init(to target: UInt16, delay: Double) throws(GalleryServerError) {
    let listener = try listen(onPort: 0)
    let (shared, nanoseconds) = (shared, UInt64(max(0, min(delay, 3600)) * 1e9))
    let thread = try LoopThread(closing: listener.descriptor, port: listener.port) { wakeUps in
      DelayingLoop(
        listener: listener.descriptor, wakeUps: wakeUps, target: target, delay: nanoseconds, shared: shared
      ).run()
    }
    port = listener.port
    self.thread = Mutex(thread)
  }

  deinit { stop() }

  /// How many connections were passed on so far.
  public var connectionCount: Int { shared.connections.load(ordering: .relaxed) }

  /// Breaks every connection off and joins the thread. A second call does nothing.
  public func stop() {
    thread.withLock { thread in
      shared.isStopping.store(true, ordering: .releasing)
      thread?.join()
      thread = nil
    }
  }
}
