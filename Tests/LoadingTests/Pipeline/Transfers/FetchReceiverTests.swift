import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// One attempt of a fetch, with a delegate of the test.
@Suite(.timeLimit(.minutes(1))) struct FetchReceiverTests {
  /// A delegate that needs a minute to decide whether an attempt may begin.
  private final class SlowDelegate: FetchReceiverDelegate {
    let clock = ManualLoadingClock()
    private let ends = Atomic(0)

    /// The number of results.
    var endCount: Int { ends.load(ordering: .relaxed) }

    func fetchBegins(_ receiver: FetchReceiver) -> Bool {
      clock.advance(by: 60)
      return true
    }

    func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {}
    func bytesArrived(_ beginning: PreviewSchedule.Beginning, of receiver: FetchReceiver) -> Int64 { .max }
    func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?) {
      ends.wrappingAdd(1, ordering: .relaxed)
    }
    func count(_ metrics: TransportMetrics) {}
    func transportEnded() {}
  }

  @Test func timeLimitOfTheRequestModifierDoesNotEndAnAttemptThatBegins() async throws {
    let delegate = SlowDelegate()
    let (clock, transport) = (delegate.clock, FakeTransport())
    var configuration = ImageDownloader.Configuration()
    configuration.timeouts.total = 60
    configuration.environment.clock = clock
    configuration.requests.modifier = { request in
      // Returns after the time limit was set.
      try await until { !clock.wakes.isEmpty }
      return request
    }
    let receiver = FetchReceiver(
      id: FetchID(number: 1), Exchange(request(), resumable: nil), assembler: ResponseAssembler(),
      configuration: configuration, ledger: MemoryLedger(), secondsQueued: 0, delegate: delegate)

    receiver.start(configuration, TransportTable([transport]), storesResponses: false)
    try await transport.waitUntilStarted(1)

    #expect(delegate.endCount == 0)
    #expect(clock.now == 60_000_000_000)
  }
}
