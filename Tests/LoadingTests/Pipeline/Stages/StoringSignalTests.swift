import Testing

@testable import VitrineLoading

/// The report that a response has been written to disk, or has not.
@Suite(.timeLimit(.minutes(5))) struct StoringSignalTests {
  @Test(arguments: [true, false]) func firstResultCounts(isKept: Bool) async {
    let signal = StoringSignal()
    signal.finish(isKept)
    signal.finish(!isKept)

    #expect(await signal.isKept == isKept)
  }
}
