import Synchronization
import VitrineGraphics
import VitrineLoading

/// A memory cache that calls a closure of the test at its events.
final class ObservedCache: ImageRequestCache {
  enum Event {
    /// A lookup is about to return.
    case lookedUp
    /// A downloader has asked whether to insert an image.
    case asked
    case willInsert
    case inserted(Image)
    case willRemove
  }

  let memory = MemoryImageCache()
  private let handler = Mutex<(@Sendable (Event) -> Void)?>(nil)

  /// Calls `handler` at each event, on the thread of the event.
  func observe(_ handler: @escaping @Sendable (Event) -> Void) { self.handler.withLock { $0 = handler } }

  /// Calls `body` once, when the next lookup is about to return.
  func onNextLookup(_ body: @escaping @Sendable () -> Void) {
    observe { [unowned self] event in
      guard case .lookedUp = event else { return }
      handler.withLock { $0 = nil }
      body()
    }
  }

  private func send(_ event: Event) { handler.withLock { $0 }?(event) }

  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    let image = memory.image(for: request, additionalIdentifier: additionalIdentifier)
    send(.lookedUp)
    return image
  }

  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    send(.willInsert)
    memory.insert(image, for: request, additionalIdentifier: additionalIdentifier)
    send(.inserted(image))
  }

  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    send(.willRemove)
    return memory.removeImage(for: request, additionalIdentifier: additionalIdentifier)
  }

  func removeAllImages() -> Bool { memory.removeAllImages() }

  func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    send(.asked)
    return true
  }
}
