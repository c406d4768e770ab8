import Glibc
import VitrineConcurrency

/// The thread of a server, with the pipe that wakes the loop.
struct LoopThread {
  private let thread: BlockingThread
  private let wakeup: WakeupPipe

  /// Starts a thread that runs `body`, which then owns `listener`. If the thread cannot be started, closes `listener`
  /// and throws `.cannotListen` or `.noThread`.
  ///
  /// - Parameter body: A loop that runs until the shared state says to stop. A ring of the pipe means that the shared
  ///   state has changed.
  init(
    closing listener: Int32, port: UInt16, _ body: @escaping @Sendable (WakeupPipe) -> Void
  ) throws(GalleryServerError) {
    guard let wakeup = WakeupPipe() else {
      let code = errno
      close(listener)
      throw .cannotListen(port: port, code: code)
    }
    do throws(BlockingThread.StartError) {
      thread = try BlockingThread { body(wakeup) }
    } catch {
      close(listener)
      throw .noThread(code: error.code)
    }
    self.wakeup = wakeup
  }

  /// Makes the loop check the shared state.
  func wake() { wakeup.ring() }

  /// Waits for the loop to end. The caller must first set the shared state that ends the loop.
  func join() {
    wake()
    thread.join()
  }
}
