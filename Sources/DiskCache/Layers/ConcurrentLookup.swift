import Synchronization
import VitrineConcurrency

/// Asks several layers at once and returns the first hit. A seed that does not respond delays a miss of the others for a
/// moment at first, and then nothing.
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
  /// The layers that are waited for without a limit.
  private let awaited: Set<Int>
  private let patience: Double

  /// - Parameter awaited: The layers that are waited for without a limit, such as a writable one.
  init(layerCount: Int, awaited: Set<Int> = [], patience: Double = ConcurrentLookup.patience) {
    layers = Mutex(Array(repeating: Layer(), count: layerCount))
    self.awaited = awaited
    self.patience = patience
  }

  private struct State<Result: Sendable> {
    var result: Result?
    var remaining: Set<Int>
    /// The layers that have responded, or are waited for without a limit.
    var responding: Set<Int>
    /// True if the lookup has ended without the remaining layers.
    var isOver = false
  }

  private enum Outcome<Result> {
    case hit(Result)
    case miss(late: Set<Int>)
  }

  /// Calls `look` with the index of each layer, each on a thread of its own. Returns the first result that is not nil;
  /// nil if no layer has a result, or those that might have one do not respond.
  ///
  /// - Parameter look: Calls `responds` when the layer has responded but needs more time, for example to read a body.
  func firstResult<Result: Sendable>(
    in indices: [Int], _ look: @escaping @Sendable (_ layer: Int, _ responds: () -> Void) -> Result?
  ) -> Result? {
    let asked = indices.filter { begin($0) }
    let state = ConditionLock(State<Result>(remaining: Set(asked), responding: awaited))
    for layer in asked {
      BlockingThread.start { [self] in
        let result = look(layer) { state.withLock { _ = $0.responding.insert(layer) } }
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
      guard
        state.remaining.isEmpty
          || state.remaining.isDisjoint(with: state.responding) && ContinuousClock.now >= deadline
      else { return nil }
      state.isOver = true
      return .miss(late: state.remaining)
    } timeout: { state in
      let remaining = Int64((deadline - ContinuousClock.now) / .nanoseconds(1))
      return remaining > 0 ? remaining : nil
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
