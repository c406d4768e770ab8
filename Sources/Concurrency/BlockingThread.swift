import Dispatch
import Glibc

/// A thread for work that blocks. Swift's cooperative pool has one thread per core and must not run such work.
package struct BlockingThread: Equatable, Sendable {
  /// The system's refusal to create a thread. `code` is the result of `pthread_create`.
  package struct StartError: Error { package let code: Int32 }

  private let thread: pthread_t

  /// Starts a thread that runs `body`, with signals blocked: threads of the application handle them. The caller calls
  /// `join()` once, or passes the thread to `EndingThreads`.
  package init(_ body: sending @escaping () -> Void) throws(StartError) {
    thread = try Self.create {
      Self.blockSignals()
      body()
    }
  }

  private init(_ thread: pthread_t) { self.thread = thread }

  /// The calling thread.
  package static var current: BlockingThread { BlockingThread(pthread_self()) }

  package static func == (one: Self, other: Self) -> Bool { pthread_equal(one.thread, other.thread) != 0 }

  /// Runs `body` on a new thread, which ends when `body` returns. Runs `body` on a global Dispatch queue if the system
  /// refuses to create a thread.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    do throws(StartError) {
      pthread_detach(try create(body))
    } catch {
      DispatchQueue.global().async(execute: body)
    }
  }

  /// True on the thread itself.
  package var isCurrent: Bool { self == .current }

  /// Waits for the end of the thread.
  package func join() { pthread_join(thread, nil) }

  private static func create(_ body: sending @escaping () -> Void) throws(StartError) -> pthread_t {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw StartError(code: code)
    }
    return thread
  }

  /// Blocks all signals but those of faults. SIGPIPE above all: libcurl does not ignore it for such a thread, and a
  /// closed connection must not end the process.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_SETMASK, &signals, nil)
  }

  /// The argument of a new thread.
  private final class Box {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
