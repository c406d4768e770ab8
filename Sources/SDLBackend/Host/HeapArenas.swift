import CSDL
import Glibc

/// The heap of the C library, set up for a program that shows images.
///
/// glibc makes an arena for each thread, up to eight a core. Bodies are received on one thread, decoded on another and freed on
/// a third, so each of the arenas ends up with room that is not used: of 200 JPEGs of 250 KB, 1.4 MB. Two are as fast.
///
/// The first large block that is freed raises, up to 32 MiB, the size from which blocks have pages of their own, and doubles it for
/// what an arena keeps when it shrinks: a few decodes of large images then leave up to 64 MiB in each. Both limits are fixed here.
package nonisolated enum HeapArenas {
  private static let count: Int32 = 2
  /// Bytes from which a block has pages of its own, which go when it is freed; more than most bodies have.
  private static let largestBlock: Int32 = 1 << 20
  /// Bytes that stay at the end of an arena.
  private static let spare: Int32 = 1 << 20

  /// Holds for threads that begin from now on and for blocks that are allocated from now on; `MALLOC_ARENA_MAX`,
  /// `MALLOC_MMAP_THRESHOLD_` and `MALLOC_TRIM_THRESHOLD_` in the environment go first.
  package static func limit() {
    if getenv("MALLOC_ARENA_MAX") == nil { mallopt(M_ARENA_MAX, count) }
    if getenv("MALLOC_MMAP_THRESHOLD_") == nil { mallopt(M_MMAP_THRESHOLD, largestBlock) }
    if getenv("MALLOC_TRIM_THRESHOLD_") == nil { mallopt(M_TRIM_THRESHOLD, spare) }
  }
}
