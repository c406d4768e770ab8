import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// One attempt of a fetch, with a delegate of the test.
@Suite(.timeLimit(.minutes(5))) struct FetchReceiverTests {
  /// A delegate that needs a minute to decide whether an attempt may begin.
  private final class SlowDelegate: FetchReceiverDelegate {
    let clock = ManualLoadingClock()
    private let ends = Atomic(0)
    private let transportEnds = Atomic(0)
    /// The number of results when the transfer ended last.
    private let endsBefore = Atomic(0)

    /// The number of results.
    var endCount: Int { ends.load(ordering: .relaxed) }
    /// The number of ended transfers.
    var transportEndCount: Int { transportEnds.load(ordering: .relaxed) }
    var endCountBeforeTransportEnd: Int { endsBefore.load(ordering: .relaxed) }

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
    func transportEnded() {
      endsBefore.store(endCount, ordering: .relaxed)
      transportEnds.wrappingAdd(1, ordering: .relaxed)
    }
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

  @Test(arguments: [false, true])
  func attemptThatIsGivenUpBeforeItsTransportStartsSendsNothingAndCountsAsEnded(isStopped: Bool) {
    let delegate = SlowDelegate()
    let transport = FakeTransport()
    let configuration = ImageDownloader.Configuration()
    let receiver = FetchReceiver(
      id: FetchID(number: 1), Exchange(request(), resumable: nil), assembler: ResponseAssembler(),
      configuration: configuration, ledger: MemoryLedger(), secondsQueued: 0, delegate: delegate)

    _ = receiver.abandon()
    if isStopped { receiver.stop() }
    receiver.start(configuration, TransportTable([transport]), storesResponses: false)

    #expect(transport.transfers.isEmpty)
    #expect(delegate.transportEndCount == 1, "without this, `drain()` would wait forever")
    #expect(delegate.endCount == 0)
  }

  @Test func endThatATransportReportsAgainIsIgnored() {
    let delegate = SlowDelegate()
    let configuration = ImageDownloader.Configuration()
    let receiver = FetchReceiver(
      id: FetchID(number: 1), Exchange(request(), resumable: nil), assembler: ResponseAssembler(),
      configuration: configuration, ledger: MemoryLedger(), secondsQueued: 0, delegate: delegate)

    receiver.transportDidFinish(.failure(.status(500)))
    #expect(delegate.endCountBeforeTransportEnd == 1, "`drain()` waits for what the result causes")
    receiver.transportDidFinish(.success(TransportMetrics()))

    #expect(delegate.transportEndCount == 1, "a second end would leave the downloader busy")
    #expect(delegate.endCount == 1)
  }

  @Test func responseModifierIsCancelledHoweverEarlyTheAttemptIsAbandoned() async throws {
    let delegate = SlowDelegate()
    let current = Mutex<FetchReceiver?>(nil)
    let results = Mutex<[Bool]>([])
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = delegate.clock
    configuration.responses.modifier = { response in
      // The call that has started the modifier may not have returned.
      _ = current.withLock { $0 }?.abandon()
      results.withLock { $0.append(Task.isCancelled) }
      return response
    }

    // Two threads contend for the lock of the receiver, so that the modifier often runs before that call returns.
    for number in 1...200 {
      let receiver = FetchReceiver(
        id: FetchID(number: UInt64(number)), Exchange(request(), resumable: nil),
        assembler: ResponseAssembler(.init(isModified: true)), configuration: configuration,
        ledger: MemoryLedger(), secondsQueued: 0, delegate: delegate)
      current.withLock { $0 = receiver }
      BlockingThread.start {
        while results.withLock({ $0.count < number }) { _ = receiver.hasResponse }
      }
      receiver.transportDidReceive(TransportResponse(url: url(), status: 200, headers: [:]))
      try await until { results.withLock { $0.count == number } }
    }

    #expect(results.withLock { $0.allSatisfy { $0 } })
    #expect(delegate.endCount == 0)
  }
}
