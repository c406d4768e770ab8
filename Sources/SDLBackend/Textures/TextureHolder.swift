import Dispatch
import Synchronization
import VitrineGraphics

/// Lets the textures of a host go when the ledger asks for room, in a turn of the main queue.
///
/// However often it is asked before that, the most that was asked for at once is let go: each time it is asked for all
/// that is missing.
nonisolated final class TextureHolder: MemoryHolder {
  private struct Wish {
    var bytes = 0
    var pressure: MemoryPressure?
    var isPosted = false
  }

  private let wish = Mutex(Wish())
  private let grant: @MainActor @Sendable (_ bytes: Int, _ pressure: MemoryPressure?) -> Void

  /// `grant` lets go of so many bytes, and of what a shortage takes if there is one.
  init(grant: @escaping @MainActor @Sendable (_ bytes: Int, _ pressure: MemoryPressure?) -> Void) {
    self.grant = grant
  }

  /// The textures count from the start, in the ledger of the host's configuration.
  func count(against ledger: MemoryLedger) { ledger.register(self, as: .textures) }

  func release(bytes: Int) { post { $0.bytes = max($0.bytes, bytes) } }

  func relieve(_ pressure: MemoryPressure) { post { $0.pressure = max($0.pressure ?? pressure, pressure) } }

  private func post(_ change: (inout Wish) -> Void) {
    let isFirst = wish.withLock { wish in
      change(&wish)
      defer { wish.isPosted = true }
      return !wish.isPosted
    }
    guard isFirst else { return }
    DispatchQueue.main.async { [self] in
      let wish = wish.withLock { wish in
        defer { wish = Wish() }
        return wish
      }
      MainActor.assumeIsolated { grant(wish.bytes, wish.pressure) }
    }
  }
}
