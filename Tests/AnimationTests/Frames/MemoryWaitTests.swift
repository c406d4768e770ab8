import Testing

@testable import VitrineAnimation

/// The order of animations that wait for memory.
@Suite struct MemoryWaitTests {
  @Test func animationThatHasWaitedForTheLongestTimeIsNext() {
    #expect(MemoryWait() < MemoryWait(since: 1))
    #expect(MemoryWait(since: 1) < MemoryWait(since: 2))
    #expect(!(MemoryWait(since: 2) < MemoryWait(since: 2)))
  }

  @Test func othersGoFirstAfterManyTriesInVain() {
    var oldest = MemoryWait(since: 1)
    for _ in 1..<MemoryWait.triesInTurn { oldest.countTry() }
    #expect(oldest < MemoryWait(since: 2))
    oldest.countTry()
    #expect(MemoryWait(since: 2) < oldest)
  }
}
