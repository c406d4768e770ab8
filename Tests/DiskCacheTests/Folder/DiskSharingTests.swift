import Foundation
import Glibc
import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Several caches on one folder, as in several processes, and one cache used by several threads.
@Suite(.timeLimit(.minutes(5))) struct DiskSharingTests {
  let fixture = DiskFixture()

  @Test func responseStoredByOneCacheIsFoundByAnother() {
    let (one, other) = (fixture.cache(), fixture.cache())
    #expect(other.response(for: identity(1)) == nil)
    one.store(storedResponse(seed: 1), for: identity(1))
    #expect(other.response(for: identity(1)) == storedResponse(seed: 1))
    other.store(storedResponse(seed: 2), for: identity(1))
    #expect(one.response(for: identity(1)) == storedResponse(seed: 2))
    one.removeAllResponses()
    #expect(other.response(for: identity(1)) == nil)
  }

  @Test func responseIsStoredThoughAnotherProcessRemovesTheFolderSeveralTimes() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    system.fail(.rename, numbers: 1...5, with: .error(ENOENT))

    #expect(cache.store(storedResponse(), for: identity(1)))

    #expect(system.hasFailed && cache.fault == nil)
    #expect(cache.response(for: identity(1)) == storedResponse() && fixture.everything.count == 1)
  }

  @Test func folderThatIsRemovedAtEachAttemptDoesNotPauseWriting() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    system.fail(.rename, numbers: 1...8, with: .error(ENOENT))

    #expect(!cache.store(storedResponse(), for: identity(1)))

    #expect(system.hasFailed && cache.fault == nil)
    #expect(cache.store(storedResponse(), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse())
  }

  @Test func trimEvictsResponsesOfOtherCaches() {
    let one = fixture.cache()
    for number in 0..<10 { one.store(storedResponse(), for: identity(number)) }
    let other = fixture.cache { $0.count = 5 }
    other.store(storedResponse(), for: identity(10))
    #expect(fixture.files.count == 4)
    #expect(one.measured().entries == 4)
  }

  @Test func trimIsSkippedWhileAnotherProcessTrims() throws {
    let cache = fixture.cache()
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    cache.limits.count = 1
    let lock = open(fixture.root, O_RDONLY | O_DIRECTORY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    cache.trim()
    #expect(fixture.files.count == 5)
    #expect(flock(lock, LOCK_UN) == 0)
    cache.trim()
    #expect(fixture.files.count == 1)
  }

  @Test func lockOfAStoppedProcessDelaysTrimmingForALimitedTime() throws {
    let cache = fixture.cache()
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    cache.limits.count = 1
    let lock = open(fixture.root, O_RDONLY | O_DIRECTORY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)

    for _ in 0..<4 {
      cache.trim()
      fixture.clock.advance(by: TrimSchedule.lockTimeout / 4)
      #expect(fixture.files.count == 5)
    }
    cache.trim()

    #expect(fixture.files.count == 1)
    // From now on each store trims, although the lock is still held.
    cache.store(storedResponse(), for: identity(6))
    cache.store(storedResponse(), for: identity(7))
    #expect(fixture.files.count == 1)
  }

  private final class Counts: Sendable {
    let wrong = Atomic(0)
    let found = Atomic(0)
  }

  /// Four tasks write and read, two trim, and one removes responses; each response that is found is complete.
  @Test(arguments: [false, true]) func concurrentUseServesNoWrongResponse(sharesOneCache: Bool) async {
    let shared = fixture.cache()
    let limits = { (limits: inout DiskImageCache.Limits) in
      limits.bytes = 30 * 8192
      limits.freeBytes = 0
    }
    let cache = { () -> DiskImageCache in
      if sharesOneCache { return shared }
      return fixture.cache(nil, limits)
    }
    if sharesOneCache { limits(&shared.limits) }
    let counts = Counts()
    let responses = (0..<4).map { seed in (0..<60).map { storedResponse(5000 + $0, seed: UInt8(seed)) } }
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let cache = cache()
        group.addTask {
          for round in 0..<80 {
            let number = (round * 7 + writer * 13) % 60
            cache.store(responses[writer][number], for: identity(number))
            let readNumber = (round * 11 + writer) % 60
            guard let kept = cache.response(for: identity(readNumber)) else { continue }
            counts.found.add(1, ordering: .relaxed)
            let isIntact = responses.contains { kept == $0[readNumber] }
            if !isIntact { counts.wrong.add(1, ordering: .relaxed) }
          }
        }
      }
      for _ in 0..<2 {
        let cache = cache()
        group.addTask { for _ in 0..<30 { cache.trim() } }
      }
      let cache = cache()
      group.addTask {
        for round in 0..<60 {
          cache.removeResponse(for: identity(round % 60))
          if round % 15 == 14 { cache.removeAllResponses() }
        }
      }
    }
    #expect(counts.wrong.load(ordering: .relaxed) == 0)
    #expect(counts.found.load(ordering: .relaxed) > 0)
    let last = cache()
    last.trim()
    let usage = last.measured()
    #expect(usage.bytes <= 30 * 8192 && usage.entries == fixture.files.count)
    #expect(usage.damaged == 0)
    #expect(last.fault == nil)
    #expect(fixture.everything.count == fixture.files.count)
    #expect(
      last.store(storedResponse(), for: identity(1)) && last.response(for: identity(1)) == storedResponse())
  }
}
