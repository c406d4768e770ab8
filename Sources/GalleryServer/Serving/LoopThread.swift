import Glibc

/// The thread of a server, with the pipe that wakes the loop.
struct LoopThread {
  /// A loop that runs until the shared state says to stop. A readable byte on `wakeUps` means that the shared state has
  /// changed.
  typealias Body = @Sendable (_ wakeUps: Int32) -> Void

  private let thread: pthread_t
  private let wakeUps: (readEnd: Int32, writeEnd: Int32)

  /// Starts a thread that runs `body`, which then owns `listener`. If the thread cannot be started, closes `listener`
  /// and throws `.cannotListen` or `.noThread`.
  init(closing listener: Int32, port: UInt16, _ body: @escaping Body) throws(GalleryServerError) {
    guard let wakeUps = makePipe() else {
      let code = errno
      close(listener)
      throw .cannotListen(port: port, code: code)
    }
    let work = Unmanaged.passRetained(Work { body(wakeUps.readEnd) })
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, perform, work.toOpaque())
    guard code == 0 else {
      work.release()
      for descriptor in [listener, wakeUps.readEnd, wakeUps.writeEnd] { close(descriptor) }
      throw .noThread(code: code)
    }
    self.thread = thread
    self.wakeUps = wakeUps
  }

  /// Makes the loop check the shared state. A full pipe is no error: the loop has a wake-up pending.
  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeUps.writeEnd, &byte, 1)
  }

  /// Waits for the loop to end and closes the pipe. The caller must first set the shared state that ends the loop.
  func join() {
    wake()
    pthread_join(thread, nil)
    close(wakeUps.readEnd)
    close(wakeUps.writeEnd)
  }
}

/// The argument of a new thread.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs the thread's work with all signals blocked. The program's own threads handle signals; here they would only
/// interrupt `poll`.
private func perform(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
  return nil
}
