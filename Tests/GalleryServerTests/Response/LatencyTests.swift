import Testing

@testable import VitrineGalleryServer

@Suite("Varied latency")
struct LatencyTests {
  @Test func targetHasTheSameLatencyInEveryRun() {
    // FNV-1a of "a" is af63dc4c8601ec8c (RFC 9923), 331 modulo 1001.
    let expected = 0xaf63_dc4c_8601_ec8c as UInt64 % 1001

    #expect(Behaviour.Latency.varied(around: 1000).milliseconds(for: "a") == 500 + Int(expected))
  }

  @Test func latenciesSpreadOverTheWholeRange() {
    let latency = Behaviour.Latency.varied(around: 100)

    let waits = (0..<1000).map { latency.milliseconds(for: "/gallery/1.jpg?row=\($0)") }

    #expect(waits.allSatisfy { (50...150).contains($0) })
    for quarter in [50..<75, 75..<100, 100..<125, 125..<151] {
      #expect(waits.count { quarter.contains($0) } > 150)
    }
  }

  @Test func zeroLatencyDoesNotVary() {
    #expect(Behaviour.Latency.varied(around: 0).milliseconds(for: "/a") == 0)
  }
}
