import Glibc

/// The pages of the system's memory.
package enum SystemPages {
  /// The size of a page in bytes; 4096 at least.
  package static let size = max(4096, Int(sysconf(Int32(_SC_PAGESIZE))))

  /// Takes the pages of memory that is about to be written from the system at once, because a fault for each page takes
  /// longer. Kernels before 5.14 refuse.
  ///
  /// - Parameter start: The beginning of a page.
  package static func take(from start: UnsafeMutableRawPointer, byteCount: Int) {
    madvise(start, byteCount, MADV_POPULATE_WRITE)
  }
}
