import Glibc

/// A copy of bytes in pages of its own, which are returned to the system with the last reference. Used if
/// `SocketBuffer(copying:)` returns nil.
///
/// All pages are requested by one call (`MAP_POPULATE`). That takes less processor time than the page faults of a
/// buffer that grows while a body arrives, one for each page.
final class HeldPages: Sendable {
  private let address: UInt
  private let count: Int

  /// Copies `bytes`; nil if there are none, or if the system maps no more pages.
  init?(copying bytes: [UInt8]) {
    count = bytes.count
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
    guard count > 0, let pages = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), pages != MAP_FAILED
    else { return nil }
    bytes.withUnsafeBytes { pages.copyMemory(from: $0.baseAddress!, byteCount: bytes.count) }
    address = UInt(bitPattern: pages)
  }

  deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

  /// A copy of the bytes.
  var bytes: [UInt8] {
    // The pages are unmapped with the last reference, which may be this call's.
    withExtendedLifetime(self) {
      [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }
  }
}
