package import Foundation
import Glibc

/// A terminal without a screen, which a program writes to.
package final class PseudoTerminal {
  /// The end that a program has open.
  package let end: FileHandle
  private let master: FileHandle

  package init() throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw POSIXError(.ENOTTY) }
    self.master = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    var (number, isLocked) = (Int32(0), Int32(0))
    // TIOCGPTN and TIOCSPTLCK of Linux, which Glibc hides.
    guard ioctl(master, 0x8004_5430, &number) == 0, ioctl(master, 0x4004_5431, &isLocked) == 0 else {
      throw POSIXError(.ENOTTY)
    }
    let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard end >= 0 else { throw POSIXError(.ENOTTY) }
    self.end = FileHandle(fileDescriptor: end, closeOnDealloc: true)
  }

  /// Closes the end of the program, and returns what was written there: at most 4 KiB, which a terminal holds.
  package func text() -> String {
    try? end.close()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A terminal without another end fails with EIO.
    while case let count = read(master.fileDescriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
