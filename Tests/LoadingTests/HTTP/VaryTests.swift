import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Request headers that a server names in `Vary` (RFC 9110, 12.5.5).
@MainActor @Suite(.timeLimit(.minutes(5))) struct VaryTests {
  private func deviceRequest(_ device: String?) -> ImageRequest {
    var request = request()
    request.headers["X-Device"] = device
    return request
  }

  private func respond(to transfer: FakeTransfer, width: Int, vary: String = "Accept-Encoding, x-device") {
    let body = FakeDecoder.encodedImage(width: width, height: 1)
    transfer.respond(headers: ["Vary": vary], expectedLength: body.count)
    transfer.send(body)
    transfer.finish()
  }

  @Test func loadsThatDifferInAVaryingHeaderGetSeparateImages() async throws {
    let world = Fixture()
    let tasks = [deviceRequest("1"), deviceRequest("2"), deviceRequest(nil)].map { world.downloader.load($0) }
    #expect(world.transport.transfers.count == 1, "the header is not yet known to vary")
    // The first response names the header: it serves requests with the same value, the others are sent again.
    respond(to: world.transport.transfers[0], width: 1)
    #expect(world.transport.transfers.count == 3)
    for transfer in world.transport.running {
      respond(to: transfer, width: Int(transfer.request.headers["X-Device"] ?? "3") ?? 0)
    }
    var widths: [Int] = []
    for task in tasks { widths.append(try await task.response.image.pixelWidth) }
    #expect(widths == [1, 2, 3])
    #expect(
      [deviceRequest("1"), deviceRequest("2"), deviceRequest(nil)].map {
        world.downloader.cachedImage(for: $0)?.pixelWidth
      } == [1, 2, 3])
    #expect(world.downloader.cachedImage(for: deviceRequest("4")) == nil)
  }

  @Test func headIsDeliveredOnlyToTheLoadsThatTheResponseServes() async throws {
    let world = Fixture()
    let tasks = ["1", "2"].map { world.downloader.load(deviceRequest($0)) }
    let streams = tasks.map(\.events)
    let body = FakeDecoder.encodedImage(width: 1, height: 1)
    for device in ["1", "2"] {
      let transfer = try #require(world.transport.running.first)
      #expect(transfer.request.headers["X-Device"] == device)
      transfer.respond(
        headers: ["Vary": "X-Device", "X-Served": device], expectedLength: body.count)
      transfer.send(body)
      transfer.finish()
    }

    var served: [[String]] = []
    for stream in streams {
      var values: [String] = []
      for await case .response(let head) in stream { values.append(head.headers["X-Served"] ?? "") }
      served.append(values)
    }
    #expect(served == [["1"], ["2"]])
  }

  @Test func varyingHeaderThatTheRequestLacksHasNoEffect() async throws {
    let world = Fixture()
    let task = world.downloader.load(deviceRequest(nil))
    respond(to: world.transport.transfers[0], width: 5)
    #expect(try await task.response.image.pixelWidth == 5)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func headersOutsideVaryDoNotSeparateLoads() async throws {
    let world = Fixture()
    let tasks = [deviceRequest("1"), deviceRequest("2")].map { world.downloader.load($0) }
    respond(to: world.transport.transfers[0], width: 5, vary: "Origin")
    for task in tasks { #expect(try await task.response.image.pixelWidth == 5) }
    #expect(world.transport.transfers.count == 1)
    #expect(world.downloader.cachedImage(for: deviceRequest("3")) != nil)
  }

  /// Lists with more or longer names than the limit count as `*`.
  private nonisolated static let lists = [
    "Origin, *", (0...32).map { "x-\($0)" }.joined(separator: ", "),
    "x-a" + String(repeating: "a", count: 1024),
  ]

  @Test(arguments: lists)
  func responseThatVariesOnEverythingServesOnlyEqualRequests(vary: String) async throws {
    let world = Fixture()
    let tasks = [deviceRequest("1"), deviceRequest("2")].map { world.downloader.load($0) }
    respond(to: world.transport.transfers[0], width: 1, vary: vary)
    try #require(world.transport.transfers.count == 2)
    respond(to: world.transport.transfers[1], width: 2, vary: vary)

    #expect(try await tasks[0].response.image.pixelWidth == 1)
    #expect(try await tasks[1].response.image.pixelWidth == 2)
    #expect(world.downloader.cachedImage(for: deviceRequest("1"))?.pixelWidth == 1)
    #expect(world.downloader.cachedImage(for: deviceRequest("3")) == nil)
  }

  @Test func varyingHeaderNamesOfAURLAreBounded() {
    var varying = VaryingHeaders()
    for number in 0..<VaryingHeaders.maximumNames { varying.learn(from: ["Vary": "X-\(number)"], for: "a") }
    #expect(varying.names(for: "a").count == VaryingHeaders.maximumNames)
    varying.learn(from: ["Vary": "X-More"], for: "a")
    #expect(varying.names(for: "a") == VaryingHeaders.every)
    let isNew = varying.learn(from: ["Vary": "X-Other"], for: "a")
    #expect(!isNew)

    for number in 0..<3 {
      varying.learn(from: ["Vary": "\(number)" + String(repeating: "a", count: 400)], for: "b")
    }
    #expect(varying.names(for: "b") == VaryingHeaders.every)
    let long = String(repeating: "X-A, ", count: 13_000)
    varying.learn(from: ["Vary": long], for: "c")
    #expect(varying.names(for: "c") == VaryingHeaders.every)
  }

  @Test func laterRequestIsIdentifiedByTheVaryingHeader() async throws {
    let world = Fixture()
    let first = world.downloader.load(deviceRequest(nil))
    respond(to: world.transport.transfers[0], width: 5)
    _ = try await first.response
    let second = world.downloader.load(deviceRequest("2"))
    #expect(world.transport.transfers.count == 2)
    respond(to: world.transport.transfers[1], width: 2)
    #expect(try await second.response.image.pixelWidth == 2)
    #expect(world.downloader.cachedImage(for: deviceRequest(nil))?.pixelWidth == 5)
  }

  @Test func varyingHeadersOfSuccessiveResponsesAccumulate() async throws {
    let world = Fixture()
    let tasks = ["1", "2"].map { device in
      var request = deviceRequest(device)
      request.headers["X-Other"] = "same"
      return world.downloader.load(request)
    }
    respond(to: world.transport.transfers[0], width: 1)
    for transfer in world.transport.running {
      respond(to: transfer, width: Int(transfer.request.headers["X-Device"] ?? "") ?? 7, vary: "X-Other")
    }
    var widths: [Int] = []
    for task in tasks { widths.append(try await task.response.image.pixelWidth) }
    #expect(widths == [1, 2])
  }

  @Test func countingAHeaderNameTwiceDoesNotChangeTheIdentity() {
    let identity = deviceRequest("1").identity
    let once = identity.addingHeaders(named: ["x-device"])
    #expect(once != identity)
    #expect(once.addingHeaders(named: ["x-device"]) == once)
    #expect(once.addingHeaders(named: ["x-device", "x-other"]) == once)
  }

  @Test func repeatedRequestKeepsItsPauseAndPriority() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(deviceRequest("4"))
    let paused = world.downloader.load(deviceRequest("1"))
    world.downloader.load(deviceRequest("2"))
    let urgent = world.downloader.load(deviceRequest("3"))
    paused.pause()
    urgent.priority = .high
    respond(to: world.transport.transfers[0], width: 4)
    #expect(world.transport.running.map { $0.request.headers["X-Device"] } == ["3"])
    urgent.cancel()
    #expect(world.transport.running.map { $0.request.headers["X-Device"] } == ["2"])
    world.downloader.maximumActiveDownloads = 6
    #expect(world.transport.running.count == 1)
    paused.resume()
    #expect(world.transport.running.map { $0.request.headers["X-Device"] } == ["2", "1"])
  }

  @Test func requestWithRelearnedHeadersJoinsARunningFetch() async throws {
    let world = Fixture()
    world.downloader.load(deviceRequest(nil))
    respond(to: world.transport.transfers[0], width: 5)
    let first = world.downloader.load(deviceRequest("2"))
    for number in 0...VaryingHeaders.limit {
      world.downloader.load(request("\(number)"))
      respond(to: world.transport.transfers[number + 2], width: 1)
    }
    var again = deviceRequest("2")
    again.cachePolicy = .reload
    let second = world.downloader.load(again)
    try #require(world.transport.running.count == 2)
    respond(to: world.transport.running[1], width: 3)
    try #require(world.transport.running.count == 1)
    respond(to: world.transport.running[0], width: 2)
    let images = try await [first.response.image, second.response.image]
    #expect(images[0] === images[1])
  }

  @Test func relearnedURLIsForgottenLast() {
    var varying = VaryingHeaders()
    for number in 0..<VaryingHeaders.limit { varying.learn(from: ["Vary": "X-A"], for: "\(number)") }
    varying.learn(from: ["Vary": "X-B"], for: "0")

    varying.learn(from: ["Vary": "X-A"], for: "new")

    #expect(varying.names(for: "0") == ["x-a", "x-b"])
    #expect(varying.names(for: "1").isEmpty)
    #expect(varying.names(for: "new") == ["x-a"])
  }

  @Test func oldestURLIsForgottenBeyondTheLimit() {
    var varying = VaryingHeaders()
    let last = "\(VaryingHeaders.limit)"
    let areNew = (0...VaryingHeaders.limit).map { varying.learn(from: ["Vary": "X-A"], for: "\($0)") }
    #expect(areNew.allSatisfy { $0 })
    #expect(varying.names(for: "0").isEmpty)
    #expect(varying.names(for: "1") == ["x-a"])
    let responses = ["x-a", "x-a,X-B"].map { varying.learn(from: ["Vary": $0], for: last) }
    #expect(responses == [false, true])
    #expect(varying.names(for: last) == ["x-a", "x-b"])
  }
}
