import Testing

@testable import VitrineGraphics

/// The ring buffer of a trace, compared with an array of all events.
struct EventRingTests {
  @Test(arguments: [1, 2, 63, 64, 65, 128, 150, .max]) func latestEventsStayInOrder(capacity: Int) {
    var ring = EventRing(capacity: capacity)
    var all: [TraceEvent] = []

    for number in 0..<400 {
      #expect(ring.events == all.suffix(capacity))
      #expect(ring.count == number)
      #expect(ring.lostCount == max(0, number - capacity))
      let event = TraceEvent(time: Int64(number), kind: .fetchBegan(fetch: UInt64(number)))
      ring.append(event)
      all.append(event)
    }
  }

  @Test(arguments: [0, -1, .min]) func bufferKeepsAtLeastOneEvent(capacity: Int) {
    var ring = EventRing(capacity: capacity)

    for time in 1...3 { ring.append(TraceEvent(time: Int64(time), kind: .fetchBegan(fetch: 1))) }

    #expect(ring.events.map(\.time) == [3])
    #expect(ring.lostCount == 2)
  }

  @Test func removedEventsAreNotCountedAsLost() {
    var ring = EventRing(capacity: 3)
    let event = TraceEvent(time: 1, kind: .fetchBegan(fetch: 1))
    for _ in 0..<5 { ring.append(event) }

    ring.removeAll()

    #expect(ring.events.isEmpty)
    #expect(ring.lostCount == 0)
    ring.append(event)
    #expect(ring.events == [event])
  }
}
