import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Loads in one slot: a new load cancels the previous load, or runs concurrently if `cancelsPrevious` is false.
@Suite(.timeLimit(.minutes(5)))
struct LoadBesideTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  private var beside: SlotOptions {
    var options = bench.options
    options.cancelsPrevious = false
    return options
  }

  @Test("SD-W14 a new load cancels the previous load, and not itself")
  func newLoadCancelsThePreviousLoad() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let first = try await bench.transfer(1)
    view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    let second = try await bench.transfer(2)
    await recorder.wait()

    #expect(first.isCancelled)
    #expect(!second.isCancelled)
    #expect(recorder.errors == [.cancelled])
  }

  @Test("SD-W15 if neither load cancels the other, both complete and the newer image is shown")
  func concurrentLoadsCompleteAndTheNewerImageIsShown() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let first = try await bench.transfer(1)
    view.setImage(from: "http://a.test/2", options: beside, completion: recorder.completion)
    let second = try await bench.transfer(2)
    first.respond(with: SlotBench.large)
    await recorder.wait()

    #expect(recorder.images.count == 1)
    #expect(view.image == nil)
    #expect(view.isLoadingImage)
    second.respond(with: SlotBench.red)
    await recorder.wait(for: 2)
    #expect(view.image == recorder.images[1])
    #expect(view.pendingSlots == 0)
    #expect(!first.isCancelled && !second.isCancelled)
  }

  @Test func olderLoadThatCompletesLaterIsNotShown() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.setImage(from: "http://a.test/2", options: beside, completion: recorder.completion)
    let transfers = [try await bench.transfer(1), try await bench.transfer(2)]

    transfers[1].respond(with: SlotBench.red)
    await recorder.wait()
    transfers[0].respond(with: SlotBench.large)
    await recorder.wait(for: 2)

    #expect(view.image == recorder.images[0])
    var kept = try ImageRequest("http://a.test/1")
    kept.targetSize = DecodeTarget(width: 100, height: 100, mode: .fill)
    #expect(bench.downloader.cachedImage(for: kept) != nil)
  }

  nonisolated enum End: CaseIterable, Sendable { case cancel, clear, another, none, release }

  @Test(arguments: End.allCases) func concurrentLoadsAreCancelledWithTheirSlot(end: End) async throws {
    var view: ImageView? = bench.view()
    for number in 1...3 {
      view?.setImage(from: "http://a.test/\(number)", options: beside, completion: recorder.completion)
      _ = try await bench.transfer(number)
    }

    switch end {
    case .cancel: view?.cancelImageLoad()
    case .clear: view?.imageURL = nil
    case .another: view?.setImage(from: "http://a.test/4", options: bench.options)
    case .none: view?.setImage(from: nil, options: beside)
    case .release:
      view?.removeFromSuperview()
      view = nil
    }
    await recorder.wait(for: 3)

    #expect(recorder.errors == [.cancelled, .cancelled, .cancelled])
    #expect(bench.transport.transfers.prefix(3).allSatisfy { $0.isCancelled })
  }

  @Test func loadWaitingForASizeIsCancelledByTheNextLoad() async {
    let view = bench.view()
    view.frame.size = .zero
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.setImage(from: "http://a.test/2", options: beside, completion: recorder.completion)
    await recorder.wait()

    #expect(recorder.errors == [.cancelled])
  }

  @Test func failureOfTheOlderLoadIsReportedButNotShown() async throws {
    let view = bench.view()
    var options = beside
    options.failureImage = .solid(width: 2, height: 2)
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    view.setImage(from: "http://a.test/2", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(.status(500))
    await recorder.wait()

    #expect(recorder.errors == [.status(500)])
    #expect(view.image == nil)
    #expect(view.isLoadingImage)
  }
}
