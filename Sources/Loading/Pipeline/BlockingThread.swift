import Dispatch
import Glibc

/// A thread for work that blocks.
package enum BlockingThread {
  /// Runs `body` on a new thread, which ends when `body` returns. Runs `body` on a global Dispatch queue if the system
  /// refuses to create a thread.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let box = Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
        box.body()
        return nil
      }, box.toOpaque())
    if error == 0 {
      pthread_detach(thread)
    } else {
      DispatchQueue.global().async(execute: box.takeRetainedValue().body)
    }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
