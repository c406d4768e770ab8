import Glibc
import Testing

@testable import VitrineDiskCache

/// The counters of a cache.
@Suite struct CacheStateTests {
  private let name = ContentHash(high: 0, low: 1)
  private let fault = DiskImageCache.Fault.refused(path: "/a", code: EROFS)

  @Test func eachEventIncrementsItsCounter() {
    var state = CacheState(limits: .init())

    state.lookedUp(isHit: true)
    state.lookedUp(isHit: true)
    state.lookedUp(isHit: false)
    for _ in 0..<3 { state.refused() }
    for _ in 0..<4 { state.stored(name, length: 100, replacing: nil, at: 0) }
    for _ in 0..<5 { state.removed(name, bytes: nil, because: .damaged) }
    for _ in 0..<6 { state.removed(name, bytes: nil, because: .expired) }
    state.removed(name, bytes: nil, because: .requested)
    state.scanned(.init(), evictions: 7, since: state.usage)

    let statistics = state.statistics
    #expect(statistics.hits == 2 && statistics.misses == 1 && statistics.refusals == 3)
    #expect(statistics.stores == 4 && statistics.damaged == 5 && statistics.evictions == 13)
    #expect(statistics.failures == 0)
  }

  @Test func everyFaultAndIncompleteScanCountsAsAFailure() {
    var state = CacheState(limits: .init())
    var incomplete = FolderSweep.Contents()
    incomplete.isComplete = false

    let areNew = [
      state.writeFailed(fault, at: 0), state.writeFailed(fault, at: 0), state.readFailed(fault),
      state.readFailed(.refused(path: "/a", code: EINTR)),
    ]
    state.scanned(incomplete, since: state.usage)

    #expect(areNew == [true, false, false, false])
    #expect(state.statistics.failures == 5)
    #expect(state.pause.fault == fault)
    #expect(state.needsTrim(at: 0))
  }

  @Test func storedResponseEndsAFault() {
    var state = CacheState(limits: .init())
    _ = state.writeFailed(fault, at: 0)

    state.stored(name, length: 100, replacing: nil, at: 0)

    #expect(state.pause.fault == nil && !state.pause.isPaused(at: 0))
  }

  @Test func statisticsIncludeTheKnownContents() {
    var state = CacheState(limits: .init())
    state.scanned(.init(), since: state.usage)

    state.stored(name, length: 5000, replacing: nil, at: 0)

    #expect(state.statistics.entries == 1 && state.statistics.bytes == 8192)
    #expect(!state.needsTrim(at: 0))
    state.limits.count = 0
    #expect(state.needsTrim(at: 0))
  }
}
