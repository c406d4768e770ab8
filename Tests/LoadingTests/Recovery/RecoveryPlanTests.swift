import Testing

@testable import VitrineLoading

/// The decisions about sending failed requests again, at times that the test sets.
@Suite struct RecoveryPlanTests {
  private let host = DownloadQueue.Lane.host(scheme: "http", name: "a.test", port: nil)
  private let other = DownloadQueue.Lane.host(scheme: "http", name: "b.test", port: nil)
  private let second: Int64 = 1_000_000_000

  private func plan(_ policy: RecoveryPolicy = .init(), random: Double = 1) -> RecoveryPlan {
    RecoveryPlan(policy, random: { random })
  }

  private func add(
    _ count: Int, to plan: inout RecoveryPlan, host: DownloadQueue.Lane? = nil, isVisible: Bool = true,
    at now: Int64 = 0
  ) -> [RecoveryPlan.ID] {
    (0..<count).map { _ in plan.add(.server, host: host ?? self.host, isVisible: isVisible, at: now) }
  }

  private func woken(_ plan: inout RecoveryPlan, at now: Int64) -> [RecoveryPlan.ID] {
    plan.woken(at: now)
    return plan.takeDue().due
  }

  @Test func oneRequestProbesAHostWithAThousandFailures() {
    var plan = plan()
    let ids = add(1000, to: &plan)

    let first = plan.takeDue()
    #expect(first.due.isEmpty)
    #expect(first.wake == 2 * second)
    #expect(woken(&plan, at: 2 * second) == [ids[0]])
    #expect(woken(&plan, at: 60 * second).isEmpty, "one probe at a time")
  }

  @Test func eachHostIsProbedSeparately() {
    var plan = plan()
    let ids = add(2, to: &plan) + add(2, to: &plan, host: other)

    #expect(Set(woken(&plan, at: 2 * second)) == [ids[0], ids[2]])
  }

  @Test func probeDelayDoublesUpToTheMaximum() {
    var plan = plan(RecoveryPolicy(delay: 2, maximumDelay: 10))
    let ids = add(1, to: &plan)
    var now: Int64 = 0
    var wake = plan.takeDue().wake
    var pauses: [Int64] = []

    for _ in 0..<5 {
      guard let time = wake else { break }
      pauses.append((time - now) / second)
      now = time
      plan.woken(at: now)
      #expect(plan.takeDue().due == ids)
      plan.failedAgain(ids[0], .server, at: now)
      wake = plan.takeDue().wake
    }

    #expect(pauses == [2, 4, 8, 10, 10])
  }

  @Test func nothingIsSentWhileOffline() {
    var plan = plan()
    let ids = add(3, to: &plan)
    plan.setOffline(true, at: 0)
    plan.succeeded(host, at: second)
    plan.networkReturned(at: second)
    #expect(woken(&plan, at: 200 * second).isEmpty)
    let offline = plan.add(.offline, host: other, isVisible: true, at: 200 * second)
    #expect(woken(&plan, at: 400 * second).isEmpty)
    #expect(plan.takeDue().wake == nil, "no timer is set")

    plan.setOffline(false, at: 400 * second)
    let due = Set(plan.takeDue().due)
    #expect(due.contains(offline) && due.isSubset(of: ids + [offline]))
  }

  @Test func allRequestsThatFailedOfflineAreSentOnline() {
    var plan = plan()
    plan.setOffline(true, at: 0)
    let ids = (0..<5).map { _ in plan.add(.offline, host: host, isVisible: true, at: 0) }
    let hidden = plan.add(.offline, host: host, isVisible: false, at: 0)
    #expect(plan.takeDue().due.isEmpty)

    plan.setOffline(false, at: second)
    #expect(plan.takeDue().due == ids, "at once, without a probe before")
    plan.setVisible(true, hidden, at: 2 * second)
    #expect(plan.takeDue().due == [hidden])
    plan.setOffline(true, at: 3 * second)
    plan.setOffline(false, at: 3 * second)
    _ = plan.takeDue()
    plan.failedAgain(ids[0], .offline, at: 3 * second)
    #expect(plan.takeDue().due == [ids[0]], "the failure is out of date")
  }

  @Test func requestWhoseTransportIsOfflineWaits() {
    var plan = plan()
    let ids = [plan.add(.offline, host: host, isVisible: true, at: 0)]
    #expect(plan.takeDue().due == ids)
    for time in [second, 100 * second] {
      plan.failedAgain(ids[0], .offline, at: time)
      #expect(plan.takeDue().due.isEmpty, "the switch has not been turned since the request was sent")
      #expect(woken(&plan, at: time + 99 * second) == ids)
    }
  }

  @Test func requestThatWasStoppedByTheSwitchWaitsForIt() {
    var plan = plan()
    let ids = add(1, to: &plan)
    #expect(woken(&plan, at: 2 * second) == ids)
    plan.setOffline(true, at: 3 * second)
    plan.failedAgain(ids[0], .offline, at: 3 * second)
    #expect(woken(&plan, at: 300 * second).isEmpty)
    plan.setOffline(false, at: 300 * second)
    #expect(plan.takeDue().due == ids)
  }

  @Test func filesAreReadAgainWhileOffline() {
    var plan = plan()
    plan.setOffline(true, at: 0)
    let id = plan.add(.server, host: .local, isVisible: true, at: 0)
    #expect(woken(&plan, at: 2 * second) == [id])
  }

  @Test func randomFactorHalvesTheDelayAtMost() {
    var plan = plan(random: 0)
    _ = add(1, to: &plan)
    #expect(plan.takeDue().wake == second)
  }

  @Test func invalidPolicyValuesAreClamped() {
    let odd = RecoveryPolicy(delay: .nan, maximumDelay: -1)
    #expect(odd.delay(afterProbes: 0, random: 0) == 0.05)
    #expect(odd.delay(afterProbes: 1000, random: 1) == 0.1)
    #expect(RecoveryPolicy().delay(afterProbes: .max, random: 1) == 120)
    #expect(RecoveryPolicy(delay: .infinity).delay(afterProbes: 3, random: 1) == .infinity)
  }

  @Test func successReleasesAllRequestsOfTheHost() {
    var plan = plan()
    let ids = add(1000, to: &plan)
    let customPresentation = add(1, to: &plan, host: other)
    _ = woken(&plan, at: 2 * second)

    plan.succeeded(host, at: 3 * second)
    let (due, wake) = plan.takeDue()

    #expect(due == Array(ids[1...]), "all except the probe, which is running")
    #expect(wake == nil)
    for id in ids { plan.remove(id, at: 3 * second) }
    #expect(plan.count == customPresentation.count)
  }

  @Test func requestsThatFailWithTheirHostAreReleasedAgain() {
    var plan = plan()
    let ids = add(3, to: &plan)
    plan.succeeded(host, at: second)
    #expect(plan.takeDue().due == ids)

    for id in ids { plan.failedAgain(id, .server, at: 2 * second) }
    #expect(woken(&plan, at: 3 * second).isEmpty)
    #expect(woken(&plan, at: 4 * second).count == 1, "one request probes the host again")
    plan.succeeded(host, at: 5 * second)
    #expect(plan.takeDue().due.count == 2)
  }

  @Test func requestThatFailsOnAWorkingHostWaitsForItsBackOff() {
    var plan = plan()
    let ids = add(1, to: &plan)
    plan.succeeded(host, at: second)
    #expect(plan.takeDue().due == ids)
    plan.succeeded(host, at: second)
    plan.failedAgain(ids[0], .server, at: 2 * second)

    for time in 2..<4 { plan.succeeded(host, at: Int64(time) * second) }
    #expect(plan.takeDue().due.isEmpty)
    #expect(woken(&plan, at: 4 * second) == ids, "the request has waited for its own back-off")
  }

  @Test func requestsOfAHostProbeInTurn() {
    var plan = plan()
    let ids = add(3, to: &plan)
    var probes: [RecoveryPlan.ID] = []
    var now: Int64 = 0
    for _ in 0..<4 {
      now += 1000 * second
      for id in woken(&plan, at: now) {
        probes.append(id)
        plan.failedAgain(id, .server, at: now)
      }
    }
    #expect(probes == [ids[0], ids[1], ids[2], ids[0]])
  }

  @Test func returnOfTheNetworkProbesEachHostAtOnce() {
    var plan = plan()
    let ids = add(5, to: &plan) + add(5, to: &plan, host: other)
    _ = plan.takeDue()

    plan.networkReturned(at: second)
    #expect(Set(plan.takeDue().due) == [ids[0], ids[5]])
  }

  @Test func probeThatIsStuckWhenTheNetworkReturnsIsSentAgain() {
    var plan = plan()
    let ids = add(1, to: &plan)
    #expect(woken(&plan, at: 2 * second) == ids)

    plan.networkReturned(at: 3 * second)
    #expect(plan.takeDue().due == ids)
  }

  @Test func requestThatFailsAfterEachReleaseBacksOff() {
    var plan = plan()
    let ids = add(50, to: &plan)
    var sent = 0
    for time in 1...3600 {
      plan.succeeded(host, at: Int64(time) * second)
      let due = plan.takeDue().due
      sent += due.count
      for id in due { plan.failedAgain(id, .server, at: Int64(time) * second + 1) }
    }

    #expect(sent >= ids.count * 3600 / 121, "each request is still sent from time to time")
    #expect(sent <= ids.count * 40)
  }

  @Test func successAfterTheBackOffReleasesTheRequest() {
    var plan = plan()
    let ids = add(1, to: &plan)
    plan.succeeded(host, at: second)
    #expect(plan.takeDue().due == ids)
    plan.failedAgain(ids[0], .server, at: second)

    plan.succeeded(host, at: 2 * second)
    #expect(plan.takeDue().due.isEmpty)
    plan.succeeded(host, at: 4 * second)
    #expect(plan.takeDue().due == ids)
  }

  // MARK: Responses

  @Test func unusableResponseIsProbedAtTheMaximumDelayByOneRequestOfAHost() {
    var plan = plan()
    let ids = (0..<3).map { _ in plan.add(.response, host: host, isVisible: true, at: 0) }
    #expect(plan.takeDue().wake == 120 * second)
    #expect(woken(&plan, at: 120 * second) == [ids[0]])
    plan.failedAgain(ids[0], .response, at: 121 * second)
    #expect(plan.takeDue().wake == 241 * second)

    plan.clockStepped(at: 130 * second)
    #expect(plan.takeDue().due.isEmpty, "the clock makes no difference")
    #expect(woken(&plan, at: 241 * second) == [ids[1]])
    plan.remove(ids[1], at: 242 * second)
    plan.succeeded(host, at: 242 * second)
    #expect(Set(plan.takeDue().due) == [ids[0], ids[2]])
  }

  @Test func unusableResponseDoesNotDelayRequestsThatFailedOtherwise() {
    var plan = plan()
    let id = plan.add(.server, host: host, isVisible: true, at: 0)
    _ = plan.add(.server, host: host, isVisible: true, at: 0)
    #expect(woken(&plan, at: 2 * second) == [id])
    plan.failedAgain(id, .response, at: 2 * second)
    #expect(plan.takeDue().wake == 6 * second)
  }

  // MARK: The clock

  @Test func invalidCertificateIsProbedAtTheMaximumDelayAndWhenTheClockIsSet() {
    var plan = plan()
    let ids = (0..<3).map { _ in plan.add(.clock, host: host, isVisible: true, at: 0) }
    #expect(plan.takeDue().wake == 120 * second)
    #expect(woken(&plan, at: 120 * second) == [ids[0]], "one request probes for all")
    plan.failedAgain(ids[0], .clock, at: 121 * second)
    #expect(plan.takeDue().wake == 241 * second)

    plan.clockStepped(at: 130 * second)
    #expect(plan.takeDue().due == [ids[1]])
    plan.remove(ids[1], at: 131 * second)
    plan.succeeded(host, at: 131 * second)
    #expect(Set(plan.takeDue().due) == [ids[0], ids[2]])
  }

  @Test func certificateThatWasCheckedBeforeTheClockWasSetIsCheckedAgainAtOnce() {
    var plan = plan()
    let id = add(1, to: &plan)[0]
    #expect(woken(&plan, at: 2 * second) == [id])

    plan.clockStepped(at: 3 * second)
    plan.failedAgain(id, .clock, at: 4 * second)
    #expect(plan.takeDue().due == [id])
    plan.failedAgain(id, .clock, at: 5 * second)
    #expect(plan.takeDue().due.isEmpty)
  }

  @Test func loadThatBeganBeforeTheClockWasSetIsSentAgainAtOnce() {
    var plan = plan()
    let steps = plan.clockSteps
    plan.clockStepped(at: second)

    let outdated = plan.add(.clock, host: host, isVisible: true, clockSteps: steps, at: 2 * second)
    #expect(plan.takeDue().due == [outdated])
    _ = plan.add(.clock, host: host, isVisible: true, clockSteps: plan.clockSteps, at: 2 * second)
    #expect(plan.takeDue().due.isEmpty)
  }

  // MARK: Memory

  @Test func memoryShortageBacksOffIndependentlyOfHosts() {
    var plan = plan()
    let ids = (0..<2).map { _ in plan.add(.memory, host: host, isVisible: true, at: 0) }
    plan.succeeded(host, at: second)
    #expect(plan.takeDue().due.isEmpty, "a host's success does not end a memory shortage")

    var sent: [Int64] = []
    for time in 2..<20 {
      for id in woken(&plan, at: Int64(time) * second) {
        if id == ids[0] { sent.append(Int64(time)) }
        plan.succeeded(host, at: Int64(time) * second)
        plan.failedAgain(id, .memory, at: Int64(time) * second)
      }
    }
    #expect(sent == [2, 4, 8, 16])
  }

  // MARK: Servers that ask for a pause

  @Test func hostIsNotProbedBeforeTheEndOfItsPause() {
    var plan = plan(random: 0)
    plan.refused(host, retryAfter: 3600, at: 0)
    let ids = add(2, to: &plan) + add(1, to: &plan, host: other)

    #expect(woken(&plan, at: 2 * second) == [ids[2]])
    #expect(woken(&plan, at: 3599 * second).isEmpty)
    #expect(woken(&plan, at: 3600 * second) == [ids[0]])
  }

  @Test func pauseIsExtendedByUpToATenth() {
    for (random, seconds) in [(0.0, Int64(60)), (0.5, 63), (1, 66)] {
      var plan = plan(random: random)
      plan.refused(host, retryAfter: 60, at: 0)
      #expect(plan.pauseEnd(of: host) == seconds * second)
    }
  }

  @Test func endOfAPauseIsKnownUntilTheServerResponds() {
    var plan = plan(random: 0)
    #expect(plan.pauseEnd(of: host) == .min)
    plan.refused(host, retryAfter: 60, at: 5 * second)

    #expect(plan.pauseEnd(of: host) == 65 * second)
    #expect(plan.pauseEnd(of: other) == .min)
    plan.succeeded(host, at: 6 * second)
    #expect(plan.pauseEnd(of: host) == .min)
  }

  @Test func pauseIsBoundedAndEndsWithASuccessOrAReturnedNetwork() {
    var plan = plan(RecoveryPolicy(maximumRetryAfter: 100), random: 0)
    plan.refused(host, retryAfter: 1e9, at: 0)
    let ids = add(1, to: &plan)
    #expect(woken(&plan, at: 100 * second) == ids)
    plan.refused(host, retryAfter: 1e9, at: 100 * second)
    plan.failedAgain(ids[0], .server, at: 100 * second)
    plan.networkReturned(at: 101 * second)
    #expect(plan.takeDue().due == ids)
    plan.refused(host, retryAfter: 1e9, at: 102 * second)
    plan.failedAgain(ids[0], .server, at: 102 * second)
    plan.succeeded(host, at: 103 * second)
    #expect(plan.takeDue().due == ids)
    plan.refused(host, retryAfter: 1e9, at: 104 * second)
    plan.failedAgain(ids[0], .server, at: 104 * second)

    for time in 105..<204 { plan.succeeded(host, at: Int64(time) * second) }
    #expect(plan.takeDue().due.isEmpty, "this request was refused while other requests succeed")
    plan.succeeded(host, at: 204 * second)
    #expect(plan.takeDue().due == ids)
  }

  @Test func clockStepReleasesNoServerFailures() {
    var plan = plan()
    _ = add(3, to: &plan)
    plan.clockStepped(at: second)
    #expect(plan.takeDue().due.isEmpty)
  }

  // MARK: The screen

  @Test func offScreenRequestsSetNoWakeUp() {
    var plan = plan()
    let ids = add(3, to: &plan, isVisible: false)
    #expect(plan.takeDue().wake == nil)
    #expect(woken(&plan, at: 1000 * second).isEmpty)

    plan.setVisible(true, ids[1], at: 1000 * second)
    #expect(plan.takeDue().due == [ids[1]], "the request's delay has passed")
  }

  @Test func requestsThatLeaveTheScreenDoNotProbe() {
    var plan = plan()
    let ids = add(3, to: &plan)
    #expect(woken(&plan, at: 2 * second) == [ids[0]])

    plan.setVisible(false, ids[0], at: 2 * second)
    #expect(plan.takeDue().due == [ids[1]])
    plan.setVisible(false, ids[1], at: 2 * second)
    #expect(plan.takeDue().due == [ids[2]])
    plan.setVisible(false, ids[2], at: 2 * second)
    let (due, wake) = plan.takeDue()
    #expect(due.isEmpty && wake == nil, "off-screen requests set no wake-up")
  }

  @Test func releasedOffScreenRequestIsSentWhenItBecomesVisible() {
    var plan = plan()
    let ids = add(2, to: &plan, isVisible: false)
    plan.succeeded(host, at: second)
    #expect(plan.takeDue().due.isEmpty)

    plan.setVisible(true, ids[1], at: 2 * second)
    #expect(plan.takeDue().due == [ids[1]])
  }

  @Test func removedRequestsLeaveNoState() {
    var plan = plan()
    let ids = add(2, to: &plan)
    let stale = plan.add(.server, host: host, isVisible: true, isReleased: true, at: 0)
    #expect(plan.takeDue().due == [stale], "a released request is sent at once")
    _ = woken(&plan, at: 2 * second)

    plan.remove(ids[0], at: 3 * second)
    #expect(plan.takeDue().due == [ids[1]], "another request replaces the removed probe")
    plan.remove(ids[1], at: 3 * second)
    plan.remove(stale, at: 3 * second)

    #expect(plan.count == 0)
    plan.networkReturned(at: 4 * second)
    plan.woken(at: 1000 * second)
    let (due, wake) = plan.takeDue()
    #expect(due.isEmpty && wake == nil)
  }
}
