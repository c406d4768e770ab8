import FoundationEssentials
import Testing
import VitrineGraphics

@testable import VitrineTracing

@Suite("Tracks of requests") struct RequestTrackTests {
  private func event(_ milliseconds: Int64, _ kind: TraceEvent.Kind) -> TraceEvent {
    TraceEvent(time: milliseconds * 1_000_000, kind: kind)
  }

  private func request(
    _ number: UInt64, at began: Int64, disk: TraceEvent.Miss? = .noCache, fetch: UInt64,
    url: String = "http://a.test/1"
  ) -> TraceEvent {
    event(
      began,
      .requested(
        TraceEvent.Request(
          number: number, url: url, began: began * 1_000_000, memory: .absent, disk: disk, fetch: fetch,
          decode: fetch + 1, processedImage: fetch + 2)))
  }

  private var transfer: TraceEvent.Transfer {
    var transfer = TraceEvent.Transfer()
    transfer.nameLookup = 1000
    transfer.connect = 3000
    transfer.tls = 7000
    transfer.firstByte = 15_000
    transfer.total = 20_000
    transfer.connections = 1
    transfer.requests = 1
    transfer.bytes = 500
    transfer.isComplete = true
    return transfer
  }

  private var load: [TraceEvent] {
    [
      request(1, at: 0, fetch: 10), event(5, .fetchBegan(fetch: 10)),
      event(25, .fetchEnded(fetch: 10, transfer)),
      event(26, .decodeBegan(decode: 11)), event(30, .decodeEnded(decode: 11, width: 64, height: 48)),
      event(30, .transformBegan(processedImage: 12)), event(32, .transformEnded(processedImage: 12)),
      event(33, .responded(request: 1, .image(99, source: "network"))),
      event(40, .uploaded(image: 99, duration: 2_000_000)), event(45, .shown(image: 99)),
    ]
  }

  private func times(_ track: RequestTrack) -> [String] {
    track.spans.map { "\($0.name) \($0.begin / 1_000_000)-\($0.end / 1_000_000)" }
  }

  @Test func stagesFollowEachOtherFromQueueToScreen() throws {
    let track = try #require(TrackBuilder.tracks(of: load).first)

    #expect(
      times(track) == [
        "request 0-45", "queue 0-5", "memory lookup 0-0", "disk lookup 0-0", "DNS 5-6", "connect 6-8",
        "TLS 8-12",
        "first byte 12-20", "body 20-25", "decoder queue 25-26", "decode 26-30", "transform 30-32",
        "first frame 33-45", "responded 33-33", "upload 38-40",
      ])
  }

  @Test func trackHasTheDiskLookupOrTheReasonForNone() throws {
    func lookup(_ disk: TraceEvent.Miss?, _ events: [TraceEvent]) throws -> RequestTrack.Span? {
      let track = try #require(
        TrackBuilder.tracks(of: [request(1, at: 0, disk: disk, fetch: 10)] + events).first)
      return track.spans.first { $0.name == "disk lookup" }
    }
    let events = [event(2, .lookupBegan(fetch: 10)), event(4, .lookupEnded(fetch: 10, isFound: true))]

    #expect(try lookup(nil, events)?.notes == ["result": .text("hit")])
    #expect(try lookup(nil, []) == nil, "the lookup waits in the queue")
    let reasons = ["result": RequestTrack.Note.text("miss"), "why": .text("bypassed by the cache policy")]
    #expect(try lookup(.bypassed, [])?.notes == reasons)
  }

  @Test func fetchThatStartsAtOnceIsNotMarkedAsJoined() throws {
    let events = [
      request(1, at: 5, fetch: 10), event(5, .fetchBegan(fetch: 10)),
      event(25, .fetchEnded(fetch: 10, transfer)),
      event(33, .responded(request: 1, .image(99, source: "network"))), event(33, .shown(image: 99)),
    ]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    #expect(times(track).contains("queue 5-5"))
    #expect(!times(track).contains { $0.hasPrefix("joined") })
    #expect(times(track).contains("first frame 33-33"), "shown at the time of the response")
  }

  @Test func stepWithoutDurationIsLeftOut() throws {
    var quick = transfer
    quick.connect = quick.nameLookup
    let events = [
      request(1, at: 0, fetch: 10), event(5, .fetchBegan(fetch: 10)),
      event(25, .fetchEnded(fetch: 10, quick)),
    ]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    #expect(!times(track).contains { $0.hasPrefix("connect") })
    #expect(times(track).contains("TLS 6-12"))
  }

  @Test func reusedConnectionHasNoDNSAndRedirectsComeFirst() throws {
    var transfer = transfer
    transfer.isReused = true
    transfer.requests = 3
    transfer.redirects = 2
    let events = [
      request(1, at: 0, fetch: 10), event(2, .fetchBegan(fetch: 10)),
      event(50, .fetchEnded(fetch: 10, transfer)),
    ]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    #expect(
      times(track).dropFirst().filter { !$0.contains("lookup") } == [
        "queue 0-2", "redirects 2-30", "first byte 30-45", "body 45-50",
      ])
    #expect(track.spans.first { $0.name == "first byte" }?.notes["connection"] == .text("reused"))
  }

  @Test func firstByteSpanHasProtocolAddressAndSizes() throws {
    var transfer = transfer
    (transfer.httpVersion, transfer.serverAddress) = ("2", "::1")
    (transfer.headBytes, transfer.bytesSent) = (300, 120)
    // An authentication challenge takes one more request, and is not a redirect.
    transfer.requests = 2
    let events = [
      request(1, at: 0, fetch: 10), event(5, .fetchBegan(fetch: 10)),
      event(25, .fetchEnded(fetch: 10, transfer)),
    ]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    #expect(
      track.spans.first { $0.name == "first byte" }?.notes == [
        "connection": .text("new"), "protocol": .text("HTTP/2"), "address": .text("::1"),
        "requests": .number(2), "bytes sent": .number(120), "bytes of head": .number(300),
      ])
    #expect(!track.spans.contains { $0.name == "redirects" })
  }

  @Test func joiningRequestHasTheSharedWorkOnItsTrack() {
    let events =
      load + [
        request(2, at: 10, fetch: 10), event(33, .responded(request: 2, .image(99, source: "network"))),
      ]

    let tracks = TrackBuilder.tracks(of: events)

    #expect(tracks.map(\.number) == [1, 2])
    #expect(times(tracks[1]).contains("joined 10-10"))
    #expect(times(tracks[1]).contains("decode 26-30"))
    #expect(times(tracks[1]).contains("first frame 33-45"))
  }

  @Test(
    "a joining request has the rest of the shared work, and a leaving request no more of it",
    arguments: 0...34)
  func sharedWorkIsClippedToItsRequest(time: Int64) throws {
    let joins =
      load + [
        request(2, at: time, fetch: 10), event(34, .responded(request: 2, .image(99, source: "network"))),
      ]
    let leaves = load + [request(2, at: 0, fetch: 10), event(time, .responded(request: 2, .cancelled))]

    for events in [joins, leaves] {
      let track = try #require(TrackBuilder.tracks(of: events).first { $0.number == 2 })
      let request = track.spans[0]
      #expect(request.name == "request")
      for (index, span) in track.spans.enumerated() {
        #expect(request.begin <= span.begin && span.end <= request.end, "\(span.name) lies in the request")
        for other in track.spans.dropFirst(index + 1) {
          #expect(other.begin >= span.end || other.end <= span.end, "\(other.name) overlaps \(span.name)")
        }
      }
    }
    let cancelled = try #require(TrackBuilder.tracks(of: leaves).first { $0.number == 2 })
    #expect(cancelled.spans[0].end == time * 1_000_000)
  }

  @Test func workThatBeginsWhileMemoryIsLookedUpFollowsTheLookup() throws {
    let second = TraceEvent.Request(
      number: 2, url: "http://a.test/1", began: 4_000_000, memory: .absent, disk: .noCache, fetch: 10,
      decode: 11, processedImage: 12)

    let track = try #require(
      TrackBuilder.tracks(of: load + [event(6, .requested(second))]).first { $0.number == 2 })

    #expect(
      times(track).filter { !$0.contains("6-6") }.prefix(3) == [
        "request 4-32", "memory lookup 4-6", "connect 6-8",
      ])
  }

  @Test func joiningRequestHasRunningWorkFromItsOwnStart() throws {
    let events =
      load + [
        request(2, at: 10, fetch: 10), event(33, .responded(request: 2, .image(99, source: "network"))),
      ]

    let track = try #require(TrackBuilder.tracks(of: events).last)

    #expect(
      times(track).filter { !$0.contains("lookup") } == [
        "request 10-45", "TLS 10-12", "joined 10-10", "first byte 12-20", "body 20-25", "decoder queue 25-26",
        "decode 26-30", "transform 30-32", "first frame 33-45", "responded 33-33", "upload 38-40",
      ])
  }

  @Test(
    "a transfer that breaks off before the response ends in its current step",
    arguments: [
      ("DNS", [0, 0, 0] as [UInt32], false), ("connect", [1000, 0, 0], false),
      ("TLS", [1000, 3000, 0], false), ("first byte", [1000, 3000, 7000], false),
      ("first byte", [10, 10, 10], true),
    ])
  func brokenTransferEndsInItsCurrentStep(step: String, times: [UInt32], isReused: Bool) throws {
    var transfer = TraceEvent.Transfer()
    (transfer.nameLookup, transfer.connect, transfer.tls) = (times[0], times[1], times[2])
    transfer.isReused = isReused
    transfer.total = 20_000
    let events = [
      request(1, at: 0, fetch: 10, url: "https://a.test/1"), event(5, .fetchBegan(fetch: 10)),
      event(25, .fetchEnded(fetch: 10, transfer)), event(25, .responded(request: 1, .failed("no response"))),
    ]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    let last = try #require(track.spans.last { $0.name != "responded" })
    #expect(last.name == step)
    #expect(last.end == 25_000_000)
    #expect(last.notes["result"] == .text("broken off"))
    let connection = isReused ? "reused" : "new"
    #expect(last.notes["connection"] == (step == "first byte" ? .text(connection) : nil))
  }

  @Test func immediatelyRefusedRequestHasATrackWithoutAQueue() throws {
    let track = try #require(
      TrackBuilder.tracks(of: [
        request(1, at: 0, fetch: 0), event(0, .responded(request: 1, .failed("no way there"))),
      ]).first)

    #expect(track.spans.map(\.name).sorted() == ["disk lookup", "memory lookup", "request", "responded"])
    #expect(track.spans.first { $0.name == "request" }?.notes["result"] == .text("failed: no way there"))
  }

  @Test func imageShownAgainBelongsToTheLaterRequest() throws {
    let events =
      load + [
        event(100, .served(request: 2, url: "http://a.test/1", image: 99)), event(110, .shown(image: 99)),
      ]

    let track = try #require(TrackBuilder.tracks(of: events).last)

    #expect(times(track) == ["request 100-110", "first frame 100-110", "memory lookup 100-100"])
    #expect(track.spans[0].notes["source"] == .text("memory"))
  }

  @Test(
    "an unfinished request has a track up to its end",
    arguments: [
      (TraceEvent.Outcome.cancelled, "cancelled"), (.failed("no response"), "failed: no response"),
    ])
  func unfinishedRequestHasATrackUpToItsEnd(outcome: TraceEvent.Outcome, result: String) throws {
    let events = [request(1, at: 0, fetch: 10), event(8, .responded(request: 1, outcome))]

    let track = try #require(TrackBuilder.tracks(of: events).first)

    #expect(times(track).contains("queue 0-8"))
    #expect(track.spans[0].notes["result"] == .text(result))
  }

  @Test func requestWithoutItsFirstEventHasNoTrack() {
    #expect(TrackBuilder.tracks(of: Array(load.dropFirst())).isEmpty)
    #expect(TrackBuilder.tracks(of: []).isEmpty)
  }

  @Test func documentIsJSONWithATrackPerRequest() throws {
    struct Document: Decodable {
      struct Slice: Decodable {
        let name, ph: String
        let tid: Int
        let ts, dur: Double?
      }
      let traceEvents: [Slice]
    }

    let document = try JSONDecoder().decode(Document.self, from: try ChromeTrace(load).json())

    let slices = document.traceEvents.filter { $0.ph == "X" }
    #expect(Set(slices.map(\.tid)) == [1])
    #expect(slices.first { $0.name == "decode" }?.ts == 26_000)
    #expect(slices.first { $0.name == "decode" }?.dur == 4000)
    #expect(document.traceEvents.filter { $0.ph == "M" }.map(\.name) == ["process_name", "thread_name"])
  }

  @Test func documentContainsTheRecordedEventsOfATrace() throws {
    let trace = Trace()
    trace.recordServed(url: "http://a.test/before.jpg", image: 1)
    let chrome = ChromeTrace(trace)
    trace.recordServed(url: "http://a.test/after.jpg", image: 2)

    let text = String(decoding: try chrome.json(), as: UTF8.self)

    #expect(text.contains("http://a.test/before.jpg"))
    #expect(!text.contains("http://a.test/after.jpg"))
  }

  private static let long = String(repeating: "a", count: 988)
  private static let longer = String(repeating: "b", count: 100)

  @Test(
    "user names, passwords, keys and signatures are removed from URLs",
    arguments: [
      ("http://anna:secret@a.test/1", "http://a.test/1"), ("http://a@b@c.test/1", "http://c.test/1"),
      ("http://a.test/x@y", "http://a.test/x@y"), ("data:,x@y", "data:,x@y"),
      ("http://a.test/1?w=3&token=secret", "http://a.test/1?w=3&token=…"),
      ("http://a.test/1?X-Amz-Signature=secret&w=3", "http://a.test/1?X-Amz-Signature=…&w=3"),
      ("http://a.test/" + long + "?sig=secret", "http://a.test/" + long + "?sig=…"),
      // Truncated by the trace within a name and within a value.
      (Trace.shortened("http://a.test/" + long + "?tok" + longer), "http://a.test/" + long + "?…"),
      (
        Trace.shortened("http://a.test/" + long + "?x=1&y=secret" + longer),
        "http://a.test/" + long + "?x=1&y=…"
      ),
    ])
  func credentialsAreRemovedFromURLs(url: String, shown: String) throws {
    let json = try ChromeTrace([request(1, at: 0, fetch: 10, url: url)]).json()

    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains("\"\(shown)\""))
    #expect(url == shown || !text.contains(url))
  }
}
