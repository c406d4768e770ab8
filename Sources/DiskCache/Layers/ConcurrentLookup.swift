import Synchronization
import VitrineConcurrency

/// Asks several layers at once and returns the first hit. A layer that does not respond delays nothing.
final class ConcurrentLookup: Sendable {
  /// The maximum number of lookups that wait for one layer. A layer that hangs counts as a miss for further lookups, so
  /// that the number of threads is bounded.
  static let maximumWaiting = 8

  private let waiting: Mutex<[Int]>

  init(layerCount: Int) { waiting = Mutex(Array(repeating: 0, count: layerCount)) }

  private struct State<Result: Sendable> {
    var result: Result?
    var remaining: Int
  }

  private enum Outcome<Result> {
    case hit(Result)
    case miss
  }

  /// Calls `look` with the index of each layer, each on a thread of its own. Returns the first result that is not nil;
  /// nil if no layer has a result.
  func firstResult<Result: Sendable>(
    in layers: [Int], _ look: @escaping @Sendable (_ layer: Int) -> Result?
  ) -> Result? {
    let state = ConditionLock(State<Result>(remaining: layers.count))
    for layer in layers {
      guard begin(layer) else {
        state.withLock { $0.remaining -= 1 }
        continue
      }
      BlockingThread.start { [self] in
        let result = look(layer)
        end(layer)
        state.withLock { state in
          state.remaining -= 1
          if state.result == nil { state.result = result }
        }
      }
    }
    let outcome = state.wait { state -> Outcome<Result>? in
      if let result = state.result { return .hit(result) }
      return state.remaining == 0 ? .miss : nil
    }
    return if case .hit(let result) = outcome { result } else { nil }
  }

  private func begin(_ layer: Int) -> Bool {
    waiting.withLock { waiting in
      guard waiting[layer] < Self.maximumWaiting else { return false }
      waiting[layer] += 1
      return true
    }
  }

  private func end(_ layer: Int) { waiting.withLock { $0[layer] -= 1 } }
}
