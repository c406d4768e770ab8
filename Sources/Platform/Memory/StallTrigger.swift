import Glibc

/// The kernel's report that processes wait for memory (PSI).
enum StallTrigger {
  /// The trigger: 200 ms of stall within 2 s, the shortest window that is open to users other than root.
  private static let threshold = "some 200000 2000000\0"

  /// Opens a descriptor that reports `POLLPRI` for each stall. Returns `nil` if the kernel does not offer the trigger,
  /// or not to this user.
  static func open(_ path: String) -> Int32? {
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    var threshold = Self.threshold
    let isArmed = threshold.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count }
    guard isArmed else {
      close(file)
      return nil
    }
    return file
  }
}
