import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The running operations of a view, by key (`UIView+WebCacheOperation` of SDWebImage).
struct LoadOperationTests {
  private final class Operation: Cancellable {
    nonisolated(unsafe) var cancels = 0  // Only touched on the main actor, by these tests.
    nonisolated func cancel() { cancels += 1 }
  }

  @Test func newOperationCancelsThePreviousOneOfItsKey() {
    let view = View()
    let first = Operation()
    let second = Operation()

    view.setLoadOperation(first, forKey: "a")
    view.setLoadOperation(second, forKey: "a")
    view.setLoadOperation(first, forKey: "b")

    #expect(first.cancels == 1)
    #expect(second.cancels == 0)
  }

  @Test func cancelledOperationIsRemoved() {
    let view = View()
    let operation = Operation()
    view.setLoadOperation(operation, forKey: "a")

    view.cancelLoadOperation(forKey: "a")
    view.cancelLoadOperation(forKey: "a")

    #expect(operation.cancels == 1)
  }

  @Test func removedOperationIsNotCancelled() {
    let view = View()
    let operation = Operation()
    view.setLoadOperation(operation, forKey: "a")

    view.removeLoadOperation(forKey: "a")
    view.setLoadOperation(Operation(), forKey: "a")

    #expect(operation.cancels == 0)
  }

  @Test("SD-W16 the latest operation of a view is cancelled and removed")
  func latestOperationIsCancelledAndRemoved() async {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    let view = bench.view()
    #expect(view.latestLoadOperationKey == nil)
    view.cancelLatestLoadOperation()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.setHighlightedImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    let key = view.latestLoadOperationKey
    #expect(view.loadOperation(forKey: key ?? "") != nil)
    view.cancelLatestLoadOperation()
    view.cancelLatestLoadOperation()
    await recorder.wait()

    #expect(recorder.errors == [.cancelled])
    #expect(view.loadOperation(forKey: key ?? "") == nil)
    #expect(!view.isLoadingHighlightedImage)
    #expect(view.isLoadingImage)
    #expect(bench.transport.running.map(\.request.url.absoluteString) == ["http://a.test/1"])
  }

  @Test("SD-W8 a cancelled background load leaves no operation")
  func cancelledBackgroundLeavesNoOperation() async {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    let button = bench.button()

    button.setBackgroundImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    let key = button.latestLoadOperationKey
    #expect(button.loadOperation(forKey: key ?? "") != nil)
    #expect(button.isLoadingBackgroundImage(for: .normal))
    button.cancelBackgroundImageLoad(for: .normal)

    #expect(button.loadOperation(forKey: key ?? "") == nil)
    #expect(!button.isLoadingBackgroundImage(for: .normal))
    await recorder.wait()
    #expect(recorder.errors == [.cancelled])
  }

  @Test("SD-W18 YY-B11 a cancelled load is reported as .cancelled, once")
  func cancelledLoadIsReportedOnce() async {
    let bench = SlotBench()
    let recorder = CompletionRecorder()
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.cancelLoadOperation(forKey: "contents")
    view.cancelImageLoad()
    await recorder.wait()
    await drainMainQueue(rounds: 100)

    #expect(recorder.results.count == 1)
    #expect(recorder.errors == [.cancelled])
    #expect(!view.isLoadingImage)
  }

  nonisolated enum Owner: CaseIterable, Sendable {
    case operation, task, downloader
  }

  @Test(arguments: Owner.allCases) func newRequestDoesNotJoinACancelledLoad(by owner: Owner) async {
    let bench = SlotBench()
    let (first, second) = (CompletionRecorder(), CompletionRecorder())
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: first.completion)
    switch owner {
    case .operation: view.cancelLoadOperation(forKey: "contents")
    case .task: view.loadOperation(forKey: "contents")?.cancel()
    case .downloader: bench.downloader.cancelAll()
    }

    view.setImage(from: "http://a.test/1", options: bench.options, completion: second.completion)
    await first.wait()
    #expect(first.errors == [.cancelled])
    for transfer in bench.transport.running { transfer.respond(with: SlotBench.red) }
    await second.wait()
    await drainMainQueue(rounds: 100)

    #expect(second.images.count == 1)
    #expect(first.results.count + second.results.count == 2)
    #expect(view.image != nil)
    #expect(view.pendingSlots == 0)
  }
}
