import Callbacks
import Foundation
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Several pixel caches on one folder, as in several processes, and one cache used by several threads.
@Suite(.timeLimit(.minutes(5))) struct PixelSharingTests {
  let fixture = DiskFixture()

  @Test func twoWritersUseDifferentPacksAndFindEachOthersPixels() {
    let (one, other) = (fixture.pixels(), fixture.pixels())
    for number in 0..<60 { #expect((number % 2 == 0 ? one : other).put(number)) }
    #expect(fixture.packPaths.count == 2)
    for cache in [one, other, fixture.pixels()] {
      for number in 0..<60 { #expect(cache.has(number)) }
      #expect(cache.statistics.damaged == 0)
    }
    other.removePixels(of: identity(4))
    #expect(one.find(4) == nil)
    one.store(pixelImage(seed: 500), isAnimated: false, for: pixelKey(5), of: body(500))
    #expect(other.find(5) == nil)
    #expect(isSame(other.pixels(for: pixelKey(5), of: body(500)) { _ in }, pixelImage(seed: 500)))
  }

  @Test func lockOfAStoppedProcessDoesNotPreventStoring() {
    let cache = fixture.pixels()
    cache.put(1)
    let lock = open(fixture.indexPath, O_RDWR)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)

    #expect(cache.put(2) && cache.has(1) && cache.has(2))
    cache.removePixels(of: identity(1))
    #expect(cache.find(1) == nil && cache.has(2))
  }

  @Test func lookupDoesNotWaitForTheLockOfAStoppedProcess() throws {
    fixture.pixels().put(1)
    // The entry leads to a pack that is gone, and is to be removed.
    try FileManager.default.removeItem(atPath: fixture.packPaths[0])
    let lock = open(fixture.indexPath, O_RDWR)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)

    #expect(cache.find(1) == nil && system.counts[.lock] == 1)
    #expect(system.counts[.writeAt] == nil)
    #expect(flock(lock, LOCK_UN) == 0)
    #expect(cache.find(1) == nil && system.counts[.lock] == 2 && system.counts[.writeAt] == 1)
    #expect(cache.find(1) == nil && system.counts[.lock] == 2, "the entry was removed")
  }

  @Test func processesThatCreateTheIndexAtTheSameTimeKeepEachOthersPixels() async throws {
    let (system, gate) = (FaultySystem(), Gate())
    defer { gate.open() }
    // Six calls open or do not find the folders and the index.
    system.fail(.open, number: 7, with: .hang(gate))
    let (slow, fast) = (fixture.pixels(on: system), fixture.pixels())
    async let isStored: Bool = callback { done in
      BlockingThread.start { done(slow.put(1)) }
    }
    await gate.waitUntilHeld(1)
    #expect(fixture.packPaths.isEmpty && !FileManager.default.fileExists(atPath: fixture.indexPath))
    #expect(fast.put(2))
    gate.open()

    #expect(try await isStored)
    for cache in [slow, fast, fixture.pixels()] { #expect(cache.has(1) && cache.has(2)) }
  }

  @Test func folderWithoutLocksIsUsed() {
    let system = FaultySystem()
    system.fail(.lock, number: FaultySystem.always, with: .error(ENOLCK))
    let caches = [fixture.pixels(on: system), fixture.pixels(on: system)]
    for number in 0..<20 { #expect(caches[number % 2].put(number)) }
    #expect((0..<20).allSatisfy { caches[0].has($0) && caches[1].has($0) })
    #expect(fixture.packPaths.count == 2, "each process has a pack of its own")
  }

  @Test func pixelsAreStoredThoughAnotherProcessRemovesTheFolderSeveralTimes() {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    system.fail(.rename, numbers: 1...5, with: .error(ENOENT))

    #expect(cache.put(1))

    #expect(system.hasFailed && cache.fault == nil && cache.has(1))
  }

  @Test func evictedPackOfAnotherProcessIsAMiss() {
    let (one, other) = (fixture.pixels(), fixture.pixels())
    one.put(1)
    #expect(other.has(1))
    // The pack that `one` adds to stays; after its end it may go.
    other.limits.bytes = 0
    other.trim()
    #expect(one.has(1) && one.put(2))
    one.trim()
    other.trim()
    #expect(one.find(1) == nil && other.find(1) == nil && fixture.packPaths.isEmpty)
    #expect(one.put(3) && one.has(3))
    #expect(one.statistics.damaged == 0 && other.statistics.damaged == 0)
  }

  private final class Counts: Sendable {
    let wrong = Atomic(0)
    let found = Atomic(0)
  }

  /// Four tasks write and read, one trims, and one removes pixels; all pixels that are found are right.
  @Test(arguments: [false, true]) func concurrentUseShowsNoWrongPixels(sharesOneCache: Bool) async {
    let shared = fixture.pixels { $0.bytes = 1 << 20 }
    let cache = { () -> DiskPixelCache in
      sharesOneCache ? shared : fixture.pixels { $0.bytes = 1 << 20 }
    }
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let cache = cache()
        group.addTask {
          for round in 0..<80 {
            let number = (round * 7 + writer * 13) % 60
            cache.put(number, width: 32, height: 32)
            let readNumber = (round * 11 + writer) % 60
            guard let found = cache.find(readNumber) else { continue }
            counts.found.add(1, ordering: .relaxed)
            if !isSame(found, pixelImage(32, 32, seed: readNumber)) {
              counts.wrong.add(1, ordering: .relaxed)
            }
          }
        }
      }
      let cache = cache()
      group.addTask {
        for round in 0..<60 {
          cache.removePixels(of: identity(round % 60))
          if round % 5 == 0 { cache.trim() }
          if round % 15 == 14 { cache.removeAllPixels() }
        }
      }
    }
    #expect(counts.wrong.load(ordering: .relaxed) == 0)
    #expect(counts.found.load(ordering: .relaxed) > 0)
    let last = cache()
    last.trim()
    #expect(last.usage().bytes <= 1 << 20)
    #expect(last.put(1000) && last.has(1000) && last.fault == nil)
  }

  @Test("while a store or a removal hangs, pixels are found", arguments: [true, false])
  func lookupsDoNotWaitForWriters(isStore: Bool) async throws {
    let perform = { @Sendable (cache: DiskPixelCache) in
      if isStore {
        cache.put(9)
      } else {
        cache.removePixels(of: identity(1))
      }
    }
    let calls = {
      let (fixture, system) = (DiskFixture(), FaultySystem())
      for number in 1...2 { fixture.pixels().put(number) }
      let cache = fixture.pixels(on: system)
      perform(cache)
      return withExtendedLifetime(cache) { system.counts }
    }()
    for call in FaultySystem.Call.allCases where calls[call] != nil {
      let (fixture, system, gate) = (DiskFixture(), FaultySystem(), Gate())
      defer { gate.open() }
      for number in 1...2 { fixture.pixels().put(number) }
      let cache = fixture.pixels(on: system)
      // The last of these calls, when the files are open.
      system.fail(call, number: calls[call] ?? 1, with: .hang(gate))
      async let end: Void = untilCalled { done in
        BlockingThread.start {
          perform(cache)
          done()
        }
      }
      await gate.waitUntilHeld(1)
      let isFound = try await callback { (done: @escaping @Sendable (Bool) -> Void) in
        BlockingThread.start { done(cache.has(2)) }
      }
      #expect(isFound, "\(call)")
      gate.open()
      try await end
    }
  }
}
