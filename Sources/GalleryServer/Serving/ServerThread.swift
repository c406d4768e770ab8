import Glibc

/// The thread of a server and the pipe that wakes it.
struct ServerThread {
  private let thread: pthread_t
  private let wakeUps: (readEnd: Int32, writeEnd: Int32)

  /// Starts a loop that serves `listener`, which belongs to it from then on.
  init(listener: Int32, port: UInt16, server: ServerState) throws(GalleryServerError) {
    guard let wakeUps = makePipe() else {
      let code = errno
      close(listener)
      throw .cannotListen(port: port, code: code)
    }
    let loop = Unmanaged.passRetained(
      ServerLoop(listener: listener, wakeUps: wakeUps.readEnd, server: server))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, serve, loop.toOpaque())
    guard code == 0 else {
      loop.release()
      for descriptor in [listener, wakeUps.readEnd, wakeUps.writeEnd] { close(descriptor) }
      throw .noThread(code: code)
    }
    self.thread = thread
    self.wakeUps = wakeUps
  }

  /// Makes the loop look at the server's state. A full pipe has woken it already.
  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeUps.writeEnd, &byte, 1)
  }

  /// Waits for the loop's end, which the server's state must ask for, and closes the pipe.
  func join() {
    wake()
    pthread_join(thread, nil)
    close(wakeUps.readEnd)
    close(wakeUps.writeEnd)
  }
}

/// Signals are for the program's own threads: here they would only interrupt `poll`.
private func serve(_ loop: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  if let loop { Unmanaged<ServerLoop>.fromOpaque(loop).takeRetainedValue().run() }
  return nil
}
