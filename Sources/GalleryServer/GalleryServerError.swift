/// The error of a gallery server or delaying proxy that could not start.
package enum GalleryServerError: Error, Sendable, Hashable {
  /// The image folder does not exist or is not a folder.
  case noSuchFolder(String)

  /// Listening on the port failed. `code` is the `errno` of the failed call, for example `EADDRINUSE` if another
  /// process uses the port.
  case cannotListen(port: UInt16, code: Int32)

  /// The system could not create the server's thread. `code` is the result of `pthread_create`.
  case noThread(code: Int32)
}
