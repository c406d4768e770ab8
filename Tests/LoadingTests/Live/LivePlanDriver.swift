@testable import VitrineLoading

/// A plan behind a reference, so that its inputs can be part of an expectation.
final class LivePlanDriver {
  private var plan: LivePlan

  init(_ options: LiveImageStream.Options = .init(), connectLimit: Double = 10, isOffline: Bool = false) {
    plan = LivePlan(options, connectLimit: connectLimit, isOffline: isOffline)
  }

  var statistics: LiveImageStream.Statistics { plan.statistics }
  var hasEnded: Bool { plan.hasEnded }

  func start(at now: Int64) -> [LivePlan.Action] { plan.start(at: now) }

  func setPaused(_ isPaused: Bool, at now: Int64) -> [LivePlan.Action] { plan.setPaused(isPaused, at: now) }

  func setOffline(_ isOffline: Bool, at now: Int64) -> [LivePlan.Action] {
    plan.setOffline(isOffline, at: now)
  }

  func networkReturned(at now: Int64) -> [LivePlan.Action] { plan.networkReturned(at: now) }

  func cancel() -> [LivePlan.Action] { plan.cancel() }

  func responded(_ connection: Int, isMultipart: Bool, at now: Int64) -> [LivePlan.Action] {
    plan.responded(connection, isMultipart: isMultipart, at: now)
  }

  func bytesArrived(_ connection: Int, at now: Int64) { plan.bytesArrived(connection, at: now) }

  func frameArrived(_ connection: Int) -> [LivePlan.Action]? { plan.frameArrived(connection)?.actions }

  func frameDiscarded(_ connection: Int) { plan.frameDiscarded(connection) }

  func connectionEnded(
    _ connection: Int, _ error: ImageError?, retryAfter: Double? = nil, at now: Int64
  ) -> [LivePlan.Action] {
    plan.connectionEnded(connection, error, retryAfter: retryAfter, at: now)
  }

  func woken(at now: Int64) -> [LivePlan.Action] { plan.woken(at: now) }

  func decoded(_ frame: Int, _ error: ImageError?) -> [LivePlan.Action] { plan.decoded(frame, error) }

  func mayDeliver(_ frame: Int) -> Bool { plan.mayDeliver(frame) }

  func delivered(_ frame: Int) -> [LivePlan.Action] { plan.delivered(frame) }
}
