import Glibc

/// The thread of a server and the pipe that wakes it.
struct LoopThread {
  /// Runs until it is to end. A byte on the descriptor that it is given means to look at the shared state.
  typealias Body = @Sendable (_ wakeUps: Int32) -> Void

  private let thread: pthread_t
  private let wakeUps: (readEnd: Int32, writeEnd: Int32)

  /// Starts a thread that runs `body`, which owns `listener` from then on; closes it if there is no thread.
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

  /// Makes the loop look at the shared state. A full pipe has woken it already.
  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeUps.writeEnd, &byte, 1)
  }

  /// Waits for the loop's end, which the shared state must ask for, and closes the pipe.
  func join() {
    wake()
    pthread_join(thread, nil)
    close(wakeUps.readEnd)
    close(wakeUps.writeEnd)
  }
}

/// What a new thread is handed.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Signals are for the program's own threads: here they would only interrupt `poll`.
private func perform(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
  return nil
}
