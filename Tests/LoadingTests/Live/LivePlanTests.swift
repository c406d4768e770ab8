import Testing

@testable import VitrineLoading

/// The decisions of a live stream, at times that the test sets.
@Suite struct LivePlanTests {
  private let second: Int64 = 1_000_000_000
  private let refused = ImageError.transport(.cannotConnect, message: "")

  /// Returns a plan whose first connection receives parts.
  private func receivingPlan(
    _ options: LiveImageStream.Options = .init(), isMultipart: Bool = true
  ) -> LivePlanDriver {
    let plan = LivePlanDriver(options)
    _ = plan.start(at: 0)
    _ = plan.responded(1, isMultipart: isMultipart, at: 0)
    return plan
  }

  private func interruption(_ error: ImageError?, _ delay: Double?) -> LivePlan.Action {
    .report(.interrupted(error, retryDelay: delay))
  }

  // MARK: Frames

  @Test func framesAreDecodedOneAtATime() {
    let plan = receivingPlan()

    #expect(plan.frameArrived(1) == [.decode(1)])
    #expect(plan.decoded(1, nil) == [.deliver(1), .report(.playing)])
    #expect(plan.frameArrived(1) == [], "the first is not delivered yet")
    #expect(plan.delivered(1) == [.decode(2)])
    #expect(plan.decoded(2, nil) == [.deliver(2)])
    #expect(plan.delivered(2) == [])

    #expect(plan.statistics.framesReceived == 2)
    #expect(plan.statistics.framesDecoded == 2)
    #expect(plan.statistics.framesDropped == 0)
  }

  @Test func newestFrameReplacesTheFramesThatWait() {
    let plan = receivingPlan()

    #expect(plan.frameArrived(1) == [.decode(1)])
    #expect(plan.frameArrived(1) == [])
    #expect(plan.frameArrived(1) == [.drop(2)])
    #expect(plan.frameArrived(1) == [.drop(3)])
    _ = plan.decoded(1, nil)

    #expect(plan.delivered(1) == [.decode(4)])
    #expect(plan.statistics.framesDropped == 2)
  }

  @Test func damagedFramesAreReportedOncePerStreak() {
    let plan = receivingPlan()
    let error = ImageError.notAnImage(signature: [1])

    _ = plan.frameArrived(1)
    _ = plan.frameArrived(1)
    #expect(plan.decoded(1, error) == [.report(.frameFailed(error)), .decode(2)])
    #expect(plan.decoded(2, error) == [])
    _ = plan.frameArrived(1)
    #expect(plan.decoded(3, nil) == [.deliver(3), .report(.playing)])
    _ = plan.delivered(3)
    _ = plan.frameArrived(1)
    #expect(plan.decoded(4, error) == [.report(.frameFailed(error))])

    #expect(plan.statistics.framesFailed == 3)
  }

  @Test func frameOfAnEarlierConnectionIsIgnored() {
    let plan = receivingPlan()
    _ = plan.connectionEnded(1, nil, at: 0)

    #expect(plan.frameArrived(1) == nil)
    #expect(plan.statistics.framesReceived == 0)
  }

  @Test func discardedFramesCountAsDropped() {
    let plan = receivingPlan()

    plan.frameDiscarded(1)

    #expect(plan.statistics.framesReceived == 1)
    #expect(plan.statistics.framesDropped == 1)
  }

  // MARK: Connections

  @Test func delayDoublesUpToTheMaximum() {
    let plan = LivePlanDriver()
    var now: Int64 = 0
    #expect(plan.start(at: now).first == .connect(1))

    for (connection, delay) in zip(1..., [1.0, 2, 4, 8, 16, 30, 30]) {
      #expect(plan.connectionEnded(connection, refused, at: now).first == interruption(refused, delay))
      now += Int64(delay) * second
      #expect(plan.woken(at: now - 1).contains(.connect(connection + 1)) == false)
      #expect(plan.woken(at: now).first == .connect(connection + 1))
    }
    #expect(plan.statistics.reconnects == 7)
  }

  @Test func decodedFrameResetsTheDelay() {
    let plan = LivePlanDriver()
    _ = plan.start(at: 0)
    for connection in 1...3 {
      _ = plan.connectionEnded(connection, refused, at: 0)
      _ = plan.woken(at: 100 * second)
    }
    _ = plan.responded(4, isMultipart: true, at: 100 * second)
    _ = plan.frameArrived(4)
    _ = plan.decoded(1, nil)

    #expect(plan.connectionEnded(4, nil, at: 100 * second).first == interruption(nil, 1))
  }

  @Test func responseWithoutAFrameDoesNotResetTheDelay() {
    let plan = receivingPlan()

    #expect(plan.connectionEnded(1, nil, at: 0).first == interruption(nil, 1))
    _ = plan.woken(at: second)
    _ = plan.responded(2, isMultipart: true, at: second)
    #expect(plan.connectionEnded(2, nil, at: second).first == interruption(nil, 2))
  }

  @Test(arguments: [401, 403, 404, 410])
  func refusalIsRetriedSlowly(status: Int) {
    let plan = LivePlanDriver()
    _ = plan.start(at: 0)

    #expect(
      plan.connectionEnded(1, .status(status), at: 0).first
        == interruption(.status(status), LiveBackOff.slowDelay))
  }

  @Test func serverMayAskForALongerPause() {
    let plan = LivePlanDriver()
    _ = plan.start(at: 0)

    #expect(
      plan.connectionEnded(1, .status(503), retryAfter: 20, at: 0).first == interruption(.status(503), 20))
    _ = plan.woken(at: 20 * second)
    #expect(
      plan.connectionEnded(2, .status(503), retryAfter: 1e12, at: 0).first
        == interruption(.status(503), LiveBackOff.maximumRetryAfter))
  }

  @Test(arguments: [ImageError.invalidURL(""), .unsupportedScheme("ftp"), .shutDown])
  func errorThatIsFinalEndsTheStream(error: ImageError) {
    let plan = LivePlanDriver()
    _ = plan.start(at: 0)

    #expect(plan.connectionEnded(1, error, at: 0) == [.report(.failed(error)), .end])
    #expect(plan.hasEnded)
    #expect(plan.woken(at: 100 * second) == [])
    #expect(plan.networkReturned(at: 0) == [])
    #expect(plan.setPaused(true, at: 0) == [])
  }

  @Test func silentConnectionIsReplaced() {
    let plan = receivingPlan()
    plan.bytesArrived(1, at: 5 * second)

    #expect(plan.woken(at: 10 * second) == [.wake(at: 15 * second)])
    #expect(
      plan.woken(at: 15 * second) == [
        .disconnect(1), interruption(.timedOut(.stall(seconds: 10)), 1), .wake(at: 16 * second),
      ])
    #expect(plan.woken(at: 16 * second).first == .connect(2))
  }

  @Test func responseMustArriveWithinTheConnectLimitAndTheStallLimit() {
    let plan = LivePlanDriver()

    #expect(plan.start(at: 0) == [.connect(1), .wake(at: 20 * second)])
    #expect(plan.woken(at: 20 * second).first == .disconnect(1))
  }

  @Test func infiniteStallLimitSetsNoTimer() {
    let plan = LivePlanDriver(.init(stallLimit: .infinity))

    #expect(plan.start(at: 0) == [.connect(1)])
    #expect(plan.responded(1, isMultipart: true, at: 0) == [])
  }

  @Test func oneTimerIsSetAtATime() {
    let plan = receivingPlan()

    // The timer of the attempt to connect is the earlier one.
    for time in 1...100 { plan.bytesArrived(1, at: Int64(time)) }
    #expect(plan.setPaused(true, at: 0) == [.disconnect(1)])
    #expect(plan.setPaused(false, at: 0) == [.connect(2)])
  }

  // MARK: Pause, offline and the network

  @Test func pauseDropsFramesAndClosesTheConnection() {
    let plan = receivingPlan()
    _ = plan.frameArrived(1)
    _ = plan.frameArrived(1)

    #expect(plan.setPaused(true, at: 0) == [.disconnect(1), .drop(2), .stopDecoding(1)])
    #expect(plan.decoded(1, nil) == [])
    #expect(!plan.mayDeliver(1))
    #expect(plan.statistics.framesDropped == 2)
    #expect(plan.setPaused(true, at: 0) == [])
    #expect(plan.woken(at: 1000 * second) == [])
    #expect(plan.setPaused(false, at: 1000 * second).first == .connect(2))
    #expect(plan.statistics.reconnects == 0)
  }

  @Test func resumedStreamStillWaitsForItsNextAttempt() {
    let plan = receivingPlan()
    _ = plan.connectionEnded(1, refused, at: 0)
    _ = plan.setPaused(true, at: 0)

    #expect(plan.woken(at: second / 2) == [])
    #expect(!plan.setPaused(false, at: second / 2).contains(.connect(2)))
    #expect(plan.woken(at: second).first == .connect(2))
  }

  @Test func offlineSwitchClosesTheConnection() {
    let plan = receivingPlan()

    #expect(plan.setOffline(true, at: 0) == [.disconnect(1), interruption(.offline, nil)])
    #expect(plan.networkReturned(at: 0) == [])
    #expect(plan.woken(at: 100 * second) == [])
    #expect(plan.setOffline(false, at: 100 * second).first == .connect(2))
    #expect(plan.statistics.reconnects == 1)
  }

  @Test func streamThatStartsOfflineWaits() {
    let plan = LivePlanDriver(isOffline: true)

    #expect(plan.start(at: 0) == [interruption(.offline, nil)])
    #expect(plan.setOffline(false, at: 0).first == .connect(1))
  }

  @Test func returningNetworkEndsTheWait() {
    let plan = receivingPlan()
    for _ in 0..<2 { _ = plan.connectionEnded(1, refused, at: 0) }

    #expect(plan.networkReturned(at: 0).first == .connect(2))
    #expect(plan.networkReturned(at: 0).prefix(2) == [.disconnect(2), .connect(3)], "no response yet")
    _ = plan.responded(3, isMultipart: true, at: 0)
    #expect(!plan.networkReturned(at: 0).contains(.disconnect(3)), "a response arrives")
  }

  // MARK: Single images

  @Test func singleImageEndsTheStreamAfterItsDelivery() {
    let plan = receivingPlan(isMultipart: false)
    _ = plan.frameArrived(1)

    #expect(plan.connectionEnded(1, nil, at: 0) == [])
    #expect(plan.setPaused(true, at: 0) == [], "the last image is shown")
    #expect(plan.decoded(1, nil) == [.deliver(1), .report(.playing)])
    #expect(plan.delivered(1) == [.report(.ended), .end])
    #expect(plan.hasEnded)
  }

  @Test func singleImageIsRequestedAgainAfterTheInterval() {
    let plan = receivingPlan(.init(refreshInterval: 5), isMultipart: false)
    _ = plan.frameArrived(1)
    _ = plan.decoded(1, nil)
    _ = plan.delivered(1)

    #expect(plan.connectionEnded(1, nil, at: second) == [.wake(at: 6 * second)])
    #expect(plan.woken(at: 6 * second).first == .connect(2))
    _ = plan.responded(2, isMultipart: false, at: 6 * second)
    _ = plan.frameArrived(2)
    #expect(plan.decoded(2, nil) == [.deliver(2)], "playing is not reported again")
    #expect(plan.statistics.reconnects == 0)
    #expect(plan.connectionEnded(2, refused, at: 7 * second).first == interruption(refused, 1))
  }

  @Test(arguments: [Double.nan, -1, 0, .infinity, -.infinity])
  func anyNumbersAreAccepted(number: Double) {
    let plan = receivingPlan(.init(stallLimit: number, refreshInterval: number), isMultipart: false)

    _ = plan.connectionEnded(1, nil, at: .max - 1)
    _ = plan.woken(at: .max)
    var backOff = LiveBackOff()
    for _ in 0..<100 {
      let delay = backOff.delay(after: nil, retryAfter: number)
      #expect(delay >= 1)
    }
  }

  @Test func cancelledStreamReportsNothing() {
    let plan = receivingPlan()
    _ = plan.frameArrived(1)
    _ = plan.decoded(1, nil)

    #expect(plan.cancel() == [.disconnect(1), .stopDecoding(1), .end])
    #expect(plan.delivered(1) == [])
    #expect(plan.connectionEnded(1, refused, at: 0) == [])
    #expect(plan.cancel() == [])
  }
}
