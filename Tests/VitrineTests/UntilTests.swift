import Testing
import VitrineTesting

/// Waits that end although their condition never becomes true.
@Suite(.timeLimit(.minutes(5)))
struct UntilTests {
  @Test func waitReturnsOnceItsConditionIsTrue() async throws {
    var count = 0

    try await until {
      count += 1
      return count == 100
    }

    #expect(count == 100)
  }

  @Test func waitFailsAfterItsTimeLimitAndReportsItsLocation() async {
    let failure = await #expect(throws: WaitFailure.self) { try await until(within: 0) { false } }

    #expect(failure?.description.contains("UntilTests.swift:") == true)
    #expect(failure?.reason == "0.0 s have passed")
  }

  @Test func waitEndsWhenItsTaskIsCancelled() async throws {
    let task = Task { try await until { false } }

    task.cancel()

    await #expect(throws: WaitFailure.self) { try await task.value }
  }

  @Test func blockingWaitReturnsOnceItsConditionIsTrue() throws {
    var count = 0

    try blockUntil {
      count += 1
      return count == 100
    }

    #expect(count == 100)
  }

  @Test func blockingWaitFailsAfterItsTimeLimitAndReportsItsLocation() {
    let failure = #expect(throws: WaitFailure.self) { try blockUntil(within: 0) { false } }

    #expect(failure?.description.contains("UntilTests.swift:") == true)
    #expect(failure?.reason == "0.0 s have passed")
  }

  @Test func blockingWaitEndsWhenItsTaskIsCancelled() async {
    let task = Task { try blockUntil { false } }

    task.cancel()

    await #expect(throws: WaitFailure.self) { try await task.value }
  }
}
