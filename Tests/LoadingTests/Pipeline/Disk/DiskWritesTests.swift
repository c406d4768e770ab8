import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The queue of disk changes, mainly of removals on a disk that hangs.
@Suite(.timeLimit(.minutes(5))) struct DiskWritesTests {
  private func number(_ admission: DiskWrites.Admission) -> UInt64? {
    if case .queued(let number, _, _) = admission { number } else { nil }
  }

  private func identity(_ number: Int, longer: Int = 0) -> RequestIdentity {
    RequestIdentity(url: url("\(number)" + String(repeating: "a", count: longer)), headers: [:])
  }

  /// Returns a queue whose first change hangs.
  private func hanging() throws -> DiskWrites {
    var writes = DiskWrites()
    let firstFound = number(writes.admit(.look(identity(1)), nil))
    let first = try #require(firstFound)
    let endFound = writes.begin(first, at: 0)
    let end = try #require(endFound)
    #expect(writes.takeOverdue(at: end - 1).isNew == false)
    #expect(writes.takeOverdue(at: end).isNew)
    #expect(!writes.takeOverdue(at: end).isNew, "one report for each change of state")
    return writes
  }

  @Test func responseHasOneWaitingRemoval() throws {
    var writes = try hanging()
    for _ in 0..<1000 { _ = writes.admit(.remove(identity(1)), nil) }
    #expect(writes.count == 2)

    let batch: UInt64 = 2
    #expect(writes.begin(batch, at: 0) != nil)
    #expect(writes.nextRemoval(of: batch) == identity(1))
    #expect(writes.isRemoving(identity(1)))
    _ = writes.removed(identity(1), of: batch, at: 0)
    #expect(!writes.isRemoving(identity(1)))
    #expect(writes.nextRemoval(of: batch) == nil)
  }

  @Test func removalsOnADiskThatHangsTakeBoundedMemory() throws {
    var writes = try hanging()
    for number in 0..<10_000 { _ = writes.admit(.remove(identity(number)), nil) }
    #expect(writes.count == 2)
    #expect(writes.isRemoving(identity(9999)) && !writes.isRemoving(identity(10_000)))

    // Beyond the limit everything is removed.
    var dropped: [UInt64] = []
    for number in 0..<200 {
      if case .queued(_, .removeAll, let replaced) = writes.admit(
        .remove(identity(number, longer: 65_536)), nil)
      {
        dropped += replaced
      }
    }
    #expect(dropped == [2] && writes.count == 2)
    #expect(writes.isRemoving(identity(10_000)), "no removed response is found")

    #expect(writes.begin(3, at: 0) != nil)
    _ = writes.end(3)
    #expect(!writes.isRemoving(identity(0)) && !writes.isRemoving(identity(10_000)))
  }

  @Test func changesOfAResponseStayInOrder() throws {
    var writes = DiskWrites()
    let one = identity(1)
    let kinds: [DiskWrites.Kind] = [
      .remove(one), .store(one, bytes: 1), .remove(identity(2)), .remove(one), .removeAll, .remove(one),
      .store(one, bytes: 1), .remove(one),
    ]
    let numbers = kinds.map { number(writes.admit($0, nil)) }
    // The fourth change joins the third, and the sixth joins the removal of everything.
    #expect(numbers == [1, 2, 3, nil, 4, nil, 5, 6])

    for number in [1, 2, 3] as [UInt64] {
      #expect(writes.begin(number, at: 0) != nil)
      while let identity = writes.nextRemoval(of: number) {
        _ = writes.removed(identity, of: number, at: 0)
      }
      _ = writes.end(number)
    }
    #expect(writes.isRemoving(one))
    for number in [4, 5] as [UInt64] {
      #expect(writes.begin(number, at: 0) != nil)
      _ = writes.end(number)
    }
    #expect(writes.isRemoving(one) && !writes.isRemoving(identity(2)))
    #expect(writes.begin(6, at: 0) != nil)
    // A removal that has begun may be over before a later store.
    #expect(number(writes.admit(.remove(one), nil)) == 7)
  }

  @Test func eachCompletionIsCalledOnce() throws {
    let received = Mutex<[String]>([])
    func note(_ name: String) -> DiskWrites.Completion {
      { existed in received.withLock { $0.append("\(name) \(existed)") } }
    }
    var writes = DiskWrites()
    _ = writes.admit(.remove(identity(1)), note("a"))
    _ = writes.admit(.remove(identity(1)), note("b"))
    _ = writes.admit(.remove(identity(2)), note("c"))
    let endFound = writes.begin(1, at: 0)
    let end = try #require(endFound)
    let firstFound = writes.nextRemoval(of: 1)
    let first = try #require(firstFound)
    for completion in writes.removed(first, of: 1, at: 0) { completion(true) }
    for completion in writes.takeOverdue(at: end).completions { completion(false) }
    while let identity = writes.nextRemoval(of: 1) {
      for completion in writes.removed(identity, of: 1, at: 0) { completion(true) }
    }
    for completion in writes.end(1) { completion(true) }

    let expected = first == identity(1) ? ["a true", "b true", "c false"] : ["a false", "b false", "c true"]
    #expect(received.withLock { $0.sorted() } == expected)
  }

  @Test func storesWithALimitOfTheirOwnAreAdmittedBesideABodyOfAnySize() {
    var writes = DiskWrites()
    let large = DiskWrites.unwrittenBytesLimit * 2
    #expect(number(writes.admit(.store(identity(1), bytes: large), nil)) == 1)
    #expect(number(writes.admit(.store(identity(2), bytes: 1), nil)) == nil)
    #expect(number(writes.admit(DiskWrites.Kind.store(identity(2), bytes: 1).withoutBytes, nil)) == 2)
  }

  @Test func longBatchOfQuickRemovalsIsNotReportedAsHanging() throws {
    var writes = DiskWrites()
    for number in 0..<3 { _ = writes.admit(.remove(identity(number)), nil) }
    _ = writes.begin(1, at: 0)
    let step = Int64(nanosecondsIn: DiskWrites.limit) - 1
    for turn in 1...3 {
      let now = Int64(turn) * step
      #expect(!writes.takeOverdue(at: now).isNew)
      let identityFound = writes.nextRemoval(of: 1)
      let identity = try #require(identityFound)
      _ = writes.removed(identity, of: 1, at: now)
    }
  }

  @Test func changesThatVisitAllFilesHaveALongerTimeLimit() throws {
    let kinds: [DiskWrites.Kind] = [.look(identity(1)), .store(identity(1), bytes: 1), .scan, .removeAll]
    let limits = try kinds.map { kind in
      var writes = DiskWrites()
      let admitted = number(writes.admit(kind, nil))
      return writes.begin(try #require(admitted), at: 0)
    }
    let (short, long) = (Int64(nanosecondsIn: DiskWrites.limit), Int64(nanosecondsIn: DiskWrites.longLimit))
    #expect(limits == [short, short, long, long])
  }

  @Test func scanOfADiskThatHangsIsDropped() throws {
    var writes = try hanging()
    #expect(number(writes.admit(.scan, nil)) == nil)

    var waiting = DiskWrites()
    _ = waiting.admit(.look(identity(1)), nil)
    _ = waiting.admit(.scan, nil)
    let end = waiting.begin(1, at: 0)
    let overdue = waiting.takeOverdue(at: try #require(end))
    #expect(overdue.dropped == [2])
  }

  @Test func onlyTheFirstOfSeveralRefusalsIsReported() {
    var writes = DiskWrites()
    func isFirst(_ bytes: Int) -> Bool? {
      if case .refused(let isFirst) = writes.admit(.store(identity(bytes), bytes: bytes), nil) {
        isFirst
      } else {
        nil
      }
    }
    let limit = DiskWrites.unwrittenBytesLimit
    let reports = [limit, 1, 2].map { isFirst($0) }
    #expect(reports == [nil, true, false])
    _ = writes.begin(1, at: 0)
    _ = writes.end(1)
    let later = [limit, 3].map { isFirst($0) }
    #expect(later == [nil, true])
  }

  @Test func nothingIsRefusedIfTheCallerBoundsTheBytesThatWait() throws {
    var writes = DiskWrites(keepsAll: true)
    let limit = DiskWrites.unwrittenBytesLimit
    let stores = (1...3).map { number(writes.admit(.store(identity($0), bytes: limit), nil)) }
    let pixels = (1...2).map { number(writes.admit(.pixels(identity($0), bytes: limit), nil)) }
    #expect(stores == [1, 2, 3] && pixels == [4, 5])

    let endFound = writes.begin(1, at: 0)
    let end = try #require(endFound)
    #expect(end == Int64(nanosecondsIn: DiskWrites.longLimit))
    #expect(writes.takeOverdue(at: end).dropped == [2, 3, 4, 5], "a disk that hangs is given up")
    #expect(number(writes.admit(.store(identity(4), bytes: 1), nil)) == nil)
  }

  // MARK: A disk that is slower than the network

  @Test func diskIsBehindUntilHalfOfTheBacklogIsWritten() {
    var writes = DiskWrites()
    let quarter = DiskWrites.backlogLimit / 4
    for number in 1...4 { _ = writes.admit(.store(identity(number), bytes: quarter), nil) }
    #expect(!writes.isBehind)
    _ = writes.admit(.store(identity(5), bytes: 1), nil)
    #expect(writes.isBehind)
    for number in 1...2 as ClosedRange<UInt64> { _ = writes.end(number) }
    #expect(writes.isBehind, "one byte more than half of the limit is left")
    _ = writes.end(5)
    #expect(!writes.isBehind)
    _ = writes.admit(.store(identity(6), bytes: quarter), nil)
    #expect(!writes.isBehind)
  }

  @Test func diskThatHangsIsNotBehind() throws {
    var writes = DiskWrites()
    _ = writes.admit(.store(identity(1), bytes: DiskWrites.backlogLimit + 1), nil)
    let end = writes.begin(1, at: 0)
    #expect(writes.isBehind)
    #expect(writes.takeOverdue(at: try #require(end)).isNew)
    #expect(!writes.isBehind, "downloads do not wait for a disk that may never respond")
    _ = writes.end(1)
    #expect(!writes.isBehind)
  }

  @Test func onlyBodiesThatCountPutTheDiskBehind() {
    var writes = DiskWrites()
    let bytes = DiskWrites.backlogLimit + 1
    _ = writes.admit(.pixels(identity(1), bytes: bytes), nil)
    _ = writes.admit(.store(identity(1), bytes: bytes).withoutBytes, nil)
    #expect(!writes.isBehind)
    var keepingAll = DiskWrites(keepsAll: true)
    _ = keepingAll.admit(.store(identity(1), bytes: bytes), nil)
    #expect(!keepingAll.isBehind, "the caller bounds the bytes that wait")
  }

  @Test func pixelsThatWaitKeepNoBodyFromBeingStored() throws {
    var writes = DiskWrites()
    let limit = DiskWrites.unwrittenBytesLimit
    let pixels = number(writes.admit(.pixels(identity(1), bytes: limit), nil))
    let first = number(writes.admit(.store(identity(1), bytes: limit), nil))
    #expect(pixels == 1 && first == 2, "all of the limit is left to bodies")
    #expect(number(writes.admit(.store(identity(2), bytes: 1), nil)) == nil)
    #expect(
      number(writes.admit(.pixels(identity(1), bytes: 1), nil)) == nil, "there is a limit for pixels as well")

    _ = writes.begin(2, at: 0)
    _ = writes.end(2)
    #expect(number(writes.admit(.pixels(identity(1), bytes: 1), nil)) == nil)
    #expect(number(writes.admit(.store(identity(3), bytes: limit), nil)) == 3)
    for number in [3, 1] as [UInt64] {
      _ = writes.begin(number, at: 0)
      _ = writes.end(number)
    }
    #expect(number(writes.admit(.store(identity(4), bytes: limit), nil)) == 4)
    #expect(
      number(writes.admit(.pixels(identity(1), bytes: limit), nil)) == 5,
      "bodies keep no pixels from being stored")
  }

  // MARK: With a downloader

  @Test("an image that its server has withdrawn is not shown while its removal waits for the disk")
  func withdrawnImageIsNotShownWhileItsRemovalWaits() async throws {
    let gate = Gate()
    let world = DiskWorld(removalsAreHeldBy: gate)
    world.store("a.jpg")
    world.store("b.jpg")
    world.transport.respondToAll { $0.refuse(404) }
    for name in ["a.jpg", "b.jpg"] {
      await #expect(throws: ImageError.status(404)) {
        try await world.downloader.image(for: request(name, policy: .reload))
      }
    }
    await gate.waitUntilHeld(1)

    for name in ["a.jpg", "b.jpg"] {
      await #expect(throws: ImageError.notCached) {
        try await world.downloader.image(for: request(name, policy: .cacheOnly))
      }
    }

    gate.open()
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }
}
