import FoundationEssentials
import Synchronization
import Testing
import VitrineLoading
import VitrineTesting

/// The guarantees of the test doubles that other tests rely on.
@Suite(.timeLimit(.minutes(5))) struct FakesTests {
  private final class Receiver: TransportReceiver {
    let finished = Mutex<[Result<TransportMetrics, ImageError>]>([])
    let failing = Mutex<[TransportMetrics]>([])

    func transportDidReceive(_ response: TransportResponse) {}
    func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {}
    func transportWillFail(_ metrics: TransportMetrics) { failing.withLock { $0.append(metrics) } }
    func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
      finished.withLock { $0.append(result) }
    }
  }

  private func transport(endsCancelled: Bool = true) -> (FakeTransport, Receiver, FakeTransfer) {
    let transport = FakeTransport(endsCancelled: endsCancelled)
    let receiver = Receiver()
    _ = transport.start(TransportRequest(url: url("a.jpg")), receiver: receiver)
    return (transport, receiver, transport.transfers[0])
  }

  @Test func manualClockWakesEachTimerAtItsOwnTime() {
    let clock = ManualLoadingClock()
    let times = Mutex<[Int64]>([])
    for second in [3, 1, 2] as [Int64] {
      clock.wake(at: second * 1_000_000_000) { times.withLock { $0.append(clock.now / 1_000_000_000) } }
    }

    clock.advance(by: 2)

    #expect(times.withLock { $0 } == [1, 2])
    #expect(clock.now == 2_000_000_000)
    #expect(clock.wakes == [3_000_000_000])
    clock.advance(by: 1)
    #expect(times.withLock { $0 } == [1, 2, 3])
  }

  @Test func cancelledTransferIsNotRunningWhileItsEndIsHeldBack() {
    let (transport, receiver, transfer) = transport(endsCancelled: false)

    transfer.cancel()

    #expect(!transfer.isEnded && transfer.isCancelled)
    #expect(transport.running.isEmpty)
    #expect(receiver.finished.withLock { $0.isEmpty })
  }

  @Test func transportReturnsTheLatestTransferOfAURL() {
    let (transport, receiver, first) = transport()
    _ = transport.start(TransportRequest(url: url("a.jpg")), receiver: receiver)

    #expect(transport.transfer(of: "http://a.test/a.jpg") === transport.transfers[1])
    #expect(transport.transfer(of: "http://a.test/a.jpg") !== first)
    #expect(transport.transfer(of: "http://a.test/b.jpg") == nil)
  }

  @Test func transferEndsOnce() {
    let (_, receiver, transfer) = transport()
    transfer.send([1, 2, 3])
    transfer.fail(.status(503))
    transfer.finish()
    transfer.cancel()

    #expect(receiver.finished.withLock { $0.count } == 1)
    #expect(receiver.failing.withLock { $0.map(\.bytesReceived) } == [3])
  }
}
