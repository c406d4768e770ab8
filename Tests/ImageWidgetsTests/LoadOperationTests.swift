import Testing
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// What a view keeps under way, by name (`UIView+WebCacheOperation`).
struct LoadOperationTests {
  private final class Operation: Cancellable {
    nonisolated(unsafe) var cancels = 0  // Only touched on the main actor, by these tests.
    nonisolated func cancel() { cancels += 1 }
  }

  @Test func newOperationCancelsTheOneBeforeIt() {
    let view = View()
    let first = Operation()
    let second = Operation()

    view.setLoadOperation(first, forKey: "a")
    view.setLoadOperation(second, forKey: "a")
    view.setLoadOperation(first, forKey: "b")

    #expect(first.cancels == 1)
    #expect(second.cancels == 0)
  }

  @Test func cancelledOperationIsForgotten() {
    let view = View()
    let operation = Operation()
    view.setLoadOperation(operation, forKey: "a")

    view.cancelLoadOperation(forKey: "a")
    view.cancelLoadOperation(forKey: "a")

    #expect(operation.cancels == 1)
  }

  @Test func removedOperationGoesOn() {
    let view = View()
    let operation = Operation()
    view.setLoadOperation(operation, forKey: "a")

    view.removeLoadOperation(forKey: "a")
    view.setLoadOperation(Operation(), forKey: "a")

    #expect(operation.cancels == 0)
  }

  @Test func loadOfASlotIsKeptUnderItsName() async {
    let bench = SlotBench()
    let ear = Ear()
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: ear.completion)
    view.cancelLoadOperation(forKey: "contents")
    await ear.hear()

    #expect(ear.errors == [.cancelled])
    #expect(!view.isLoadingImage)
  }
}
