import Dispatch
import Synchronization
import VitrineGraphics

/// Evicts the textures of a host when the memory ledger requires it, asynchronously on the main queue.
///
/// Requests that arrive before the main queue runs are combined to the largest of them, because each asks for all
/// memory that is missing at that time.
final class TextureHolder: MemoryHolder {
  private struct Request {
    var bytes = 0
    var pressure: MemoryPressure?
    var isPosted = false
  }

  private let request = Mutex(Request())
  private let evict: @MainActor @Sendable (_ bytes: Int, _ pressure: MemoryPressure?) -> Void

  /// - Parameter evict: Evicts `bytes` bytes of textures, and handles the memory pressure if there is any.
  init(evict: @escaping @MainActor @Sendable (_ bytes: Int, _ pressure: MemoryPressure?) -> Void) {
    self.evict = evict
  }

  /// Registers the holder. The texture store counts its textures in the ledger of the host's configuration from the
  /// start.
  func count(against ledger: MemoryLedger) { ledger.register(self, as: .textures) }

  func release(bytes: Int) { post { $0.bytes = max($0.bytes, bytes) } }

  func handlePressure(_ pressure: MemoryPressure) {
    post { $0.pressure = max($0.pressure ?? pressure, pressure) }
  }

  private func post(_ change: (inout Request) -> Void) {
    let isFirst = request.withLock { request in
      change(&request)
      defer { request.isPosted = true }
      return !request.isPosted
    }
    guard isFirst else { return }
    DispatchQueue.main.async { [self] in
      let request = request.withLock { request in
        defer { request = Request() }
        return request
      }
      MainActor.assumeIsolated { evict(request.bytes, request.pressure) }
    }
  }
}
