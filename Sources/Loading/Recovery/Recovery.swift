import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Sends failed requests again for the slots that show their failures or stale images.
///
/// Each downloader has one. It carries out the decisions of `RecoveryPlan` and connects it to the clock and the main
/// actor. No timer is set while no request has failed.
package final class Recovery: Sendable {
  /// A function that sends a request again, on the main actor. Returns false without sending it if its slot is not on
  /// the screen.
  package typealias Retry = @MainActor @Sendable () -> Bool

  private struct State {
    var plan: RecoveryPlan
    var retries: [RecoveryPlan.ID: Retry] = [:]
  }

  private let policy: RecoveryPolicy
  private let clock: any LoadingClock
  private let state: Shared<State>
  /// True if successes must be reported to the plan; read without the lock.
  private let followsSuccesses = Atomic(false)
  private let clockStepCount = Atomic(0)

  init(
    _ policy: RecoveryPolicy, clock: any LoadingClock, random: @escaping @Sendable () -> Double
  ) {
    self.policy = policy
    self.clock = clock
    state = Shared(State(plan: RecoveryPlan(policy, random: random)))
  }

  /// A failed request of a slot. The slot holds the ticket; releasing it ends the retries.
  package final class Ticket: Sendable {
    private let id: RecoveryPlan.ID
    private let recovery: Recovery

    fileprivate init(_ id: RecoveryPlan.ID, _ recovery: Recovery) {
      self.id = id
      self.recovery = recovery
    }

    deinit { recovery.end(id) }

    /// Notifies the recovery that the slot is on the screen.
    package func becameVisible() { recovery.perform { $0.setVisible(true, self.id, at: $1) } }

    /// Notifies the recovery that the request has failed again with a retryable error.
    package func failedAgain(_ cause: RecoveryCause) {
      recovery.perform { $0.failedAgain(self.id, cause, at: $1) }
    }
  }

  /// The number of steps of the wall clock so far.
  package var clockSteps: Int { clockStepCount.load(ordering: .acquiring) }

  /// Returns true if requests that have failed are sent again: if the policy says so, or after a failure because the
  /// downloader was offline.
  package func retries(_ cause: RecoveryCause) -> Bool { policy.isEnabled || cause == .offline }

  /// Begins to retry a request. Returns nil if the recovery is disabled, or if a file or a data URL is not an image. A
  /// request that was not sent because the downloader was offline is sent even if the recovery is disabled.
  ///
  /// - Parameters:
  ///   - isVisible: True if the slot is on the screen.
  ///   - isReleased: True if the request is to be sent without waiting for a probe of its host, because nothing has
  ///     failed. Such a request is sent even if the recovery is disabled.
  ///   - pause: The number of seconds before which the request is not sent, unless the network returns. A request with
  ///     a pause is sent again even if the recovery is disabled.
  ///   - clockSteps: The value of `clockSteps` when the failed load began; nil if unknown.
  ///   - retry: Called on the main actor, in a later turn, each time that the request is to be sent.
  package func begin(
    _ request: ImageRequest, _ cause: RecoveryCause, isVisible: Bool, isReleased: Bool = false,
    after pause: Double = 0, clockSteps: Int? = nil, retry: @escaping Retry
  ) -> Ticket? {
    guard policy.isEnabled || isReleased || cause == .offline || pause > 0 else { return nil }
    let host = DownloadQueue.Lane(request.url)
    guard cause != .response || (host != .data && host != .local) else { return nil }
    return perform { plan, now in
      plan.add(
        cause, host: host, isVisible: isVisible, isReleased: isReleased, after: pause,
        clockSteps: clockSteps, at: now)
    } then: { id, state in
      state.retries[id] = retry
      return Ticket(id, self)
    }
  }

  private func end(_ id: RecoveryPlan.ID) {
    _ = perform {
      $0.remove(id, at: $1)
    } then: { _, state in
      state.retries.removeValue(forKey: id)
    }
  }

  // MARK: From the engine and the platform

  /// Notifies the recovery that a response shows that a host works (`FetchEnd.showsThatServerResponds`), sent to a slot
  /// or to another caller.
  func succeeded(_ host: DownloadQueue.Lane) {
    guard followsSuccesses.load(ordering: .relaxed) else { return }
    perform { $0.succeeded(host, at: $1) }
  }

  /// Notifies the recovery that a server asks for a pause of `retryAfter` seconds.
  func refused(_ host: DownloadQueue.Lane, retryAfter: Double) {
    perform { $0.refused(host, retryAfter: retryAfter, at: $1) }
  }

  /// Returns the number of seconds for which a server still asks for a pause; 0 if it does not.
  func pause(of host: DownloadQueue.Lane) -> Double {
    let now = clock.now
    let end = state.withLock { $0.plan.pauseEnd(of: host) }
    return end > now ? Double(end.subtractingReportingOverflow(now).partialValue) / 1e9 : 0
  }

  func networkReturned() { perform { $0.networkReturned(at: $1) } }

  /// Notifies the recovery that requests may not leave this machine, or may do so again.
  func setOffline(_ isOffline: Bool) { perform { $0.setOffline(isOffline, at: $1) } }

  func clockStepped() { perform { $0.clockStepped(at: $1) } }

  // MARK: Work

  /// Updates the plan with the lock held, then carries out the decisions without the lock.
  private func perform(_ decide: (inout RecoveryPlan, Int64) -> Void) { perform(decide) { _, _ in } }

  /// Updates the plan and then the retries with the lock held, and carries out the decisions without the lock. Returns
  /// the result of `then`, so that what it removes is released after the lock.
  private func perform<Decision, Result>(
    _ decide: (inout RecoveryPlan, Int64) -> Decision, then: (Decision, inout State) -> Result
  ) -> Result {
    let (result, (due, wake)) = state.withLock { state in
      let result = then(decide(&state.plan, clock.now), &state)
      followsSuccesses.store(state.plan.followsSuccesses, ordering: .relaxed)
      clockStepCount.store(state.plan.clockSteps, ordering: .releasing)
      return (result, state.plan.takeDue())
    }
    if !due.isEmpty { MainActorQueue.main.post { self.send(due) } }
    if let wake { clock.wake(at: wake) { [weak self] in self?.perform { $0.woken(at: $1) } } }
    return result
  }

  @MainActor private func send(_ due: [RecoveryPlan.ID]) {
    for id in due {
      guard let retry = state.withLock({ $0.retries[id] }) else { continue }
      if !retry() { perform { $0.setVisible(false, id, at: $1) } }
    }
  }
}
