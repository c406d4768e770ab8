import CSDL
// Required for linking: the symbols are defined in libdispatch.
import Dispatch
import Glibc

/// The main dispatch queue, and therefore the main actor, run by the host's own loop or by a program without a host.
///
/// libdispatch signals an eventfd when there is work. Foundation's run loop uses the same interface.
package struct MainQueue {
  /// The eventfd, readable when there is work; `nil` if the current thread is not the process's first, as in most
  /// tests, where another thread runs the queue.
  let descriptor: Int32?

  package init() { descriptor = SDLHost.isFirstThread ? _dispatch_get_main_queue_handle_4CF() : nil }

  /// Runs the waiting work.
  func drain() {
    guard let descriptor else { return }
    // An eventfd that is not read stays readable, and the loop would spin.
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Runs the work of the queue for ever, for a program without a host. Must be called on the process's first thread.
  /// `dispatchMain()` is no substitute: it unblocks all signals of the thread, so that a signal for which another thread
  /// waits ends the process.
  package func run() -> Never {
    while true {
      var request = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
      poll(&request, 1, -1)
      drain()
    }
  }
}
