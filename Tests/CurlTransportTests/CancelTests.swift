import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineCurlTransport
import VitrineLoading
import VitrineTesting

@Suite("A cancel ends a transfer exactly once", .timeLimit(.minutes(5)))
struct CancelTests {
  @Test func cancelBeforeSendingEndsTheTransfer() async throws {
    let server = try ScriptedServer { _ in [.hold] }
    defer { server.stop() }
    let transport = CurlTransport()
    let recorder = Recorder()

    let transfer = try transport.start(server.url, receiver: recorder)
    transfer.cancel()

    #expect(await recorder.end().error == .cancelled)
    #expect(recorder.calls.responses.isEmpty)
  }

  @Test func cancelBeforeTheResponseEndsTheTransfer() async throws {
    let recorder = Recorder()
    let requestReceived = Signal()
    let server = try ScriptedServer { _ in
      requestReceived.fire()
      return [.hold]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    let transfer = try transport.start(server.url, receiver: recorder)
    await requestReceived.wait()
    transfer.cancel()

    #expect(await recorder.end().error == .cancelled)
    #expect(recorder.calls.failureMetrics?.requests == 1)
    #expect(recorder.calls.failureMetrics?.connections == 1)
    #expect(recorder.calls.responses.isEmpty)
  }

  @Test func cancelDuringTheBodyEndsTheTransfer() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]
    }
    defer { server.stop() }
    let transport = CurlTransport()
    let recorder = Recorder()

    let transfer = try transport.start(server.url, receiver: recorder)
    await recorder.until { $0.body.count == 5 }
    transfer.cancel()

    #expect(await recorder.end().error == .cancelled)
  }

  @Test("A cancel comes before bytes that arrive while another response is read")
  func cancelBeforeNewBytes() async throws {
    let (isCancelled, restIsSent) = (Signal(), Signal())
    let server = try ScriptedServer { request in
      guard request.target == "/cancelled" else { return [.response("other")] }
      return [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nold"), .call { isCancelled.waitBlocking() },
        .send("new"), .call { restIsSent.fire() }, .hold,
      ]
    }
    defer { server.stop() }
    let transport = CurlTransport()
    let cancelled = Recorder()
    let transfer = try transport.start(server.url + "/cancelled", receiver: cancelled)
    await cancelled.until { $0.text == "old" }
    // Holds the transfer thread until the rest of the cancelled response waits in its socket.
    let other = Recorder(onResponse: { _ in
      transfer.cancel()
      isCancelled.fire()
      restIsSent.waitBlocking()
    })

    try transport.start(server.url + "/other", receiver: other)

    #expect(await cancelled.end().error == .cancelled)
    #expect(cancelled.calls.text == "old")
    #expect(await other.end().text == "other")
  }

  @Test func cancelAfterTheEndOrASecondCancelDoesNothing() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()
    let ended = Recorder()
    let cancelled = Recorder()

    let first = try transport.start(server.url, receiver: ended)
    await ended.end()
    first.cancel()
    let second = try transport.start(server.url, receiver: cancelled)
    second.cancel()
    second.cancel()
    await cancelled.end()
    // Commands are executed in order, so the cancels are done when another transfer has ended.
    _ = try await transport.get(server.url)

    #expect(ended.calls.ends.count == 1 && ended.calls.metrics != nil)
    #expect(cancelled.calls.ends.count == 1)
  }

  @Test func cancelLeavesOtherTransfersRunning() async throws {
    let server = try ScriptedServer { request in request.target == "/slow" ? [.hold] : [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()
    let slow = Recorder()
    let fast = Recorder()

    let transfer = try transport.start(server.url + "/slow", receiver: slow)
    try transport.start(server.url + "/fast", receiver: fast)
    transfer.cancel()

    #expect(await fast.end().text == "hello")
    #expect(await slow.end().error == .cancelled)
  }

  @Test func receiverMayCancelAndStartTransfersInItsCallbacks() async throws {
    let server = try ScriptedServer { request in
      request.target == "/first"
        ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold] : [.response("hello")]
    }
    defer { server.stop() }
    let transport = CurlTransport()
    let url = server.url
    let transfer = Mutex<(any Cancellable)?>(nil)
    let started = Signal()
    let second = Recorder()
    let first = Recorder(
      onResponse: { _ in
        started.waitBlocking()
        transfer.withLock { $0?.cancel() }
      }, onEnd: { _ = try? transport.start(url + "/second", receiver: second) })

    let handle = try transport.start(url + "/first", receiver: first)
    transfer.withLock { $0 = handle }
    started.fire()

    #expect(await first.end().error == .cancelled)
    #expect(await second.end().text == "hello")
  }

  @Test func everyTransferEndsOnceUnderRandomFaultsAndCancels() async throws {
    var random = SplitMix(state: 20)
    let body = String(repeating: "x", count: 50_000)
    let server = try ScriptedServer { request in
      switch request.number % 7 {
      case 3: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close]
      case 5: [.response("", status: "302 Found", fields: ["Location: /again"])]
      case 6: [.reset]
      default: [.response(body)]
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    var transfers: [(recorder: Recorder, handle: any Cancellable)] = []

    for number in 0..<200 {
      let recorder = Recorder()
      let handle = try transport.start(server.url + "/\(number)", receiver: recorder)
      transfers.append((recorder, handle))
      guard random.next() % 2 == 0, let victim = transfers.randomElement(using: &random) else { continue }
      victim.handle.cancel()
    }
    for transfer in transfers { await transfer.recorder.end() }
    transport.stop()

    for transfer in transfers {
      transfer.handle.cancel()
      #expect(transfer.recorder.calls.ends.count == 1)
      #expect(!transfer.recorder.calls.isDisorderly)
    }
  }
}
