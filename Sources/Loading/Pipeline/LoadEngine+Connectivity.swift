import Synchronization
import VitrineConcurrency
import VitrineGraphics

// The return of the network and steps of the wall clock.

extension LoadEngine {
  /// Called each time the network has returned. Returns in quick succession are handled together.
  func networkReturned() {
    switch state.withLock({ $0.networkReturns.reported(at: clock.now) }) {
    case .act: actOnNetworkReturn()
    case .join: break
    case .wait(let time):
      clock.wake(at: time) { [weak self] in
        guard let self, state.withLock({ $0.networkReturns.woken(at: self.clock.now) }) else { return }
        actOnNetworkReturn()
      }
    }
  }

  func clockStepped() {
    recovery.clockStepped()
    connectivity.notify()
  }

  /// Sends waiting and failed requests now, forgets remembered failures, and removes stale images from memory.
  private func actOnNetworkReturn() {
    let stale = state.withLock { state in
      defer { staleCount.store(0, ordering: .relaxed) }
      return state.staleImages.takeAll()
    }
    forget(stale)
    perform { state in
      _ = state.failures?.removeAll()
      return state.registry.networkReturned()
    }
    recovery.networkReturned()
    connectivity.notify()
  }
}
