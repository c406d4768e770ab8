import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The line that says what the program costs.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct CostLineTests {
  private func cost(_ time: Double, _ processorTime: Double, _ bytes: Int = 43_000_000) -> ProcessCost {
    ProcessCost(time: time, processorTime: processorTime, memoryBytes: bytes)
  }

  @Test func textSaysProcessorTimeAndMemory() {
    #expect(cost(2, 0.53).text(since: cost(1, 0.5)) == "3 % of a core  ·  41 MB")
    #expect(cost(3, 3.5).text(since: cost(1, 0.5)) == "150 % of a core  ·  41 MB")
    #expect(cost(1, 0.5).text(since: nil) == "41 MB")
  }

  @Test func unusableReadingsAreNoNumbers() {
    #expect(cost(1, 0.6).text(since: cost(1, 0.5)) == "41 MB")
    #expect(cost(.nan, 0.6).text(since: cost(1, 0.5)) == "41 MB")
    #expect(cost(2, 0).text(since: cost(1, 0.5)) == "0 % of a core  ·  41 MB")
    #expect(cost(2, .nan, -1).text(since: cost(1, 0.5)) == "0 % of a core  ·  0 MB")
    #expect(cost(2, .infinity).text(since: cost(1, 0.5)) == "1000000000 % of a core  ·  41 MB")
  }

  @Test func lineIsReadOnceASecondAndDrawsOnlyChanges() {
    var reads = 0
    var next = cost(0, 0)
    let line = CostLine {
      reads += 1
      return next
    }
    line.frame = Rect(x: 0, y: 0, width: 300, height: 20)
    let test = TestWindow()
    test.window.addSubview(line)
    test.draw()
    #expect(test.texts == ["41 MB"])
    var frames = test.framesDrawn

    next = cost(1, 0.03)
    test.advance(by: 1)
    #expect(test.texts == ["3 % of a core  ·  41 MB"])
    #expect(test.framesDrawn == frames + 1)
    frames = test.framesDrawn
    next = cost(2, 0.06)
    test.advance(by: 1)
    test.advance(by: 0.9)

    #expect(reads == 3)
    #expect(test.framesDrawn == frames)
    #expect(test.window.isIdle, "the line does not keep the window busy")
  }

  @Test func coveredLineReadsNothing() {
    var reads = 0
    let line = CostLine {
      reads += 1
      return nil
    }
    let test = TestWindow()
    test.window.addSubview(line)
    line.isRunning = false
    test.draw()
    reads = 0

    test.advance(by: 10)
    #expect(reads == 0)
    line.isRunning = true
    test.advance(by: 1)
    #expect(reads == 2, "one at the beginning of the interval and one at its end")
    line.removeFromSuperview()
    test.advance(by: 10)

    #expect(reads == 2)
  }
}
