import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Objects of the application that call the slot when it releases them.
@Suite(.timeLimit(.minutes(5)))
struct SlotReleaseTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  /// An object that calls a closure when it is released.
  private final class Parting: IndicatorDrawing {
    nonisolated private let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
    // Released on the main actor, by these tests.
    nonisolated deinit { MainActor.assumeIsolated { body() } }

    func size(in availableSize: Size, scale: Double) -> Size { Size(width: 10, height: 10) }
    func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {}
    func nextChange(after moment: IndicatorMoment) -> Double? { nil }
  }

  @Test func releasedProgressHandlerRequestsAnotherImageAfterTheCompletion() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    let image = Image.solid(width: 100, height: 100)
    let second = try ImageRequest("http://a.test/2")
    bench.cache.insert(image, for: second, additionalIdentifier: nil)
    var shownAtCompletion: [String?] = []
    func load() {
      let parting = Parting { [weak view] in
        view?.setImage(from: second, options: bench.options, completion: recorder.completion)
      }
      view.setImage(
        from: "http://a.test/1", options: bench.options,
        completion: { [weak view] _ in shownAtCompletion.append(view?.imageURL) },
        progress: { _ in withExtendedLifetime(parting) {} })
    }
    load()

    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(shownAtCompletion == ["http://a.test/1"])
    #expect(view.image === image)
  }

  /// The indicator is referenced by the automatic retry of a failure, or by the slot while it fades out.
  @Test(arguments: [true, false])
  func releasedIndicatorMayCallTheSlot(isRetried: Bool) async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    bench.run(until: 0.1)
    var options = bench.options
    func load() {
      let parting = Parting { [weak view] in
        view?.setImage(from: "http://a.test/3", options: bench.options, completion: recorder.completion)
      }
      options.indicator = .custom(parting)
      view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
      options.indicator = .none
    }
    load()
    bench.run(until: 1)
    try await bench.transfer(1).fail(isRetried ? .status(500) : .status(404))
    await recorder.wait()
    if isRetried { bench.run(until: 3) }

    view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    try await until { view.imageURL == "http://a.test/3" }
    try await bench.transfer(bench.transport.transfers.count).respond(with: SlotBench.red)
    await recorder.wait(for: 3)

    #expect(view.image?.sourceWidth == 100)
    #expect(recorder.errors.contains(.cancelled))
    #expect(view.pendingSlots == 0)
  }
}
