import Synchronization
import Testing
import VitrineConcurrency

/// Values whose deinit needs the lock that they were taken from.
@Suite(.timeLimit(.minutes(5))) struct ReleaseAfterLockTests {
  private final class Witness: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  /// A mutex as an object, because a mutex cannot be copied into a closure.
  private final class Box: Sendable {
    let value = Mutex<Witness?>(nil)
    let releases = Atomic(0)
  }

  @Test func valueTakenFromAMutexIsReleasedAfterTheLock() {
    let box = Box()
    box.value.withLock {
      $0 = Witness { [unowned box] in
        box.value.withLock { _ in }
        box.releases.add(1, ordering: .relaxed)
      }
    }

    box.value.releaseAfterLock { $0.take() }

    #expect(box.releases.load(ordering: .relaxed) == 1)
  }

  @Test func replacedValueIsReleasedAfterTheLock() {
    let box = Box()
    box.value.replaceValue(
      with: Witness { [unowned box] in
        box.value.withLock { _ in }
        box.releases.add(1, ordering: .relaxed)
      })

    box.value.replaceValue(with: nil)

    #expect(box.releases.load(ordering: .relaxed) == 1)
  }

  @Test func valueTakenFromASharedValueIsReleasedAfterTheLock() {
    let shared = Shared<Witness?>(nil)
    let releases = Shared(0)
    shared.withLock {
      $0 = Witness { [unowned shared] in
        shared.withLock { _ in }
        releases.withLock { $0 += 1 }
      }
    }

    shared.releaseAfterLock { $0.take() }

    #expect(releases.withLock { $0 } == 1)
  }
}
