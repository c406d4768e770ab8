import VitrineConcurrency
import VitrineGraphics

extension LoadEngine {
  /// Runs `work` on the writer thread after all earlier disk operations. `completion` is called once with the result;
  /// with `nil` if there is no disk cache, too many operations wait, or the disk hangs.
  func access<Value: Sendable>(
    _ kind: DiskWrites.Kind = .look, _ work: @escaping @Sendable (any ImageDataCache) -> Value,
    completion: @escaping @Sendable (Value?) -> Void
  ) {
    let result = Shared<Value?>(nil)
    change(kind) { cache in
      let value = work(cache)
      result.withLock { $0 = value }
      return true
    } completion: { isDone in
      completion(isDone ? result.withLock { $0 } : nil)
    }
  }

  /// Removes everything on disk and reports progress. Look-ups that begin after this call do not find the removed
  /// responses.
  func removeAllFromDisk(
    progress: @escaping @Sendable (_ removed: Int, _ total: Int) -> Void,
    completion: @escaping @Sendable (_ isComplete: Bool) -> Void
  ) {
    guard dataCache != nil else { return completion(false) }
    change(.removeAll) {
      $0.removeAllResponses(progress: progress)
    } completion: {
      completion($0)
    }
  }
}
