import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The removal of stale images from memory.
struct StaleImageRemoverTests {
  private let clock = ManualLoadingClock()
  private let cache = MemoryImageCache()
  private let image = Image.solid(width: 1, height: 1)

  private func remover(after seconds: Double) -> StaleImageRemover {
    StaleImageRemover(from: cache, after: seconds, clock: clock)
  }

  private func store(_ image: Image, in remover: StaleImageRemover) {
    cache.insert(image, for: request(), additionalIdentifier: nil)
    remover.note(image, request(), nil, because: .status(503))
  }

  @Test func staleImageIsRemovedAfterAWhile() {
    let remover = remover(after: 10)
    store(image, in: remover)
    #expect(remover.staleness(of: image)?.reason == .status(503))
    #expect(remover.staleness(of: .solid(width: 1, height: 1)) == nil)

    clock.advance(by: 9)
    #expect(cache.image(for: request(), additionalIdentifier: nil) === image)
    clock.advance(by: 1)
    #expect(cache.image(for: request(), additionalIdentifier: nil) == nil)
    #expect(remover.staleness(of: image) == nil)
  }

  @Test func imageThatReplacedAStaleImageIsNotRemoved() {
    let remover = remover(after: 10)
    store(image, in: remover)
    let newer = Image.solid(width: 1, height: 1)
    cache.insert(newer, for: request(), additionalIdentifier: nil)
    clock.advance(by: 10)
    #expect(cache.image(for: request(), additionalIdentifier: nil) === newer)
  }

  @Test func allStaleImagesCanBeRemovedAtOnce() {
    let remover = remover(after: .infinity)
    store(image, in: remover)
    remover.removeAll()
    #expect(cache.image(for: request(), additionalIdentifier: nil) == nil)
    #expect(remover.staleness(of: image) == nil)
  }
}
