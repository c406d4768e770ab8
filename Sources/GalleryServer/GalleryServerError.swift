/// Why a gallery server could not start.
public enum GalleryServerError: Error, Sendable, Hashable {
  /// The pictures folder does not exist or is no folder.
  case noSuchFolder(String)

  /// The port could not be listened on; `code` is the `errno` of the call that refused, `EADDRINUSE`
  /// when somebody else has the port.
  case cannotListen(port: UInt16, code: Int32)

  /// The system gave no thread to serve on; `code` is what `pthread_create` returned.
  case noThread(code: Int32)
}
