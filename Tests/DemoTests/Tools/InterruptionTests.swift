import Synchronization
import Testing

@testable import VitrineDemo

/// The interruption of a tool, without signals.
struct InterruptionTests {
  private final class Calls: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  @Test func handlerIsCalledOnceHoweverOftenAnInterruptionIsRequested() {
    let (interruption, calls) = (Interruption(), Calls())
    interruption.whenRequested { calls.add() }
    #expect(!interruption.isRequested && calls.count == 0)

    #expect(interruption.request())
    #expect(!interruption.request(), "the second request ends the process")

    #expect(interruption.isRequested && calls.count == 1)
  }

  @Test func handlerThatComesLaterThanTheRequestIsCalledAtOnce() {
    let (interruption, calls) = (Interruption(), Calls())
    interruption.request()

    interruption.whenRequested { calls.add() }

    #expect(calls.count == 1)
  }
}
