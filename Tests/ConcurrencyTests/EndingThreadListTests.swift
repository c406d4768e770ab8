import Testing

@testable import VitrineConcurrency

@Suite("Each thread that was told to end is joined once")
struct EndingThreadListTests {
  private let caller = 0

  @Test func threadJoinsTheThreadThatEndedBefore() {
    var list = EndingThreadList<Int>()
    for thread in 1...3 { list.willEnd(thread) }

    let joined = [2, 1, 3].map { list.willReturn($0) }

    #expect(joined == [nil, 2, 1])
    #expect(list.count == 1)
    #expect(list.nextStep(of: caller, isLate: false) == .join(3))
    #expect(list.nextStep(of: caller, isLate: false) == .finish)
    #expect(list.count == 0)
  }

  @Test func threadThatItsStopperJoinsIsNotJoinedByAnother() {
    var list = EndingThreadList<Int>()
    list.willJoin(1)
    list.willEnd(2)

    let joined = [1, 2].map { list.willReturn($0) }

    #expect(joined == [nil, nil])
    #expect(list.nextStep(of: caller, isLate: false) == .join(2))
    #expect(list.nextStep(of: caller, isLate: false) == nil)
    list.didJoin(1)
    #expect(list.nextStep(of: caller, isLate: false) == .finish)
  }

  @Test func runningThreadIsAwaitedUntilTheTimeIsOver() {
    var list = EndingThreadList<Int>()
    list.willEnd(1)
    list.willEnd(2)
    _ = list.willReturn(2)

    #expect(list.nextStep(of: caller, isLate: true) == .join(2))
    #expect(list.nextStep(of: caller, isLate: false) == nil)
    #expect(list.nextStep(of: caller, isLate: true) == .giveUp)
  }

  @Test func threadDoesNotWaitForItself() {
    var list = EndingThreadList<Int>()
    list.willEnd(1)
    list.willJoin(2)

    #expect(list.nextStep(of: 1, isLate: false) == nil)
    _ = list.willReturn(2)
    list.didJoin(2)
    #expect(list.nextStep(of: 1, isLate: false) == .finish)
  }

  @Test func threadThatWasNotToldToEndIsNotAwaited() {
    var list = EndingThreadList<Int>()
    #expect(list.willReturn(1) == nil)
    #expect(list.nextStep(of: caller, isLate: false) == .finish)
  }
}
