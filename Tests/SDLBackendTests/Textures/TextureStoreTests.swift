import Callbacks
import Testing
import VitrineTesting
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

struct LRUCacheTests {
  @Test func leastRecentlyUsedValueIsEvictedFirst() {
    var cache = LRUCache<String, Int>(limit: 30)
    cache.insert(1, for: "a", cost: 10, stamp: 1)
    cache.insert(2, for: "b", cost: 10, stamp: 2)
    cache.insert(3, for: "c", cost: 10, stamp: 3)
    _ = cache.value(for: "a", stamp: 4)

    let evicted = cache.insert(4, for: "d", cost: 15, stamp: 5)

    #expect(evicted == ["b", "c"])
    #expect(cache.value(for: "a", stamp: 6) == 1)
    #expect(cache.cost == 25)
    #expect(cache.count == 2)
  }

  @Test func valueOfTheSameFrameIsNotEvicted() {
    var cache = LRUCache<String, Int>(limit: 10)
    cache.insert(1, for: "a", cost: 10, stamp: 1)

    #expect(cache.insert(2, for: "b", cost: 10, stamp: 1) == ["b"], "the cache has no room")
    #expect(cache.value(for: "a", stamp: 1) == 1)
    #expect(cache.insert(2, for: "b", cost: 10, stamp: 2) == ["a"])
  }

  @Test func valueLargerThanTheLimitIsNotCached() {
    var cache = LRUCache<String, Int>(limit: 10)
    cache.insert(1, for: "a", cost: 4, stamp: 1)

    #expect(cache.insert(2, for: "b", cost: 11, stamp: 2) == ["b"])
    #expect(cache.value(for: "a", stamp: 3) == 1, "nothing was evicted for the large value")
  }

  @Test func limitOfZeroPreventsCaching() {
    var cache = LRUCache<String, Int>(limit: 0)

    cache.insert(1, for: "a", cost: 1, stamp: 1)

    #expect(cache.count == 0)
    #expect(cache.value(for: "a", stamp: 2) == nil)
  }

  @Test func insertWithTheSameKeyReplacesTheValue() {
    var cache = LRUCache<String, Int>(limit: 10)
    cache.insert(1, for: "a", cost: 4, stamp: 1)
    cache.insert(2, for: "a", cost: 6, stamp: 1)
    cache.remove("b")

    #expect(cache.cost == 6)
    #expect(cache.value(for: "a", stamp: 1) == 2)
    cache.remove("a")
    cache.remove("a")
    #expect(cache.cost == 0 && cache.count == 0)
  }
}

extension SDLTests {
  struct TextureBudgetTests {
    private func images(_ count: Int) -> [Image] {
      (0..<count).map { index in
        Image(width: 20, height: 20) { _, _ in Color(red: UInt8(index), green: 9, blue: 9) }
      }
    }

    /// Each image in 10x10 points, 400 bytes, in a row.
    private func row(_ images: [Image], _ list: inout DrawList) {
      for (index, image) in images.enumerated() {
        list.draw(
          DrawList.ImageCommand(
            image: image, destination: Rect(x: Double(index) * 10, y: 0, width: 10, height: 10)))
      }
    }

    @Test func textureBytesStayWithinTheBudget() throws {
      let test = try TestHost(width: 100) { $0.textureByteBudget = 1000 }
      for image in images(8) {
        test.draw { row([image], &$0) }
        test.drawUntilClean()
        #expect(test.host.textureBytes <= 1000)
      }
      #expect(test.host.textureBytes == 800)
    }

    @Test func imagesBeyondTheBudgetAreDrawnCoarselyWithoutMoreFrames() throws {
      let test = try TestHost(width: 100) { $0.textureByteBudget = 1000 }
      let shown = images(5)
      test.draw { row(shown, &$0) }

      test.frame()

      #expect(!test.window.isDirty)
      #expect(test.host.textureBytes == 800)
      for index in 0..<5 { #expect(Int(test.pixel(index * 10 + 5, 5).red) == index, "no holes") }
    }

    @Test func imagesAreShownWithATextureBudgetOfZero() throws {
      let test = try TestHost(width: 100) { $0.textureByteBudget = 0 }
      let shown = images(2)
      test.draw { list in
        row(shown, &list)
        list.text(
          "text", font: .regular(12), color: .white, at: Point(x: 0, y: 15), size: Size(width: 40, height: 15)
        )
      }

      test.frame()

      #expect(test.pixel(15, 5) == Color(red: 1, green: 9, blue: 9))
      #expect(!test.window.isDirty)
      #expect(test.host.textureBytes == 0)
    }

    @Test func imagesBeyondTheUploadBudgetWaitForTheNextFrame() throws {
      // Each image reads 20x20 pixels, 1600 bytes: two fit into a frame.
      let test = try TestHost(width: 100) { $0.uploadByteBudget = 3500 }
      let shown = images(5)
      test.draw { row(shown, &$0) }

      for bytes in [800, 1600, 2000] {
        #expect(test.window.isDirty)
        test.frame()
        #expect(test.host.textureBytes == bytes)
        for index in 0..<5 { #expect(Int(test.pixel(index * 10 + 5, 5).red) == index, "no holes") }
      }
      #expect(!test.window.isDirty)
    }

    @Test func oneTexturePerFrameIsMadeWithAnUploadBudgetOfZero() throws {
      let test = try TestHost(width: 100) { $0.uploadByteBudget = 0 }
      let shown = images(3)
      test.draw { row(shown, &$0) }

      test.frame()
      #expect(test.host.textureBytes == 400)
      test.drawUntilClean()
      #expect(test.host.textureBytes == 1200)
    }

    @Test func traceRecordsOneUploadPerTexture() {
      let trace = Trace()
      let store = TextureStore(maker: PixelsInMemory(), budget: 10_000, frameBudget: 10_000, trace: trace)
      let image = images(1)[0]
      let shrunk = DrawList.ImageCommand(image: image, destination: .zero)
      for _ in 0..<3 {
        store.beginFrame()
        _ = store.drawing(of: shrunk, in: PixelRect(width: 10, height: 10), corners: CornerMask(radius: 0))
        _ = store.drawing(
          of: shrunk, in: PixelRect(width: image.pixelWidth, height: image.pixelHeight),
          corners: CornerMask(radius: 0))
      }

      #expect(trace.events.count == 1)
      guard case .uploaded(image.number, let duration)? = trace.events.first?.kind else {
        Issue.record("\(trace.events)")
        return
      }
      #expect(duration >= 0)
    }

    @Test func preparedImageIsNotUploadedInItsFrame() {
      let trace = Trace()
      let store = TextureStore(maker: PixelsInMemory(), budget: 10_000, frameBudget: 0, trace: trace)
      let commands = images(2).map { DrawList.ImageCommand(image: $0, destination: .zero) }
      let rect = PixelRect(width: 10, height: 10)
      store.beginFrame()

      for command in commands { store.prepare(command, in: rect, corners: CornerMask(radius: 0)) }

      #expect(trace.events.count == 2, "the budget of a frame does not apply")
      store.beginFrame()
      for command in commands {
        guard case .texture = store.drawing(of: command, in: rect, corners: CornerMask(radius: 0)) else {
          Issue.record("no texture")
          return
        }
      }
      #expect(trace.events.count == 2)
    }

    @Test func preparedImageHasATextureOfAFurtherSizeAtOnce() {
      let store = TextureStore(maker: PixelsInMemory(), budget: 10_000, frameBudget: 10_000)
      let command = DrawList.ImageCommand(image: images(1)[0], destination: .zero)
      let (small, large) = (PixelRect(width: 10, height: 10), PixelRect(width: 12, height: 12))
      store.beginFrame()
      _ = store.drawing(of: command, in: small, corners: CornerMask(radius: 0))

      store.prepare(command, in: large, corners: CornerMask(radius: 0))

      store.beginFrame()
      guard case .texture = store.drawing(of: command, in: large, corners: CornerMask(radius: 0)) else {
        Issue.record("no texture")
        return
      }
      #expect(store.count == 2)
    }

    @Test func windowPreparesAnImageOfALaterFrame() throws {
      let test = try TestHost(width: 100)
      let image = images(1)[0]
      test.frame()

      test.window.prepareImage?(
        DrawList.ImageCommand(image: image, destination: Rect(x: 0, y: 0, width: 10, height: 10)))

      #expect(test.host.textureBytes == 400)
      #expect(!test.window.isDirty)
      test.draw { row([image], &$0) }
      test.frame()
      #expect(test.host.textureBytes == 400)
    }

    @Test func sweepRemovesTexturesOfReleasedImages() throws {
      let store = TextureStore(maker: PixelsInMemory(), budget: 10_000, frameBudget: 10_000)
      let rect = PixelRect(width: 10, height: 10)
      var image: Image? = images(1)[0]
      store.beginFrame()
      _ = store.drawing(
        of: DrawList.ImageCommand(image: try #require(image), destination: .zero), in: rect,
        corners: CornerMask(radius: 0))
      #expect(store.byteCount == 400)
      store.sweep()
      #expect(store.byteCount == 400)

      image = nil
      store.sweep()

      #expect(store.byteCount == 0)
      #expect(store.count == 0)
    }
  }
}

/// Textures in the memory ledger that they share with images.
struct TextureLedgerTests {
  private let ledger = MemoryLedger(budget: 10_000)

  private func store() -> TextureStore<PixelsInMemory> {
    TextureStore(maker: PixelsInMemory(), budget: 10_000, frameBudget: 10_000, ledger: ledger)
  }

  private func image() -> Image { Image(width: 20, height: 20) { _, _ in .black } }

  /// Draws an image in 10x10 pixels, whose texture takes 400 bytes.
  private func draw(_ image: Image, _ store: TextureStore<PixelsInMemory>) {
    store.beginFrame()
    _ = store.drawing(
      of: DrawList.ImageCommand(image: image, destination: .zero), in: PixelRect(width: 10, height: 10),
      corners: CornerMask(radius: 0))
  }

  @Test func ledgerCountsTexturesWhileTheyExist() {
    do {
      let store = store()
      let image = image()
      draw(image, store)
      #expect(ledger.usage.textures == 400)
      store.removeAll()
      #expect(ledger.usage.textures == 0)
      draw(image, store)
      #expect(ledger.usage.textures == 400)
    }
    #expect(ledger.usage.textures == 0, "a released store counts nothing")
  }

  @Test func releaseEvictsTexturesButKeepsThoseOfTheLastFrame() {
    let store = store()
    let images = (0..<4).map { _ in image() }
    for image in images { draw(image, store) }

    store.release(bytes: 500)

    #expect(store.count == 2)
    #expect(ledger.usage.textures == 800)
    store.release(bytes: .max)
    #expect(store.count == 1, "the texture of the last frame")
    store.release(bytes: -1)
    #expect(store.count == 1)
    withExtendedLifetime(images) {}
  }

  @Test func releaseCanKeepTexturesOfShownImages() {
    let store = store()
    let shown = image()
    let others = (0..<3).map { _ in image() }
    let showing = Image.Showing(shown)
    for image in [shown] + others { draw(image, store) }

    store.release(bytes: .max, keepsShown: true)

    #expect(store.count == 2, "the texture of the shown image, and that of the last frame")
    _ = consume showing
    store.release(bytes: .max, keepsShown: true)
    #expect(store.count == 1)
    withExtendedLifetime(others) {}
  }

  private final class Calls {
    var count = 0
  }

  @Test func releasesOfOtherThreadsAreMergedIntoOneCallOnTheMainQueue() async throws {
    let calls = Calls()
    try await untilCalled { done in
      let holder = TextureHolder { bytes, pressure in
        #expect(bytes == 30)
        #expect(pressure == .critical)
        calls.count += 1
        done()
      }
      holder.release(bytes: 10)
      holder.release(bytes: 30)
      holder.release(bytes: 20)
      holder.handlePressure(.critical)
      holder.handlePressure(.warning)
    }
    #expect(calls.count == 1)
  }
}
