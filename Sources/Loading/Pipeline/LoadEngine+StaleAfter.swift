import Synchronization
import VitrineConcurrency
import VitrineGraphics

// Servers that do not answer in time, and stale images.

/// The reason why an image may be out of date; `nil` while the server is being asked.
package struct Staleness: Sendable {
  package let reason: ImageError?

  package init(reason: ImageError?) { self.reason = reason }
}

extension LoadEngine {
  /// Called at the time of a `.wake`.
  ///
  /// Serves callers whose server has not answered in time with the stored response. A probe for each image waits for
  /// the server's response and stores it in memory and on disk.
  func woken(at time: Int64) {
    perform { state in
      let overdue = state.registry.overdueCopies()
      var actions = state.registry.taken()
      for id in overdue {
        for (request, identifier) in state.registry.imagesAwaited(from: id) where !state.isShutDown {
          let probe = revalidation(of: request, identifier)
          let lookup = LookupNotes(began: trace.now, memory: .bypassed)
          actions += start(probe, probe.request, lookup, &state)
        }
        let (served, more) = state.registry.serveCopy(of: id)
        for task in served.compactMap({ state.tasks[$0] }) { state.transfers[id]?.receiver.remove(task) }
        actions += more
      }
      return actions + state.registry.woken(at: time)
    }
  }

  /// Creates a load without a caller, which asks the server whether a stale image has changed.
  func revalidation(of request: ImageRequest, _ identifier: String?) -> ImageTask {
    var request = request
    request.cachePolicy = .refresh
    request.priority = .veryLow
    request.progressive = .none
    return ImageTask(request, additionalIdentifier: identifier, isProbe: true)
  }

  /// Returns the reason why an image may be out of date, or `nil` if the image is not known to be stale.
  func staleness(of image: Image) -> Staleness? {
    guard staleCount.load(ordering: .relaxed) > 0 else { return nil }
    return state.withLock { $0.staleImages.staleness(of: image.number) }
  }
}
