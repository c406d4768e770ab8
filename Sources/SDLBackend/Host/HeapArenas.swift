import CSDL
import Glibc

/// The parts of the heap that threads do not have to wait for each other in.
///
/// glibc makes one for each thread, up to eight a core. Pictures are received on one thread, decoded on another and freed on
/// a third, so each of these parts ends up with room that nobody uses: of 200 JPEGs of 250 KB, 1.4 MB. Two are as fast.
package nonisolated enum HeapArenas {
  private static let count: Int32 = 2

  /// Holds for threads that begin from now on; `MALLOC_ARENA_MAX` in the environment goes first.
  package static func limit() {
    guard getenv("MALLOC_ARENA_MAX") == nil else { return }
    mallopt(M_ARENA_MAX, count)
  }
}
