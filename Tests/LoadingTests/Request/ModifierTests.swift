import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Modifiers of requests, responses and bodies, acceptance rules and the request processor.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ModifierTests {
  private struct Refusal: Error, CustomStringConvertible { let description = "no token" }

  @Test("SD-D23 a modifier can change the headers and the URL of a request")
  func modifierChangesHeadersAndURLOfARequest() async throws {
    let world = Fixture {
      $0.requests.modifier = { request in
        var request = request
        request.headers["X-Token"] = "1"
        request.url = url("b.jpg")
        return request
      }
    }
    let task = world.downloader.load(request())
    try await world.transport.waitUntilStarted(1)
    let transfer = world.transport.transfers[0]
    #expect(transfer.request.headers["X-Token"] == "1")
    #expect(transfer.request.url == url("b.jpg"))
    transfer.respond(with: Fixture.body)
    _ = try await task.response
    #expect(world.downloader.cachedImage(for: request()) != nil, "cached under the original request")
  }

  @Test(
    "SD-D23 SD-M27 a refused request is not sent, and its load fails with the reason",
    arguments: [true, false])
  func refusedRequestIsNotSent(isTyped: Bool) async {
    let world = Fixture {
      $0.requests.modifier = { _ in throw isTyped ? ImageError.status(451) : Refusal() as any Error }
    }
    let task = world.downloader.load(request())
    await #expect(throws: isTyped ? ImageError.status(451) : .requestRefused("no token")) {
      try await task.response
    }
    #expect(world.transport.transfers.isEmpty)
    await world.downloader.drain()
  }

  @Test func loadCancelledDuringRequestModificationSendsNothing() async throws {
    let world = Fixture {
      $0.requests.modifier = { request in
        try await Task.sleep(for: .seconds(3600))
        return request
      }
    }
    let task = world.downloader.load(request())
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }

  @Test("A modifier that does not return fails its load at the total timeout", arguments: [true, false])
  func modifierThatDoesNotReturnTimesOut(isOfRequest: Bool) async throws {
    let world = Fixture {
      $0.timeouts.total = 5
      if isOfRequest {
        $0.requests.modifier = { request in
          try await Task.sleep(for: .seconds(3600))
          return request
        }
      } else {
        $0.responses.modifier = { response in
          try await Task.sleep(for: .seconds(3600))
          return response
        }
      }
    }
    let task = world.downloader.load(request())
    if !isOfRequest { world.transport.transfers[0].respond(with: Fixture.body) }
    world.clock.advance(by: 4.9)
    #expect(!task.isFinished)
    world.clock.advance(by: 0.1)
    await #expect(throws: ImageError.timedOut(.total(seconds: 5))) { try await task.response }
    await world.downloader.drain()
  }

  @Test func requestIsModifiedForEachAttempt() async throws {
    let count = Mutex(0)
    let countOf: @Sendable () -> Int = {
      count.withLock {
        $0 += 1; return $0
      }
    }
    let world = Fixture {
      $0.retries = RetryPolicy(limit: 1, delay: 1)
      $0.requests.modifier = { request in
        var request = request
        request.headers["X-Try"] = "\(countOf())"
        return request
      }
    }
    world.downloader.load(request())
    try await world.transport.waitUntilStarted(1)
    world.transport.transfers[0].fail(.timedOut(.stall(seconds: 1)))
    world.clock.advance(by: 1)
    try await world.transport.waitUntilStarted(2)
    #expect(world.transport.transfers.map { $0.request.headers["X-Try"] } == ["1", "2"])
  }

  @Test("SD-D24 a modifier can change the response head, and the caller receives the changed head")
  func callerReceivesTheModifiedResponse() async throws {
    let world = Fixture {
      $0.responses.modifier = { response in
        var headers = response.headers
        headers["X-Seen"] = "yes"
        return TransportResponse(
          url: response.url, status: response.status, headers: headers,
          expectedLength: response.expectedLength)
      }
    }
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    let response = try await task.response
    #expect(response.http?.status == 200)
    #expect(response.http?.headers["X-Seen"] == "yes")
  }

  @Test("SD-D24 a response modified to a failure status fails the load and ends the transfer")
  func responseModifiedToAFailureFails() async throws {
    let world = Fixture {
      $0.responses.modifier = { TransportResponse(url: $0.url, status: 404, headers: $0.headers) }
    }
    let task = world.downloader.load(request())
    let events = task.events
    let transfer = world.transport.transfers[0]
    transfer.respond(expectedLength: 10)
    await #expect(throws: ImageError.status(404)) { try await task.response }
    // Event listeners see the modified response.
    var heads: [TransportResponse] = []
    for await case .response(let response) in events { heads.append(response) }
    #expect(heads.map(\.status) == [200, 404])
    #expect(transfer.isCancelled)
    await world.downloader.drain()
  }

  @Test func responseModifiedToASuccessSucceeds() async throws {
    let world = Fixture {
      $0.responses.modifier = { TransportResponse(url: $0.url, status: 200, headers: $0.headers) }
    }
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    #expect(transfer.request.acceptableStatuses == [200...599])
    transfer.respond(status: 404)
    transfer.send(Fixture.body)
    transfer.finish()
    _ = try await task.response
  }

  @Test("SD-D24 a refused response fails the load with the reason")
  func refusedResponseFailsWithTheReason() async throws {
    let world = Fixture { $0.responses.modifier = { _ in throw Refusal() } }
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await #expect(throws: ImageError.responseRefused("no token")) { try await task.response }
  }

  @Test func loadCancelledDuringResponseModificationEnds() async throws {
    let world = Fixture {
      $0.responses.modifier = { response in
        try await Task.sleep(for: .seconds(3600))
        return response
      }
    }
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    await world.downloader.drain()
  }

  @Test("SD-D25 a modifier can decrypt the Base64 text of a file before it is decoded")
  func bodyOfAFileIsModifiedBeforeDecoding() async throws {
    let world = Fixture {
      $0.responses.bodyModifier = { bytes, response in
        #expect(response?.status == nil)
        return Array(Data(base64Encoded: Data(bytes)) ?? Data())
      }
    }
    let path = "/tmp/vitrine-\(UUID()).secret"
    try Data(Data(Fixture.body).base64EncodedString().utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }

    let response = try await world.downloader.image(for: URL(filePath: path))

    #expect(response.image.pixelWidth == 64)
    #expect(world.decoder.calls.count == 1)
  }

  @Test("SD-D25 a modifier can decompress a body from the network before it is decoded")
  func bodyFromTheNetworkIsModifiedBeforeDecoding() async throws {
    // The compressed bytes are runs: a count, then the byte that is repeated.
    let world = Fixture {
      $0.responses.bodyModifier = { bytes, response in
        #expect(response?.status == 200)
        return stride(from: 0, to: bytes.count - 1, by: 2).flatMap {
          [UInt8](repeating: bytes[$0 + 1], count: Int(bytes[$0]))
        }
      }
    }
    var runs: [UInt8] = []
    for byte in Fixture.body {
      if runs.last == byte, runs[runs.count - 2] < .max {
        runs[runs.count - 2] += 1
      } else {
        runs += [1, byte]
      }
    }
    let task = world.downloader.load(request())

    world.transport.transfers[0].respond(with: runs)

    #expect(try await task.response.image.pixelWidth == 64)
  }

  @Test("SD-D25 a refused body fails the load with the reason")
  func refusedBodyFailsWithTheReason() async throws {
    let world = Fixture { $0.responses.bodyModifier = { _, _ in throw Refusal() } }
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await #expect(throws: ImageError.responseRefused("no token")) { try await task.response }
    #expect(world.decoder.calls.isEmpty)
  }

  @Test("SD-D29 a response whose status is not acceptable fails")
  func unacceptableStatusFails() async throws {
    let world = Fixture { $0.responses.acceptance.statuses = [1...1] }
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    #expect(transfer.request.acceptableStatuses == [1...1])
    transfer.respond()
    transfer.fail(.status(200))
    await #expect(throws: ImageError.status(200)) { try await task.response }
  }

  @Test("SD-D29 a content type that is not acceptable fails the load and ends the transfer")
  func unacceptableContentTypeEndsTheTransfer() async throws {
    let world = Fixture { $0.responses.acceptance.contentTypes = ["application/json"] }
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    transfer.respond(headers: ["Content-Type": "image/jpeg"])
    await #expect(throws: ImageError.contentType("image/jpeg")) { try await task.response }
    #expect(transfer.isCancelled)
  }

  @Test("SD-M9 a request processor changes the requests that it selects, before the cache lookup")
  func requestProcessorRunsBeforeTheCacheLookup() async throws {
    let world = Fixture {
      $0.requests.processor = { request in
        var request = request
        if request.url.host() == "small.test" { request.targetSize = DecodeTarget(width: 8, height: 8) }
        return request
      }
    }
    #expect(try await world.loaded(request(host: "small.test")).image.pixelHeight == 8)
    #expect(try await world.loaded(request()).image.pixelWidth == 64)
    #expect(world.downloader.cachedImage(for: request(host: "small.test"))?.pixelHeight == 8)
  }

  @Test("SD-M9 a scale set by the request processor applies only to the images of the changed requests")
  func scaleSetByTheProcessorAppliesToItsRequestsOnly() async throws {
    let world = Fixture {
      $0.requests.processor = { request in
        var request = request
        if request.url.host() == "dense.test" { request.imageScale = 3 }
        return request
      }
    }
    let dense = try await world.loaded(request(host: "dense.test")).image
    #expect(dense.scale == 3 && dense.size == Size(width: 64.0 / 3, height: 16))
    #expect(try await world.loaded(request()).image.scale == 1)
  }

  @Test("SD-M20 decoder options of a request reach the decoder, and its scale overrides the decoder's")
  func decoderOptionsReachTheDecoder() async throws {
    struct OptionsDecoder: ImageDecoding {
      let recorder: Recorder<[String: String]>

      func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
        let recorder = recorder
        MainActorQueue.main.post { recorder.add(options.custom) }
        return Image.solid(width: 8, height: 8).withScale(options.custom["scale"].flatMap { Double($0) } ?? 1)
      }
    }
    let recorder = Recorder<[String: String]>()
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: [1]) }
    let downloader = ImageDownloader(transports: [transport], decoder: OptionsDecoder(recorder: recorder))
    var request = request()
    request.decoderOptions = ["Foo": "Bar", "scale": "2"]

    let byDecoder = try await downloader.image(for: request, additionalIdentifier: "decoder")
    request.imageScale = 1
    let byRequest = try await downloader.image(for: request, additionalIdentifier: "request")

    #expect(byDecoder.image.scale == 2 && byRequest.image.scale == 1)
    #expect(
      try await recorder.wait(for: 2) == [["Foo": "Bar", "scale": "2"], ["Foo": "Bar", "scale": "2"]])
  }
}
