import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// Fades and spinners, frame by frame.
@Suite(.timeLimit(.minutes(5)))
struct SlotAppearanceTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test func imageThatWasWaitedForFadesIn() async throws {
    let view = bench.view()
    bench.run(until: 1)
    var options = bench.options
    options.indicator = .none
    options.transition = Transition(kind: .crossDissolve, duration: 0.2, curve: .linear)

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    bench.window.update(at: 2)
    #expect(bench.images.isEmpty)
    bench.window.update(at: 2.1)
    let half = try #require(bench.images.first)
    bench.window.update(at: 2.2)

    #expect(abs(half.opacity - 0.5) < 0.001)
    #expect(bench.images.first?.opacity == 1)
    #expect(bench.window.nextDeadline == nil || bench.window.isDirty)
  }

  @Test func imageFromMemoryDoesNotFade() throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options)
    bench.window.update(at: 0.1)

    #expect(bench.images.map(\.opacity) == [1])
  }

  @Test func imageFromMemoryFadesIfTheTransitionAlwaysApplies() throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let view = bench.view()
    var options = bench.options
    options.transition = .crossDissolve(0.2, when: .always)

    view.setImage(from: "http://a.test/1", options: options)
    bench.window.update(at: 0.1)
    bench.window.update(at: 0.2)

    #expect(bench.images.count == 1)
    #expect(bench.images[0].opacity > 0.4 && bench.images[0].opacity < 0.6)
  }

  @Test func spinnerAppearsAfterItsDelayAndDisappearsOnFailure() async throws {
    let view = bench.view()
    bench.window.update(at: 0)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    bench.run(until: 0.09)
    #expect(bench.images.isEmpty)
    bench.run(until: 0.12)
    #expect(bench.images.count == 1)
    bench.run(until: 0.6)
    try await bench.transfer(1).fail(.emptyBody)
    await recorder.wait()
    bench.run(until: 0.8)

    #expect(bench.images.isEmpty)
    #expect(bench.window.isIdle || bench.window.isDirty)
    #expect(bench.window.isLoaded)
  }

  @Test func quickLoadShowsNoSpinner() async throws {
    let view = bench.view()
    bench.window.update(at: 0)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    bench.run(until: 0.05)
    try await bench.transfer(1).fail(.emptyBody)
    await recorder.wait()
    for step in 1...20 {
      bench.run(until: 0.05 + Double(step) * 0.02)
      #expect(bench.images.isEmpty)
    }
  }

  @Test func spinnerAppearsInAWindowThatTheViewEntersLater() {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    view.setImage(from: "http://a.test/1", options: bench.options)
    bench.run(until: 5)

    bench.window.addSubview(view)
    bench.run(until: 5.09)
    #expect(bench.images.isEmpty)
    bench.run(until: 5.12)
    #expect(bench.images.count == 1)
    view.removeFromSuperview()
    bench.run(until: 5.2)
    #expect(bench.images.isEmpty)
    bench.window.addSubview(view)
    #expect(bench.images.count == 1, "the delay has passed")
  }

  @Test func spinnerAppearsAgainInAReusedCell() async {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    bench.run(until: 0.2)
    view.removeFromSuperview()
    view.cancelImageLoad()
    await recorder.wait()
    bench.run(until: 1)

    view.setImage(from: "http://a.test/2", options: bench.options)
    bench.window.addSubview(view)
    bench.run(until: 1.12)

    #expect(bench.images.count == 1)
  }

  @Test func spinnerUsesTheTimeOfItsWindow() {
    let view = bench.view()
    bench.run(until: 10)
    view.setImage(from: "http://a.test/1", options: bench.options)
    bench.run(until: 10.2)
    let other = Window(size: bench.window.bounds.size)

    other.addSubview(view)
    other.update(at: 0.05)
    other.update(at: 0.12)

    let list = other.drawList(for: other.bounds)
    #expect(list.commands.contains { if case .image = $0 { true } else { false } })
  }

  @Test func buttonShowsASpinnerOnlyForItsVisibleSlot() {
    let button = bench.button()
    bench.window.update(at: 0)

    button.setImage(from: "http://a.test/1", for: .selected, options: bench.options)
    bench.run(until: 0.2)
    #expect(bench.images.isEmpty)
    button.isSelected = true
    bench.run(until: 0.4)

    #expect(bench.images.count == 1)
  }

  @Test func imageAndBackgroundOfAButtonShareOneSpinner() {
    let button = bench.button()
    bench.window.update(at: 0)

    button.setBackgroundImage(from: "http://a.test/1", for: .normal, options: bench.options)
    button.setImage(from: "http://a.test/2", for: .normal, options: bench.options)
    bench.run(until: 0.2)

    #expect(bench.images.count == 1)
  }

  @Test func windowIsLoadedWhenEveryVisibleSlotHasItsResult() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(!bench.window.isLoaded)
    view.isHidden = true
    #expect(bench.window.isLoaded)
    view.isHidden = false
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(bench.window.isLoaded)
    #expect(!bench.window.isIdle)
    bench.run(until: 1)
    _ = bench.window.takeDirtyRects()
    #expect(bench.window.isIdle)
  }
}

struct IndicatorTimingTests {
  private func timing(end: Double?) -> IndicatorTiming {
    var timing = IndicatorTiming(delay: 0.125, minimumDuration: 0.5, loadStart: 1)
    if let end { timing.end(at: end) }
    return timing
  }

  @Test func loadThatEndsBeforeTheDelayShowsNoIndicator() {
    let timing = timing(end: 1.0625)

    #expect(timing.disappears == 1.0625)
    #expect([1.0, 1.0625, 1.125, 1.25].allSatisfy { timing.opacity(at: $0) == 0 })
  }

  @Test func visibleIndicatorStaysForItsMinimumDuration() {
    let timing = timing(end: 1.1875)

    #expect(timing.opacity(at: 1.25) == 1)
    #expect(timing.disappears == 1.625)
    #expect(timing.opacity(at: 1.625) == 0)
  }

  @Test func indicatorFadesAtOnceAfterALongLoad() {
    let timing = timing(end: 3)

    #expect(timing.opacity(at: 2.5) == 1)
    #expect(abs(timing.opacity(at: 3) - 1) < 1e-9)
    #expect(timing.opacity(at: 3 + IndicatorTiming.fadeOut) == 0)
  }

  @Test func secondEndChangesNothing() {
    var timing = timing(end: 3)

    timing.end(at: 9)

    #expect(timing.disappears == 3 + IndicatorTiming.fadeOut)
  }
}
