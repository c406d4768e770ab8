import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Completions that set another image, and clear, remove or release their view.
@Suite(.timeLimit(.minutes(5)))
struct SlotCompletionTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test func completionMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)

    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] result in
      recorder.completion(result)
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image?.sourceWidth == 100)
    #expect(view.imageURL == "http://a.test/2")
    #expect(view.pendingSlots == 0)
  }

  @Test func completionOfAMemoryHitMaySetAnotherImage() throws {
    for name in ["1", "2"] {
      bench.cache.insert(
        .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/\(name)"),
        additionalIdentifier: nil)
    }
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)

    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] _ in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }

    #expect(view.image === recorder.images.first)
    #expect(view.imageURL == "http://a.test/2")
  }

  @Test func completionMayCancelRemoveAndClear() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)

    for number in 1...2 {
      view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] result in
        view?.cancelImageLoad()
        view?.removeFromSuperview()
        view?.imageURL = nil
        bench.downloader.removeAllCachedImages()
        recorder.completion(result)
      }
      #expect(view.isLoadingImage, "\(number)")
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.images.count == 2)
    #expect(view.image == nil)
    #expect(view.pendingSlots == 0)
  }

  @Test func completionMayReleaseItsView() async throws {
    let owner = Owner()
    let recorder = recorder
    owner.view = ImageView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    weak var watched: ImageView?
    watched = owner.view

    owner.view?.setImage(from: "http://a.test/1", options: bench.options) { result in
      owner.view = nil
      recorder.completion(result)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(watched == nil)
    #expect(recorder.images.count == 1)
  }

  // MARK: Other callbacks

  @Test func completionMaySetANilURL() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view, recorder] _ in
      view?.setImage(from: nil, completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image == nil)
    #expect(view.imageActivity.activity == .ended(success: false))
  }

  @Test func viewDownloaderAndCacheAreReleasedDuringALoad() async throws {
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
        made.setImage(from: "http://a.test/\(name)", options: bench.options, completion: recorder.completion)
      }
      bench.run(until: 0.5)
      try await bench.transfer(3).respond(with: SlotBench.large)
      await recorder.wait(for: 3)
      made.frame.size = Size(width: 300, height: 300)
      try await bench.transport.waitUntilStarted(4)
    }
    try await until { view == nil && downloader == nil && cache == nil }

    #expect(recorder.errors == [.cancelled, .cancelled])
  }
}

@MainActor private final class Owner {
  var view: ImageView?
}
