import Synchronization
import VitrineGraphics

// Servers that do not answer in time, and images that may have changed.

/// Why an image may be out of date; nil while its server is being asked.
package struct Staleness: Sendable {
  package let reason: ImageError?

  package init(reason: ImageError?) { self.reason = reason }
}

extension LoadEngine {
  /// The time of a `.wake` has come.
  ///
  /// Serves the callers whose server has not answered in time by what the disk has. The server's response is waited for by
  /// a probe for each image, so that it is in memory and on disk afterwards.
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

  /// A load that asks the server whether a stale image has changed, for no caller.
  func revalidation(of request: ImageRequest, _ identifier: String?) -> ImageTask {
    var request = request
    request.cachePolicy = .refresh
    request.priority = .veryLow
    request.progressive = .none
    return ImageTask(request, additionalIdentifier: identifier, isProbe: true)
  }

  /// Nil for an image that is not known to be stale.
  func staleness(of image: Image) -> Staleness? {
    guard staleCount.load(ordering: .relaxed) > 0 else { return nil }
    return state.withLock { $0.stalePictures.staleness(of: image.number) }
  }
}
