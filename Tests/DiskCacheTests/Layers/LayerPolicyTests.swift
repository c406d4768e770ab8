import Callbacks
import Foundation
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The policies of layered caches, as `SDImageCachesManager` has them. The ancestors' highest cache is the top layer.
@Suite(.timeLimit(.minutes(5))) struct LayerPolicyTests {
  let fixture = SeedFixture()

  /// Two writable caches on disk with a response each for the same request.
  private func layers() -> [DiskImageCache] {
    let layers = [fixture.top.cache(), fixture.seed.cache()]
    for (index, layer) in layers.enumerated() {
      layer.store(SeedFixture.response(index), for: identity(1))
    }
    return layers
  }

  private func policies(_ change: (inout LayeredImageCache.Policies) -> Void) -> LayeredImageCache.Policies {
    var policies = LayeredImageCache.Policies()
    change(&policies)
    return policies
  }

  @Test("SD-C45 lowest-only uses the first cache and highest-only the last")
  func lowestOnlyAndHighestOnlyUseOneLayer() {
    let layers = layers()
    for (policy, index) in [(LayeredImageCache.Policy.highestOnly, 0), (.lowestOnly, 1)] {
      let cache = LayeredImageCache(
        layers: layers,
        policies: policies {
          ($0.lookups, $0.containment, $0.stores, $0.removals) = (policy, policy, policy, policy)
        })
      #expect(cache.response(for: identity(1)) == SeedFixture.response(index))
      #expect(cache.indexOfLayer(containing: identity(1)) == index)
      #expect(cache.store(storedResponse(seed: 9), for: identity(2)))
      #expect(layers[index].containsResponse(for: identity(2)))
      #expect(!layers[1 - index].containsResponse(for: identity(2)))
      #expect(cache.removeResponse(for: identity(1)) && !cache.removeResponse(for: identity(1)))
      #expect(!layers[index].containsResponse(for: identity(1)))
      #expect(cache.removeAllResponses() && layers[index].measured().entries == 0)
      layers[index].store(SeedFixture.response(index), for: identity(1))
    }
  }

  @Test("SD-C46 asked at the same time, the cache that answers first tells where the image is")
  func fastestLayerAnswersConcurrentQuestion() async throws {
    let gate = Gate()
    let slow = SlowCache(gate)
    slow.inner.store(SeedFixture.response(0), for: identity(1))
    let fast = layers()[1]
    let cache = LayeredImageCache(
      layers: [slow, fast],
      policies: policies { ($0.lookups, $0.containment) = (.concurrent, .concurrent) })

    let index: Int? = try await callback { done in
      BlockingThread.start { done(cache.indexOfLayer(containing: identity(1))) }
    }
    let response: StoredResponse? = try await callback { done in
      BlockingThread.start { done(cache.response(for: identity(1))) }
    }

    #expect(index == 1 && response == SeedFixture.response(1))
    gate.open()
  }

  @Test("SD-C47 asked one after the other, the top cache goes first")
  func topLayerAnswersSerialQuestionFirst() {
    let cache = LayeredImageCache(layers: layers(), policies: policies { $0.containment = .serial })

    #expect(cache.indexOfLayer(containing: identity(1)) == 0)
    #expect(cache.response(for: identity(1)) == SeedFixture.response(0))
    (cache.layers[0] as? DiskImageCache)?.removeResponse(for: identity(1))
    #expect(cache.indexOfLayer(containing: identity(1)) == 1)
  }

  @Test func concurrentMissWaitsForAllLayers() async throws {
    let gate = Gate()
    let slow = SlowCache(gate)
    slow.inner.store(SeedFixture.response(5), for: identity(2))
    let cache = LayeredImageCache(
      layers: [fixture.top.cache(), slow], policies: policies { $0.lookups = .concurrent }, patience: 60)

    async let found: StoredResponse? = callback { done in
      BlockingThread.start { done(cache.response(for: identity(2))) }
    }
    await gate.waitUntilHeld(1)
    gate.open()

    #expect(try await found == SeedFixture.response(5))
  }

  @Test func layerThatHangsOccupiesABoundedNumberOfThreads() async throws {
    let gate = Gate()
    let cache = LayeredImageCache(
      layers: [SlowCache(gate), layers()[1]], policies: policies { $0.lookups = .concurrent })
    for _ in 0..<ConcurrentLookup.maximumWaiting {
      let response: StoredResponse? = try await callback { done in
        BlockingThread.start { done(cache.response(for: identity(1))) }
      }
      #expect(response == SeedFixture.response(1))
    }
    await gate.waitUntilHeld(ConcurrentLookup.maximumWaiting)

    // The layer counts as a miss, so that a miss of the other layer is a miss.
    let missing: StoredResponse? = try await callback { done in
      BlockingThread.start { done(cache.response(for: identity(7))) }
    }

    #expect(missing == nil)
    gate.open()
  }

  @Test("a layer that does not respond in time counts as a miss until it responds")
  func layerThatDoesNotRespondIsNotAsked() async throws {
    let gate = Gate()
    let slow = SlowCache(gate)
    slow.inner.store(SeedFixture.response(5), for: identity(7))
    let cache = LayeredImageCache(
      layers: [layers()[0], slow], policies: policies { $0.lookups = .concurrent }, patience: 0.01)
    func response(_ number: Int) async throws -> StoredResponse? {
      try await callback { done in BlockingThread.start { done(cache.response(for: identity(number))) } }
    }

    #expect(try await response(7) == nil)
    for _ in 0..<3 {
      #expect(try await response(7) == nil && cache.head(for: identity(7)) == nil)
      #expect(try await response(1) == SeedFixture.response(0))
      #expect(cache.head(for: identity(1)) != nil)
    }
    await gate.waitUntilHeld(1)

    gate.open()
    while try await response(7) != SeedFixture.response(5) {}
  }

  @Test func writableLayerIsWaitedForWithoutALimit() {
    let cache = LayeredImageCache(
      layers: layers(), policies: policies { $0.lookups = .concurrent }, patience: 0)
    for _ in 0..<20 {
      #expect(cache.response(for: identity(1)) != nil && cache.head(for: identity(1)) != nil)
    }
  }

  @Test("a layer that has responded is waited for while it reads a body")
  func layerThatReadsIsWaitedFor() async throws {
    let (reading, hanging) = (Gate(), Gate())
    let lookup = ConcurrentLookup(layerCount: 1, patience: 1)
    async let found: Int? = callback { done in
      BlockingThread.start {
        done(
          lookup.firstResult(in: [0]) { _, responds in
            responds()
            reading.pass()
            return 7
          })
      }
    }
    await reading.waitUntilHeld(1)

    // Ends later than the patience of the first lookup.
    let late: Int? = try await callback { done in
      BlockingThread.start {
        done(
          ConcurrentLookup(layerCount: 1, patience: 1).firstResult(in: [0]) { _, _ in
            hanging.pass()
            return 8
          })
      }
    }
    #expect(late == nil)
    reading.open()
    #expect(try await found == 7)
    hanging.open()
  }

  @Test func storesOfSeveralLayersReachAll() {
    let layers = [fixture.top.cache(), fixture.seed.cache()]
    for policy in [LayeredImageCache.Policy.serial, .concurrent] {
      let cache = LayeredImageCache(layers: layers, policies: policies { $0.stores = policy })
      #expect(cache.store(storedResponse(), for: identity(3)))
      for layer in layers { #expect(layer.containsResponse(for: identity(3))) }
      #expect(cache.removeAllResponses())
      for layer in layers { #expect(layer.measured().entries == 0) }
    }
  }

  @Test func policiesHaveDefaults() {
    let policies = LayeredImageCache.Policies()

    #expect(policies.lookups == .serial && policies.containment == .serial)
    #expect(policies.stores == .highestOnly && policies.removals == .serial)
    #expect(LayeredImageCache.Policy.allCases.map { $0.layers(of: 3) } == [[0, 1, 2], [0, 1, 2], [0], [2]])
    #expect(LayeredImageCache.Policy.allCases.allSatisfy { $0.layers(of: 0).isEmpty })
  }
}

/// A cache in memory whose lookups wait at a gate.
private final class SlowCache: ImageDataCache {
  let inner = MemoryDataCache()
  private let gate: Gate

  init(_ gate: Gate) { self.gate = gate }

  func response(for identity: RequestIdentity) -> StoredResponse? {
    gate.pass()
    return inner.response(for: identity)
  }

  func head(for identity: RequestIdentity) -> StoredHead? {
    gate.pass()
    return nil
  }

  func containsResponse(for identity: RequestIdentity) -> Bool {
    gate.pass()
    return inner.containsResponse(for: identity)
  }

  @discardableResult
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    inner.store(response, for: identity)
  }

  @discardableResult
  func removeResponse(for identity: RequestIdentity) -> Bool { inner.removeResponse(for: identity) }

  @discardableResult
  func removeAllResponses() -> Bool { inner.removeAllResponses() }
}
