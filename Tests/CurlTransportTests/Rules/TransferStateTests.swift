import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("The state of a transfer determines the action for each event")
struct TransferStateTests {
  private let start = TransferInstant.now
  private let died = TransferState.HopEnd(
    failure: .transport(.connectionLost, message: "died"), wasReused: true)

  @Test func completeResponseIsDelivered() throws {
    var state = try TransferState("http://a.example/", at: start)

    let action = state.receive(["HTTP/1.1 200 OK", "Content-Length: 3", ""], at: start)

    let response = TransportResponse(
      url: try #require(URL(string: "http://a.example/")), status: 200, headers: ["Content-Length": "3"],
      expectedLength: 3)
    #expect(action == .report(response, body: BodyRoom.Body(response)))
    #expect(state.receive(bytes: 3, at: start) == .deliver)
    state.delivered(3)
    #expect(state.end(.init()) == .succeed)
    #expect(state.room.bytesReceived == 3)
  }

  @Test func bodyMayFillItsLimitButNotExceedIt() throws {
    var state = try TransferState("http://a.example/", bodyLimit: 5, at: start)
    state.receive(["HTTP/1.1 200 OK", ""], at: start)

    let actions = [2, 3, 1].map { count in
      let action = state.receive(bytes: count, at: start)
      if action == .deliver { state.delivered(count) }
      return action
    }

    #expect(actions == [.deliver, .deliver, .abort])
    #expect(state.end(.init()) == .fail(.tooLarge(.body(bytes: 5))))
  }

  @Test(arguments: [0, -1, Int.min])
  func limitOfZeroOrLessAllowsOnlyAnEmptyBody(limit: Int) throws {
    var empty = try TransferState("http://a.example/", bodyLimit: limit, at: start)
    var other = empty
    empty.receive(["HTTP/1.1 200 OK", "Content-Length: 0", ""], at: start)
    other.receive(["HTTP/1.1 200 OK", ""], at: start)

    #expect(empty.end(.init()) == .succeed)
    #expect(other.receive(bytes: 1, at: start) == .abort)
  }

  @Test func declaredLengthOverTheLimitIsRefusedBeforeTheBody() throws {
    var state = try TransferState("http://a.example/", bodyLimit: 5, at: start)

    let action = state.receive(["HTTP/1.1 200 OK", "Content-Length: 6", ""], at: start)

    #expect(action == .abort)
    #expect(state.end(.init()) == .fail(.tooLarge(.body(bytes: 5))))
  }

  @Test func errorStatusIsReportedAndItsBodyDiscardedUpToALimit() throws {
    var state = try TransferState("http://a.example/", at: start)

    let action = state.receive(["HTTP/1.1 404 Not Found", ""], at: start)

    guard case .report(let response, body: _) = action else { throw Unexpected() }
    #expect(response.status == 404)
    #expect(state.receive(bytes: TransferState.discardLimit, at: start) == .discard)
    #expect(state.receive(bytes: 1, at: start) == .abort)
    #expect(state.room.bytesReceived == 0)
    #expect(state.end(.init(failure: .transport(.aborted, message: ""))) == .fail(.status(404)))
  }

  @Test func redirectIsFollowedEvenIfItsBodyFails() throws {
    var state = try TransferState("http://a.example/", at: start)

    let action = state.receive(["HTTP/1.1 302 Found", "Location: /b", ""], at: start)
    let next = state.end(.init(failure: .transport(.truncatedBody, message: "")))

    var expected = try Hop("http://a.example/b")
    expected.redirects = 1
    #expect(action == .goOn)
    #expect(next == .request(expected))
    #expect(state.hop == expected)
  }

  @Test(
    arguments: [
      (["HTTP/1.1 200 OK", "Vary: Origin", ""], ["Origin", "Cookie"]),
      (["HTTP/1.1 200 OK", ""], ["Cookie"]),
      (["HTTP/1.1 304 Not Modified", "Vary: Origin", ""], ["Origin", "Cookie"]),
      (["HTTP/1.1 304 Not Modified", ""], []),
    ] as [([String], [String])])
  func varyOfARedirectAppliesToItsTarget(head: [String], expected: [String]) throws {
    var state = try TransferState("http://a.example/", at: start)
    state.receive(["HTTP/1.1 302 Found", "Location: /b", "Vary: Cookie", ""], at: start)
    _ = state.end(.init())

    let action = state.receive(head, at: start)

    guard case .report(let response, body: _) = action else { throw Unexpected() }
    #expect(response.headers.fields.filter { $0.name == "Vary" }.map(\.value) == expected)
  }

  @Test func keptVaryOfRedirectsIsBounded() throws {
    var state = try TransferState("http://a.example/", at: start)
    for _ in 0..<5 {
      state.receive(
        ["HTTP/1.1 302 Found", "Location: /b", "Vary: \(String(repeating: "a", count: 2000))", ""], at: start)
      _ = state.end(.init())
    }

    let action = state.receive(["HTTP/1.1 200 OK", ""], at: start)

    guard case .report(let response, body: _) = action else { throw Unexpected() }
    #expect(response.headers.fields.count == 1)
  }

  @Test func longBodyOfARedirectIsNotRead() throws {
    var state = try TransferState("http://a.example/", at: start)

    let action = state.receive(
      ["HTTP/1.1 302 Found", "Location: /b", "Content-Length: 999999", ""], at: start)

    #expect(action == .abort)
  }

  @Test func requestOnADeadConnectionIsResentOnce() throws {
    var state = try TransferState("http://a.example/", at: start)

    let first = state.end(died)
    let second = state.end(died)

    var expected = try Hop("http://a.example/")
    expected.needsFreshConnection = true
    #expect(first == .request(expected))
    #expect(second == .fail(.transport(.connectionLost, message: "died")))
  }

  @Test func requestThatDiedWithItsConnectionIsNotCounted() throws {
    var state = try TransferState("http://a.example/", at: start)
    _ = state.requestWillBeSent(at: start)
    _ = state.end(died)
    #expect(state.requestsSent == 0)

    _ = state.requestWillBeSent(at: start)
    #expect(state.requestsSent == 1)
  }

  @Test func status407OfAServerIsNotAProxyFailure() throws {
    var state = try TransferState("http://a.example/", at: start)
    state.receive(["HTTP/1.1 407 Proxy Authentication Required", ""], at: start)

    #expect(state.end(.init()) == .fail(.status(407)))
  }

  @Test func requestFailsIfItsNewConnectionDies() throws {
    var state = try TransferState("http://a.example/", at: start)

    let next = state.end(.init(failure: .transport(.connectionLost, message: "died"), wasReused: false))

    #expect(next == .fail(.transport(.connectionLost, message: "died")))
  }

  @Test func requestIsNotResentOnceTheResponseHasBegun() throws {
    var state = try TransferState("http://a.example/", at: start)
    state.receive(["HTTP/1.1 200 OK"], at: start)

    #expect(state.end(died) == .fail(.transport(.connectionLost, message: "died")))
  }

  @Test func stallTimeoutStartsWhenTheRequestIsSent() throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: 1, stall: 5, total: 60), at: start)

    #expect(state.deadlines.next == start + .seconds(60))
    _ = state.requestWillBeSent(at: start + .seconds(2))
    #expect(state.deadlines.next == start + .seconds(7))
    state.receive(["HTTP/1.1 200 OK", ""], at: start + .seconds(4))
    #expect(state.deadlines.next == start + .seconds(9))
    #expect(state.receive(bytes: 1, at: start + .seconds(8)) == .deliver)
    #expect(state.deadlines.next == start + .seconds(13))

    #expect(state.expire() == .fail(.timedOut(.stall(seconds: 5))))
  }

  @Test func pauseExtendsTheDeadlines() throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: 1, stall: 5, total: 60), at: start)
    _ = state.requestWillBeSent(at: start)
    state.receive(["HTTP/1.1 200 OK", ""], at: start + .seconds(1))
    #expect(state.receive(bytes: 3, at: start + .seconds(4)) == .deliver)

    _ = state.pauseOrPostpone(speaksHTTP2: false, at: start + .seconds(4))
    #expect(state.deadlines.next == nil)
    _ = state.pauseOrPostpone(speaksHTTP2: false, at: start + .seconds(5))
    _ = state.resume(at: start + .seconds(104))
    #expect(state.deadlines.next == start + .seconds(109))
    _ = state.receive(bytes: 3, at: start + .seconds(156))

    #expect(state.deadlines.next == start + .seconds(160), "the timeout of 60 s plus the pause of 100 s")
    #expect(state.expire() == .fail(.timedOut(.total(seconds: 60))))
    #expect(state.room.bytesReceived == 0, "nothing was delivered")
  }

  // MARK: Room for bodies

  private static let tagged = ["HTTP/2 200", "ETag: \"a\"", ""]

  /// Returns a transfer over HTTP/2 whose head has been reported.
  private func stateAfterHead(_ lines: [String] = Self.tagged) throws -> TransferState {
    var state = try TransferState("http://a.example/", bodyLimit: 64 << 20, at: start)
    guard case .report(let response, body: let body?) = state.receive(lines, at: start) else {
      throw Unexpected()
    }
    state.grant(state.room.bytesToReserve(of: body, speaksHTTP2: true))
    state.report(response, body)
    return state
  }

  @Test(
    "over HTTP/2 the bytes that a server may send ahead are reserved with the head",
    arguments: [
      (["HTTP/2 200", ""], BodyRoom.streamWindow),
      (["HTTP/2 200", "ETag: W/\"a\"", ""], BodyRoom.streamWindow),
      (["HTTP/2 206", "ETag: \"a\"", ""], BodyRoom.streamWindow),
      (["HTTP/2 200", "ETag: \"a\"", "Content-Length: 1000", ""], 1000),
      (["HTTP/2 200", "ETag: \"a\"", ""], BodyRoom.firstGrant),
      (["HTTP/2 404", "ETag: \"a\"", ""], 0),
    ])
  func roomForTheHead(lines: [String], bytes: Int) throws {
    var state = try TransferState("http://a.example/", bodyLimit: 64 << 20, at: start)
    guard case .report(_, body: let body) = state.receive(lines, at: start) else { throw Unexpected() }

    #expect((body.map { state.room.bytesToReserve(of: $0, speaksHTTP2: true) } ?? 0) == bytes)
    #expect((body.map { state.room.bytesToReserve(of: $0, speaksHTTP2: false) } ?? 0) == 0)
  }

  @Test func bodyOfUnknownLengthNeedsRoomForAsMuchAsHasArrived() throws {
    var state = try stateAfterHead()
    let chunk = 64 << 10

    var grants: [Int] = []
    while state.room.bytesReceived < 8 << 20 {
      let needed = state.room.bytesToReserve(for: chunk, speaksHTTP2: true)
      if needed > chunk { grants.append(needed) }
      #expect(needed <= max(chunk, state.room.bytesReceived))
      state.grant(needed)
      state.delivered(chunk)
    }

    #expect(grants == [256, 512, 1024, 2048, 4096].map { $0 << 10 })
    #expect(state.room.bytesToReserve(for: chunk, speaksHTTP2: false) == chunk)
  }

  @Test func refusedBodyOfUnknownLengthIsRequestedAgainAndContinued() throws {
    var state = try stateAfterHead()
    state.delivered(100_000)

    let isPaused = state.pauseOrPostpone(speaksHTTP2: true, at: start)
    #expect(!isPaused)
    #expect(state.deadlines.next == nil)
    #expect(state.end(.init(failure: .transport(.aborted, message: ""))) == .wait)
    let hop = state.hop
    #expect(state.resume(at: start) == .request(hop))
    #expect(state.receive(Self.tagged, at: start) == .goOn, "the head is not reported again")
    #expect(state.bytesToSkip == 100_000)
    #expect(state.receive(bytes: 0, at: start) == .deliver)
    state.delivered(0, skipping: 99_999)
    #expect(state.receive(bytes: 10, at: start) == .deliver)
    state.delivered(10, skipping: 1)

    #expect(state.end(.init()) == .succeed)
    #expect(state.room.bytesReceived == 100_010)
  }

  @Test(
    "a response that has changed meanwhile fails the transfer with a retryable error",
    arguments: [
      ["HTTP/2 200", "ETag: \"b\"", ""], ["HTTP/2 200", ""], ["HTTP/2 503", "ETag: \"a\"", ""],
      // The same head, and a body that ends too early.
      tagged,
    ])
  func changedResponseIsNotContinued(lines: [String]) throws {
    var state = try stateAfterHead()
    state.delivered(100_000)
    _ = state.pauseOrPostpone(speaksHTTP2: true, at: start)
    _ = state.end(.init(failure: .transport(.aborted, message: "")))
    _ = state.resume(at: start)

    let action = state.receive(lines, at: start)
    #expect(action == (lines == Self.tagged ? .goOn : .abort))

    guard case .fail(let error) = state.end(.init()) else { throw Unexpected() }
    #expect(error.isRetryable)
  }

  @Test func refusedBodyThatCannotBeRepeatedIsPaused() throws {
    var untagged = try stateAfterHead(["HTTP/2 200", ""])
    var state = try stateAfterHead()

    let isPaused = (
      untagged.pauseOrPostpone(speaksHTTP2: true, at: start),
      // Over HTTP/1.
      state.pauseOrPostpone(speaksHTTP2: false, at: start)
    )

    #expect(isPaused == (true, true))
  }

  @Test func waitForASharedConnectionEndsAtTheConnectTimeout() throws {
    var waiting = try TransferState(
      "https://a.example/", timeouts: .init(connect: 1, stall: 5, total: 60), at: start)
    var connected = waiting
    _ = connected.requestWillBeSent(at: start)

    waiting.connectionWasNotMade(since: start)
    connected.connectionWasNotMade(since: start)

    #expect(connected.deadlines.next == start + .seconds(5))
    #expect(waiting.deadlines.next == start + .seconds(1))
    var late = waiting
    #expect(waiting.expire() == .fail(.timedOut(.connect(seconds: 1))))
    _ = late.requestWillBeSent(at: start)
    #expect(late.deadlines.next == start + .seconds(5))
  }

  @Test func limitForConnectingIsCheckedUntilTheRequestIsSent() throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: 1, stall: 5, total: 60), at: start)

    state.beginConnecting(at: start)

    #expect(state.deadlines.next == start + .seconds(60))
    #expect(state.deadlines.nextWake == start + .milliseconds(1100))
    let isDue = [1099, 1100, 1101, 2199, 2200].map { milliseconds in
      state.takeConnectCheck(at: start + .milliseconds(milliseconds))
    }
    #expect(isDue == [false, true, false, false, true])
    _ = state.requestWillBeSent(at: start + .seconds(3))
    #expect(state.deadlines.nextWake == start + .seconds(8))
    #expect(state.takeConnectCheck(at: start + .seconds(8)) == false)
  }

  @Test func limitForConnectingIsCheckedForEachHop() throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: 1, stall: 5, total: 60), at: start)
    state.beginConnecting(at: start)
    _ = state.requestWillBeSent(at: start)
    state.receive(["HTTP/1.1 302 Found", "Location: /b", ""], at: start)

    _ = state.end(.init())

    #expect(state.deadlines.nextWake == start + .seconds(60))
    state.beginConnecting(at: start + .seconds(2))
    #expect(state.deadlines.nextWake == start + .milliseconds(3100))
  }

  @Test(arguments: [Double.infinity, .nan, 1e9])
  func endlessLimitForConnectingIsNotChecked(limit: Double) throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: limit, stall: 5, total: 60), at: start)

    state.beginConnecting(at: start)

    #expect(state.deadlines.nextWake == start + .seconds(60))
    #expect(state.takeConnectCheck(at: start + .seconds(100)) == false)
  }

  @Test func totalTimeoutSpansRedirects() throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: 1, stall: 50, total: 60), at: start)
    _ = state.requestWillBeSent(at: start)
    state.receive(["HTTP/1.1 302 Found", "Location: /b", ""], at: start + .seconds(30))
    _ = state.end(.init())

    #expect(state.deadlines.next == start + .seconds(60))
    _ = state.requestWillBeSent(at: start + .seconds(31))
    #expect(state.deadlines.next == start + .seconds(60))
    #expect(state.expire() == .fail(.timedOut(.total(seconds: 60))))
  }

  @Test func discardedBodyHasOneSecond() throws {
    var missing = try TransferState("http://a.example/", at: start)
    var redirect = missing

    missing.receive(["HTTP/1.1 500 Oh", ""], at: start)
    redirect.receive(["HTTP/1.1 302 Found", "Location: /b", ""], at: start)

    #expect(missing.deadlines.next == start + .seconds(1))
    #expect(missing.expire() == .fail(.status(500)))
    #expect(redirect.deadlines.next == start + .seconds(1))
    #expect(redirect.expire() == .request(redirect.hop))
    #expect(redirect.deadlines.next == start + .seconds(60))
  }

  @Test func challengeBodyHasOneSecondAndItsReplyTheFullTimeout() throws {
    let origin = try #require(URL(string: "http://a.example/"))
    let settings = TransferSettings(
      .init(credentials: [.digest(user: "u", password: "p", origin: origin)]))
    var state = try TransferState(origin.absoluteString, settings: settings, at: start)
    _ = state.requestWillBeSent(at: start)

    let action = state.receive(["HTTP/1.1 401 No", "WWW-Authenticate: Digest nonce=1", ""], at: start)
    #expect(action == .goOn && state.deadlines.next == start + .seconds(1))
    _ = state.requestWillBeSent(at: start)

    #expect(state.deadlines.next == start + .seconds(15))
    #expect(state.requestsSent == 2 && state.takeWithheld() == nil)
  }

  @Test func trailerAfterAWithheldHeadIsIgnored() throws {
    let origin = try #require(URL(string: "http://a.example/"))
    let settings = TransferSettings(
      .init(credentials: [.digest(user: "u", password: "p", origin: origin)]))
    var state = try TransferState(origin.absoluteString, settings: settings, at: start)
    _ = state.requestWillBeSent(at: start)
    state.receive(["HTTP/1.1 401 No", "WWW-Authenticate: Digest nonce=1", ""], at: start)

    let trailer = state.receive(["X-Trailer: 1"], at: start)

    #expect(trailer == .goOn)
    #expect(state.takeWithheld()?.status == 401)
    #expect(state.end(.init()) == .fail(.status(401)))
  }

  @Test(arguments: [.infinity, .nan, .greatestFiniteMagnitude] as [Double])
  func infiniteTimeoutSetsNoDeadline(seconds: Double) throws {
    var state = try TransferState(
      "http://a.example/", timeouts: .init(connect: seconds, stall: seconds, total: seconds), at: start)

    _ = state.requestWillBeSent(at: start)

    #expect(state.deadlines.next == nil)
  }

  @Test(arguments: [0, -1, -.infinity] as [Double])
  func timeoutOfZeroOrLessExpiresAtOnce(seconds: Double) throws {
    let state = try TransferState("http://a.example/", timeouts: .init(total: seconds), at: start)

    #expect(state.deadlines.next == start)
  }
}

private struct Unexpected: Error {}

extension TransferState {
  fileprivate init(
    _ url: String, bodyLimit: Int = 100, timeouts: TransportRequest.Timeouts = .init(),
    settings: TransferSettings = .init(), at start: TransferInstant
  ) throws {
    let request = TransportRequest(
      url: try #require(URL(string: url)), bodyLimit: bodyLimit, timeouts: timeouts)
    self.init(request, hop: try Hop(request), settings: settings, startedAt: start)
  }

  @discardableResult
  fileprivate mutating func receive(_ lines: [String], at now: TransferInstant) -> HeadAction {
    lines.map { line in
      Array("\(line)\r\n".utf8).withUnsafeBytes { receive(line: $0, at: now) }
    }.last ?? .goOn
  }
}
