import CSDL
import Glibc

/// Settings for the C library's heap that suit a program that shows images.
///
/// glibc creates an arena for each thread, up to eight per core. Bodies are received on one thread, decoded on another
/// and freed on a third, so each arena ends up with unused memory: 1.4 MB for 200 JPEGs of 250 KB. Two arenas are as
/// fast.
///
/// When a large block is freed, glibc raises the size from which blocks have pages of their own, up to 32 MiB, and
/// keeps twice that size in each arena. A few decodes of large images would leave up to 64 MiB in each arena. Both
/// limits are fixed here.
package nonisolated enum HeapArenas {
  private static let count: Int32 = 2
  /// The size in bytes from which a block has pages of its own, which are returned to the system when it is freed. Most
  /// bodies are smaller.
  private static let mmapThreshold: Int32 = 1 << 20
  /// The number of free bytes that stay at the end of an arena.
  private static let trimThreshold: Int32 = 1 << 20

  /// Sets the limits for threads that begin later and blocks that are allocated later. The environment variables
  /// `MALLOC_ARENA_MAX`, `MALLOC_MMAP_THRESHOLD_` and `MALLOC_TRIM_THRESHOLD_` take precedence.
  package static func limit() {
    if getenv("MALLOC_ARENA_MAX") == nil { mallopt(M_ARENA_MAX, count) }
    if getenv("MALLOC_MMAP_THRESHOLD_") == nil { mallopt(M_MMAP_THRESHOLD, mmapThreshold) }
    if getenv("MALLOC_TRIM_THRESHOLD_") == nil { mallopt(M_TRIM_THRESHOLD, trimThreshold) }
  }
}
