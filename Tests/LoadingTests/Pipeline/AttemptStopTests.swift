import Testing
import VitrineConcurrency

@testable import VitrineLoading

/// The handle that stops an attempt, which may become known only after the attempt was stopped.
struct AttemptStopTests {
  private final class Handle: Cancellable {
    func cancel() {}
  }

  @Test func stoppedAttemptReturnsItsHandleOnce() {
    var stop = AttemptStop()
    let handle = Handle()
    #expect(stop.keep(handle, insteadOfAnother: true) == true)

    #expect(stop.stop() === handle)
    #expect(stop.isStopped)
    #expect(stop.stop() == nil)
  }

  @Test func handleThatComesAfterTheStopIsRefused() {
    var stop = AttemptStop()
    #expect(stop.stop() == nil)

    #expect(stop.keep(Handle(), insteadOfAnother: true) == false)
    #expect(stop.stop() == nil)
  }

  @Test func handleOfTheTransferReplacesThatOfTheModifier() {
    var stop = AttemptStop()
    let (modifier, transfer) = (Handle(), Handle())
    #expect(stop.keep(transfer, insteadOfAnother: true) == true)
    #expect(stop.keep(modifier, insteadOfAnother: false) == true, "the transfer has begun already")
    #expect(stop.stop() === transfer)
  }

  @Test func endedTransferIsNotCancelled() {
    var stop = AttemptStop()
    #expect(stop.keep(Handle(), insteadOfAnother: true) == true)
    _ = stop.end()
    #expect(stop.stop() == nil)
  }

  @Test func endedTransferReleasesItsHandle() {
    var stop = AttemptStop()
    weak var kept: Handle?
    do {
      let handle = Handle()
      kept = handle
      #expect(stop.keep(handle, insteadOfAnother: true) == true)
    }
    #expect(kept != nil)

    _ = stop.end()
    #expect(kept == nil)
    let late = Handle()
    #expect(stop.keep(late, insteadOfAnother: true) == true, "the attempt was not stopped")
    #expect(stop.stop() == nil)
  }
}
