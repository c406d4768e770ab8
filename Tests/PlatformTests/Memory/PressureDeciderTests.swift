import Testing
import VitrineGraphics

@testable import VitrinePlatform

struct PressureDeciderTests {
  private func reading(_ change: (inout MemoryReading) -> Void = { _ in }) -> MemoryReading {
    var reading = MemoryReading()
    change(&reading)
    return reading
  }

  private func decision(_ change: (inout MemoryReading) -> Void) -> MemoryPressure? {
    var decider = PressureDecider()
    return decider.decide(reading(change), at: 0)
  }

  @Test func fractionsAndStallsDetermineThePressure() {
    #expect(decision { $0.fractionOfLimit = 0.84 } == nil)
    #expect(decision { $0.fractionOfLimit = 0.85 } == .warning)
    #expect(decision { $0.fractionOfLimit = 0.95 } == .critical)
    #expect(decision { $0.availableFraction = 0.11 } == nil)
    #expect(decision { $0.availableFraction = 0.1 } == .warning)
    #expect(decision { $0.availableFraction = 0.05 } == .critical)
    #expect(decision { $0.someStalled = 9.9 } == nil)
    #expect(decision { $0.someStalled = 10 } == .warning)
    #expect(decision { $0.fullStalled = 10 } == .critical)
  }

  @Test func eventsBeforeTheFirstReadingAreIgnored() {
    var decider = PressureDecider()
    #expect(decider.decide(reading { ($0.limitHits, $0.outOfMemory) = (5, 5) }, at: 0) == nil)
    #expect(decider.decide(reading { ($0.limitHits, $0.outOfMemory) = (6, 5) }, at: 1) == .warning)
    #expect(decider.decide(reading { ($0.limitHits, $0.outOfMemory) = (6, 6) }, at: 2) == .critical)
    #expect(decider.decide(reading { ($0.limitHits, $0.outOfMemory) = (6, 6) }, at: 3) == nil)
    #expect(decider.decide(reading { ($0.limitHits, $0.outOfMemory) = (0, 0) }, at: 4) == nil, "a new group")
  }

  @Test func limitHitIsReportedOnce() {
    var decider = PressureDecider()
    let before = reading { ($0.limitHits, $0.outOfMemory) = (5, 5) }
    let after = reading { ($0.limitHits, $0.outOfMemory) = (6, 6) }
    #expect(decider.decide(before, at: 0) == nil)
    #expect(decider.decide(after, at: 1) == .critical)

    #expect(decider.decide(after, at: 20) == nil)
    #expect(decider.decide(after, at: 40) == nil)
  }

  @Test func kernelStallIsAtLeastAWarning() {
    var decider = PressureDecider()
    #expect(decider.decide(reading(), isStalled: true, at: 0) == .warning)
    #expect(decider.decide(reading { $0.availableFraction = 0 }, isStalled: true, at: 1) == .critical)
  }

  @Test func continuingPressureIsRepeatedAndRisingPressureIsReportedAtOnce() {
    var decider = PressureDecider()
    let warning = reading { $0.fractionOfLimit = 0.9 }
    let critical = reading { $0.fractionOfLimit = 1 }
    #expect(decider.decide(warning, at: 0) == .warning)
    #expect(decider.decide(warning, at: 9) == nil)
    #expect(decider.decide(critical, at: 9.5) == .critical)
    #expect(decider.decide(warning, at: 10) == nil)
    #expect(decider.decide(critical, at: 19.5) == .critical)
    #expect(decider.decide(reading(), at: 20) == nil)
    #expect(decider.decide(warning, at: 21) == .warning, "the pressure was over and has returned")
    #expect(decider.decide(warning, at: 3) == .warning, "the clock was set back")
  }
}
