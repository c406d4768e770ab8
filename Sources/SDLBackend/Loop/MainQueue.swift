import CSDL
// Linking fails without it: the symbols are libdispatch's.
import Dispatch
import Glibc

/// The main dispatch queue, and with it the main actor, served by a loop of our own.
///
/// libdispatch signals an eventfd when there is work; its run loop interface is what Foundation's run loop uses.
struct MainQueue {
  /// Readable when there is work; nil where somebody else serves the queue, as in a test that does not run on
  /// the process's first thread.
  let descriptor: Int32?

  init() {
    descriptor = SDLHost.isFirstThread ? _dispatch_get_main_queue_handle_4CF() : nil
  }

  /// Runs what is waiting.
  func drain() {
    guard let descriptor else { return }
    // Read first: unread, the eventfd stays readable and the loop spins.
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    _dispatch_main_queue_callback_4CF(nil)
  }
}
