import VitrineConcurrency
import VitrineGraphics

/// Releases preview decoders and resumable data when a whole image needs the memory.
final class UnneededMemory: MemoryHolder {
  private let state: Shared<LoadState>
  private let workers: WorkerPool
  private let ledger: MemoryLedger

  /// Registers the memory with the ledger, which keeps a weak reference.
  init(_ state: Shared<LoadState>, workers: WorkerPool, ledger: MemoryLedger) {
    self.state = state
    self.workers = workers
    self.ledger = ledger
    ledger.register(self, as: .decoding)
  }

  /// Does nothing, because the ledger of a downloader does not change.
  func count(against ledger: MemoryLedger) {}

  /// Releases memory only if a decode or a body waits for memory. Previews take no memory from one another.
  func release(bytes: Int) {
    if workers.isShortOfMemory || ledger.isBodyWaiting { releaseUnneeded(bytes) }
  }

  /// Releases all preview decoders that are not in use, at critical pressure.
  func handlePressure(_ pressure: MemoryPressure) { if pressure == .critical { releaseUnneeded(.max) } }

  private func releaseUnneeded(_ bytes: Int) {
    let isBodyWaiting = ledger.isBodyWaiting
    state.releaseAfterLock { state in
      state.registry.previews.releaseDecoders(bytes: bytes)
      return (
        state.registry.previews.takeReleasedDecoders(),
        isBodyWaiting ? state.attempts.takeOldest(bytes: bytes) : []
      )
    }
  }
}
