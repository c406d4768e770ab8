import Synchronization
import VitrineConcurrency

/// Asks several layers at once and returns the first hit. A layer that does not respond delays a miss of the others for
/// a moment at first, and then nothing.
final class ConcurrentLookup: Sendable {
  /// The maximum number of lookups that wait for one layer. A layer that hangs counts as a miss for further lookups, so
  /// that the number of threads is bounded.
  static let maximumWaiting = 8
  /// The number of seconds after which a layer that has not responded counts as a miss, also for further lookups until
  /// it responds. Below `LookupLine.deadline`, so that the disk as a whole does not count as one that hangs.
  static let patience = 0.3

  private struct Layer {
    var waiting = 0
    /// The number of lookups that no longer wait for the layer.
    var late = 0
  }

  private let layers: Mutex<[Layer]>
  private let patience: Double

  init(layerCount: Int, patience: Double = ConcurrentLookup.patience) {
    layers = Mutex(Array(repeating: Layer(), count: layerCount))
    self.patience = patience
  }

  private struct State<Result: Sendable> {
    var result: Result?
    var remaining: Set<Int>
    /// True if the lookup has ended without the remaining layers.
    var isOver = false
  }

  private enum Outcome<Result> {
    case hit(Result)
    case miss(late: Set<Int>)
  }

  /// Calls `look` with the index of each layer, each on a thread of its own. Returns the first result that is not nil;
  /// nil if no layer has a result, or those that might have one do not respond.
  func firstResult<Result: Sendable>(
    in indices: [Int], _ look: @escaping @Sendable (_ layer: Int) -> Result?
  ) -> Result? {
    let asked = indices.filter { begin($0) }
    let state = ConditionLock(State<Result>(remaining: Set(asked)))
    for layer in asked {
      BlockingThread.start { [self] in
        let result = look(layer)
        let isLate = state.withLock { state in
          state.remaining.remove(layer)
          if state.result == nil { state.result = result }
          return state.isOver
        }
        end(layer, isLate: isLate)
      }
    }
    let deadline = ContinuousClock.now.advanced(by: .seconds(patience))
    let outcome = state.wait { state -> Outcome<Result>? in
      if let result = state.result { return .hit(result) }
      guard state.remaining.isEmpty || ContinuousClock.now >= deadline else { return nil }
      state.isOver = true
      return .miss(late: state.remaining)
    } timeout: { _ in
      Int64((deadline - ContinuousClock.now) / .nanoseconds(1))
    }
    switch outcome {
    case .hit(let result): return result
    case .miss(let late):
      giveUp(late)
      return nil
    }
  }

  private func begin(_ index: Int) -> Bool {
    layers.withLock { layers in
      guard layers[index].waiting < Self.maximumWaiting, layers[index].late <= 0 else { return false }
      layers[index].waiting += 1
      return true
    }
  }

  /// A lookup may end before `giveUp` counts it: `late` is then below 0 for a moment.
  private func end(_ index: Int, isLate: Bool) {
    layers.withLock { layers in
      layers[index].waiting -= 1
      if isLate { layers[index].late -= 1 }
    }
  }

  private func giveUp(_ late: Set<Int>) {
    layers.withLock { layers in
      for index in late { layers[index].late += 1 }
    }
  }
}
