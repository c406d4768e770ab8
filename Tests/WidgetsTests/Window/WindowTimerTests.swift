import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Window timers", .timeLimit(.minutes(5)))
struct WindowTimerTests {
  private let test = TestWindow(size: Size(width: 100, height: 100))
  private var window: Window { test.window }

  @Test func afterFiresOnceInTheFirstFrameAtItsTime() {
    var calls: [Double] = []
    let timer = window.after(2) { calls.append(window.now) }

    test.advance(by: 1.9)
    #expect(calls.isEmpty)
    #expect(timer.isPending)
    test.advance(by: 10)

    #expect(calls == [2])
    #expect(!timer.isPending)
    #expect(window.nextDeadline == nil)
  }

  /// Between two frames, the host's time continues.
  @Test func delaysCountFromTheHostsTime() {
    window.hostTime = { 5 }
    let once = window.after(1) {}
    #expect(window.nextDeadline == 6)
    once.cancel()

    window.every(2) {}

    #expect(window.nextDeadline == 7)
  }

  @Test func everyDoesNotDrift() {
    var calls: [Double] = []
    window.every(0.1) { calls.append(window.now) }

    test.advance(by: 1)

    #expect(calls.count == 10)
    for (index, time) in calls.enumerated() { #expect(abs(time - 0.1 * Double(index + 1)) < 1e-9) }
  }

  @Test func missedCallsAreReplacedByOneCall() {
    var calls: [Double] = []
    window.every(1) { calls.append(window.now) }

    window.update(at: 5.5)
    window.update(at: 5.75)
    window.update(at: 6)

    #expect(calls == [5.5, 6])
  }

  @Test func cancelledTimersAreNotCalledAndDoNotWakeTheWindow() {
    var calls = 0
    let once = window.after(1) { calls += 1 }
    let often = window.every(1) { calls += 1 }

    once.cancel()
    often.cancel()
    often.cancel()
    test.advance(by: 5)

    #expect(calls == 0)
    #expect(!once.isPending && !often.isPending)
    #expect(window.nextDeadline == nil)
  }

  @Test func timerCanCancelItselfAndAnotherDueTimer() {
    var calls: [String] = []
    var first: WindowTimer?
    var second: WindowTimer?
    first = window.every(1) {
      calls.append("first")
      first?.cancel()
      second?.cancel()
    }
    second = window.every(1) { calls.append("second") }

    test.advance(by: 5)

    #expect(calls == ["first"])
  }

  @Test(arguments: [0, -1, -Double.infinity])
  func timerDueInThePastFiresInTheNextFrame(seconds: Double) {
    var calls = 0
    window.after(seconds) { calls += 1 }

    test.advance(by: 0.1)

    #expect(calls == 1)
  }

  @Test func timersThatNeverFireDoNotWakeTheWindow() {
    let timers = [
      window.after(.infinity) {}, window.after(.nan) {}, window.every(0) {}, window.every(-1) {},
      window.every(.nan) {}, window.every(.infinity) {},
    ]

    #expect(timers.allSatisfy { !$0.isPending })
    #expect(window.nextDeadline == nil)
  }

  @Test func intervalShorterThanAFrameFiresOncePerFrame() {
    var calls = 0
    window.every(1e-9) { calls += 1 }

    test.advance(by: 1)

    #expect((59...61).contains(calls))
  }

  @Test func pendingTimersDoNotKeepTheWindowBusy() {
    window.after(60) {}
    window.every(60) {}

    #expect(window.isIdle)
    #expect(window.nextDeadline == 60)
  }

  @Test func changeMadeByATimerIsDrawnInItsFrame() {
    let view = View(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    window.addSubview(view)
    test.draw()
    let color = Color(red: 1, green: 2, blue: 3)
    window.after(1) { view.backgroundColor = color }

    test.advance(by: 1)

    #expect(test.fills(of: color).count == 1)
    #expect(test.lastDirtyRects == [view.frame])
  }

  @Test func finishedTimerReleasesItsClosure() {
    final class Held {}
    weak var weakObject: Held?
    do {
      let object = Held()
      weakObject = object
      window.after(1) { _ = object }
      let often = window.every(1) { _ = object }
      window.after(2) { often.cancel() }
    }
    #expect(weakObject != nil)

    test.advance(by: 3)

    #expect(weakObject == nil)
  }
}
