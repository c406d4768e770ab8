import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Completions that change what they are told of.
@Suite(.timeLimit(.minutes(1)))
struct SlotReentryTests {
  private let bench = SlotBench()
  private let ear = Ear()

  @Test func completionMaySetAnotherPicture() async {
    let view = bench.view()
    let (bench, ear) = (bench, ear)

    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] result in
      ear.completion(result)
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: ear.completion)
    }
    await bench.transfer(1).answer(with: SlotBench.large)
    await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(view.image?.sourceWidth == 100)
    #expect(view.imageURL == "http://a.test/2")
    #expect(view.pendingSlots == 0)
  }

  @Test func completionMaySetAnotherPictureFromWithinAMemoryHit() throws {
    for name in ["1", "2"] {
      bench.cache.insert(
        .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/\(name)"),
        additionalIdentifier: nil)
    }
    let view = bench.view()
    let (bench, ear) = (bench, ear)

    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] _ in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: ear.completion)
    }

    #expect(view.image === ear.images.first)
    #expect(view.imageURL == "http://a.test/2")
  }

  @Test func completionMayCancelRemoveAndClear() async {
    let view = bench.view()
    let (bench, ear) = (bench, ear)

    for number in 1...2 {
      view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] result in
        view?.cancelImageLoad()
        view?.removeFromSuperview()
        view?.imageURL = nil
        bench.downloader.removeAllCachedImages()
        ear.completion(result)
      }
      #expect(view.isLoadingImage, "\(number)")
    }
    await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(ear.images.count == 2)
    #expect(view.image == nil)
    #expect(view.pendingSlots == 0)
  }

  @Test func completionMayLetGoOfItsView() async {
    let owner = Owner()
    let ear = ear
    owner.view = ImageView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    weak let watched = owner.view

    owner.view?.setImage(from: "http://a.test/1", options: bench.options) { result in
      owner.view = nil
      ear.completion(result)
    }
    await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    #expect(watched == nil)
    #expect(ear.images.count == 1)
  }

  @Test func pictureMayBeShownByAnotherCallOfTheSlot() async {
    let view = bench.view()
    let bench = bench
    var options = bench.options
    options.showsImage = { view, _ in view.imageURL = nil }

    view.setImage(from: "http://a.test/1", options: options, completion: ear.completion)
    await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    #expect(view.imageURL == nil)
    #expect(!view.isLoadingImage)
    #expect(view.pendingSlots == 0)
  }

  @Test func operationOfTheUsersUnderASlotsNameOutlivesTheLoad() async {
    let view = bench.view()
    let operation = CountedOperation()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: ear.completion)
    view.setLoadOperation(operation, forKey: "contents")
    await ear.hear()
    #expect(ear.errors == [.cancelled], "it has taken the place of the load")
    view.cancelLoadOperation(forKey: "contents")

    #expect(operation.cancels == 1)
    #expect(view.pendingSlots == 0)
  }

  @Test func nothingKeepsAViewOrItsLoadsAlive() async {
    weak var view: ImageView?
    weak var downloader: ImageDownloader?
    weak var cache: MemoryImageCache?
    do {
      let bench = SlotBench()
      let made = bench.view()
      view = made
      downloader = bench.downloader
      cache = bench.cache
      for name in ["1", "2", "1"] {
        made.setImage(from: "http://a.test/\(name)", options: bench.options, completion: ear.completion)
      }
      bench.run(until: 0.5)
      await bench.transfer(3).answer(with: SlotBench.large)
      await ear.hear(3)
      made.frame.size = Size(width: 300, height: 300)
      await bench.transport.waitUntilStarted(4)
    }
    for _ in 0..<10_000 where view != nil || downloader != nil || cache != nil { await Task.yield() }

    #expect(view == nil)
    #expect(downloader == nil)
    #expect(cache == nil)
    #expect(ear.errors == [.cancelled, .cancelled])
  }
}

@MainActor private final class Owner {
  var view: ImageView?
}

private final class CountedOperation: Cancellable {
  nonisolated(unsafe) var cancels = 0  // Only touched on the main actor, by these tests.
  nonisolated func cancel() { cancels += 1 }
}
