import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Indicators that a program draws over a slot.
@Suite("Custom indicators over a slot", .timeLimit(.minutes(5)))
struct CustomIndicatorTests: IndicatorSlots {
  let bench = SlotBench()
  let recorder = CompletionRecorder()

  /// An indicator whose drawing the test sets.
  private final class Custom: IndicatorDrawing {
    var size = Size(width: 10, height: 10)
    var next: (Double) -> Double? = { _ in nil }
    var body: (Rect, inout DrawList) -> Void = { $1.fill($0, color: .white) }
    private(set) var moments: [IndicatorMoment] = []

    func size(in availableSize: Size, scale: Double) -> Size { size }
    func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
      moments.append(moment)
      body(rect, &list)
    }
    func nextChange(after moment: IndicatorMoment) -> Double? { next(moment.time) }
  }

  /// Runs frames until `end`, draws the dirty ones as a host does, and returns their number.
  private func framesDrawn(until end: Double) -> Int {
    var count = 0
    while bench.window.now < end {
      bench.window.update(at: min(end, bench.window.now + bench.window.frameInterval))
      guard bench.window.isDirty else { continue }
      count += 1
      for rect in bench.window.takeDirtyRects() { _ = bench.window.drawList(for: rect) }
    }
    return count
  }

  @Test func customIndicatorReceivesTimeProgressAndFrame() async throws {
    let custom = Custom()
    var place = Rect.zero
    custom.body = { rect, _ in place = rect }
    let view = bench.view()
    load(view, .custom(custom))
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 1000)
    await receive(transfer, 0.25)
    _ = framesDrawn(until: 1)

    #expect(place == Rect(x: 45, y: 45, width: 10, height: 10))
    #expect(custom.moments.last?.progress == 0.25)
    #expect(custom.moments.allSatisfy { $0.time >= 0.1 && $0.scale == 1 })
    transfer.fail(.emptyBody)
    await recorder.wait()
  }

  @Test func staticIndicatorIsDrawnOnce() {
    let custom = Custom()
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    let count = custom.moments.count

    #expect(framesDrawn(until: 3) == 0)
    #expect(custom.moments.count == count)
  }

  @Test(arguments: [-Double.infinity, -1, 0, .nan])
  func indicatorIsDrawnAtMostOncePerFrame(next: Double) {
    let custom = Custom()
    custom.next = { _ in next }
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    let before = custom.moments.count

    let frames = framesDrawn(until: 1.2)

    #expect(frames <= 61)
    #expect(custom.moments.count - before <= 61)
    #expect(bench.window.nextDeadline.map { $0 > bench.window.now } != false)
  }

  @Test(arguments: [
    Size(width: .nan, height: 10), Size(width: -5, height: 5), Size(width: 0, height: 0),
  ])
  func customIndicatorWithoutAValidSizeIsNotDrawn(size: Size) {
    let custom = Custom()
    custom.size = size
    load(bench.view(), .custom(custom))
    bench.run(until: 0.5)

    #expect(custom.moments.isEmpty)
    _ = commands
    #expect(custom.moments.isEmpty)
  }

  @Test func largeIndicatorIsClippedToTheSlot() {
    let custom = Custom()
    custom.size = Size(width: 1e9, height: .infinity)
    custom.body = { rect, list in list.fill(rect.inset(by: -50), color: .white) }
    load(bench.view(), .custom(custom))
    bench.run(until: 0.2)

    let clips = commands.compactMap { if case .pushClip(let rect) = $0 { rect } else { nil } }
    #expect(clips == [Rect(x: 0, y: 0, width: 100, height: 100)])
  }

  @Test(arguments: [(0, 5), (5, 0), (2, 4), (4, 1)])
  func unbalancedEnterAndLeaveDoNotAffectOtherViews(enters: Int, leaves: Int) {
    let custom = Custom()
    custom.body = { rect, list in
      for _ in 0..<enters { list.enter(origin: Point(x: 1000, y: 1000), opacity: 0, clip: .zero) }
      for _ in 0..<leaves { list.leave() }
    }
    let view = bench.view()
    let sibling = View(frame: Rect(x: 200, y: 200, width: 30, height: 30))
    sibling.backgroundColor = .white
    bench.window.addSubview(sibling)
    load(view, .custom(custom))
    bench.run(until: 0.2)

    let depth = commands.reduce(0) { depth, command in
      switch command {
      case .pushClip: depth + 1
      case .popClip: depth - 1
      default: depth
      }
    }
    #expect(depth == 0)
    #expect(commands.contains(.fill(sibling.frame, color: .white, cornerRadius: 0)))
  }

  @Test func slowIndicatorIsDrawnLessOften() {
    let custom = Custom()
    custom.next = { $0 }
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    bench.window.frameWorkDuration = 0.05

    #expect(framesDrawn(until: 2.2) <= 11, "a slow indicator gets a fifth of the time")
  }

  @Test func indicatorMayRequestAnotherImageWhileItDraws() async throws {
    let custom = Custom()
    let view = bench.view()
    let options = bench.options
    var isDone = false
    custom.body = { [recorder, weak view] _, _ in
      guard !isDone else { return }
      isDone = true
      view?.setImage(from: "http://a.test/2", options: options, completion: recorder.completion)
    }
    load(view, .custom(custom))
    bench.run(until: 0.2)
    _ = commands
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.cancelled])
    #expect(recorder.images.count == 1)
    #expect(view.image === recorder.images.first)
  }
}
