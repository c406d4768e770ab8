import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The completion of a load is called before the next load of its slot begins.
@Suite(.timeLimit(.minutes(5)))
struct SlotCompletionOrderTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  enum Reuse: CaseIterable {
    case anotherImage, cancelledBefore, clearedBefore, memoryHit, cancelledByItsTask
  }

  @Test(arguments: Reuse.allCases)
  func completionOfTheOldLoadIsCalledBeforeTheNextLoadBegins(_ reuse: Reuse) async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    if reuse == .memoryHit {
      bench.cache.insert(
        .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/2"), additionalIdentifier: nil)
    }
    var calls: [String] = []
    view.setImage(from: "http://a.test/1", options: bench.options) { result in
      recorder.completion(result)
      calls.append("old, of \(bench.transport.transfers.count)")
    }
    _ = try await bench.transfer(1)

    switch reuse {
    case .cancelledBefore: view.cancelImageLoad()
    case .clearedBefore: view.imageURL = nil
    case .cancelledByItsTask: view.cancelLatestLoadOperation()
    case .anotherImage, .memoryHit: break
    }
    #expect(calls.isEmpty, "a cancel alone calls the completion later")
    view.setImage(from: "http://a.test/2", options: bench.options) { _ in calls.append("new") }
    #expect(calls.first == "old, of 1")
    if reuse != .memoryHit { try await bench.transfer(2).respond(with: SlotBench.red) }
    try await until { !view.isLoadingImage }
    await drainMainQueue(rounds: 100)

    #expect(calls == ["old, of 1", "new"])
    #expect(recorder.errors == [.cancelled])
  }

  @Test func completionThatWaitsForATransitionIsCalledBeforeTheNextLoadBegins() async throws {
    let view = bench.view()
    let bench = bench
    var options = bench.options
    options.waitsForTransition = true
    bench.run(until: 0.1)
    var calls: [String] = []
    view.setImage(from: "http://a.test/1", options: options) { result in
      calls.append("old \((try? result.get()) != nil), of \(bench.transport.transfers.count)")
    }
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await until { view.isInTransition }

    view.setImage(from: "http://a.test/2", options: bench.options) { _ in calls.append("new") }
    #expect(calls == ["old true, of 1"])
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { !view.isLoadingImage }
    bench.run(until: 2)
    await drainMainQueue(rounds: 100)

    #expect(calls == ["old true, of 1", "new"])
  }

  nonisolated enum Refusal: CaseIterable, Sendable { case noURL, malformedURL }

  @Test(arguments: Refusal.allCases)
  func completionOfARefusedURLIsCalledBeforeTheNextLoadBegins(_ refusal: Refusal) async throws {
    let view = bench.view()
    let bench = bench
    var calls: [String] = []
    view.setImage(from: refusal == .noURL ? nil : "not a URL", options: bench.options) { result in
      calls.append("refused \((try? result.get()) == nil), of \(bench.transport.transfers.count)")
    }
    #expect(calls.isEmpty, "a refused URL alone calls the completion later")

    view.setImage(from: "http://a.test/1", options: bench.options) { _ in calls.append("new") }
    #expect(calls == ["refused true, of 0"])
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await until { !view.isLoadingImage }
    await drainMainQueue(rounds: 100)

    #expect(calls == ["refused true, of 0", "new"])
  }

  @Test(arguments: Refusal.allCases)
  func completionOfTheOldLoadIsCalledBeforeAURLIsRefused(_ refusal: Refusal) async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 3, height: 3)
    var calls: [String] = []
    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] _ in
      calls.append(view?.image == placeholder ? "late" : "old")
    }
    _ = try await bench.transfer(1)

    view.setImage(
      from: refusal == .noURL ? nil : "not a URL", placeholder: placeholder, options: bench.options
    ) { _ in calls.append("refused") }
    #expect(calls == ["old"])
    try await until { calls.count == 2 }

    #expect(calls == ["old", "refused"])
    #expect(view.image == placeholder)
  }

  /// The closure that shows an image begins another load before the completion of that image would be called.
  @Test func completionIsCalledBeforeALoadThatShowingTheImageBegins() async throws {
    let view = bench.view()
    let bench = bench
    var calls: [String] = []
    var options = bench.options
    options.showsImage = { view, image in
      guard image != nil, calls.isEmpty else { return }
      view.setImage(from: "http://a.test/2", options: bench.options) { _ in calls.append("new") }
    }

    view.setImage(from: "http://a.test/1", options: options) { _ in
      calls.append("old, of \(bench.transport.transfers.count)")
    }
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { calls.count == 2 }

    #expect(calls == ["old, of 1", "new"])
  }

  /// This is the example in the documentation.
  @Test func progressBarOfAReusedCellStaysWhileItsImageLoads() async throws {
    let view = bench.view()
    let bar = View()
    func show(_ name: String) {
      view.setImage(from: "http://a.test/\(name)", options: bench.options) { _ in bar.isHidden = true }
      bar.isHidden = !view.isLoadingImage
    }

    show("1")
    let first = try await bench.transfer(1)
    show("2")
    let second = try await bench.transfer(2)
    #expect(first.isCancelled)
    await drainMainQueue(rounds: 100)
    #expect(!bar.isHidden)
    second.respond(with: SlotBench.red)
    try await until { bar.isHidden }
  }
}
