import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Headers that a server names in `Vary` (RFC 9110, 12.5.5).
@MainActor @Suite(.timeLimit(.minutes(1))) struct VaryTests {
  private func asked(_ device: String?) -> ImageRequest {
    var request = request()
    request.headers["X-Device"] = device
    return request
  }

  private func answer(_ transfer: FakeTransfer, width: Int, vary: String = "Accept-Encoding, x-device") {
    let body = FakeDecoder.picture(width: width, height: 1)
    transfer.respond(headers: ["Vary": vary], expectedLength: body.count)
    transfer.send(body)
    transfer.finish()
  }

  @Test func loadsThatDifferInANamedHeaderGetEachTheirOwn() async throws {
    let world = Fixture()
    let tasks = [asked("1"), asked("2"), asked(nil)].map { world.downloader.load($0) }
    #expect(world.transport.transfers.count == 1, "nobody knows yet that it matters")
    // The first answer names the header: everyone asks again.
    answer(world.transport.transfers[0], width: 9)
    #expect(world.transport.transfers.count == 4)
    for transfer in world.transport.running {
      answer(transfer, width: Int(transfer.request.headers["X-Device"] ?? "3") ?? 0)
    }
    var widths: [Int] = []
    for task in tasks { widths.append(try await task.response.image.pixelWidth) }
    #expect(widths == [1, 2, 3])
    #expect(
      [asked("1"), asked("2"), asked(nil)].map { world.downloader.cachedImage(for: $0)?.pixelWidth } == [
        1, 2, 3,
      ])
    #expect(world.downloader.cachedImage(for: asked("4")) == nil)
  }

  @Test func headerThatNobodySendsDoesNotMatter() async throws {
    let world = Fixture()
    let task = world.downloader.load(asked(nil))
    answer(world.transport.transfers[0], width: 5)
    #expect(try await task.response.image.pixelWidth == 5)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func headersThatAreNotNamedDoNotMatter() async throws {
    let world = Fixture()
    let tasks = [asked("1"), asked("2")].map { world.downloader.load($0) }
    answer(world.transport.transfers[0], width: 5, vary: "Origin, *")
    for task in tasks { #expect(try await task.response.image.pixelWidth == 5) }
    #expect(world.transport.transfers.count == 1)
    #expect(world.downloader.cachedImage(for: asked("3")) != nil)
  }

  @Test func whoAsksLaterIsKnownByTheNamedHeader() async throws {
    let world = Fixture()
    let first = world.downloader.load(asked(nil))
    answer(world.transport.transfers[0], width: 5)
    _ = try await first.response
    let second = world.downloader.load(asked("2"))
    #expect(world.transport.transfers.count == 2)
    answer(world.transport.transfers[1], width: 2)
    #expect(try await second.response.image.pixelWidth == 2)
    #expect(world.downloader.cachedImage(for: asked(nil))?.pixelWidth == 5)
  }

  @Test func manyURLsAreForgottenAgain() {
    var varying = VaryingHeaders()
    for number in 0...VaryingHeaders.limit {
      #expect(varying.learn(from: ["Vary": "X-A"], for: "\(number)") == ["x-a"])
    }
    #expect(varying.names(for: "0").isEmpty)
    #expect(varying.learn(from: ["Vary": "x-a,X-B"], for: "\(VaryingHeaders.limit)") == ["x-b"])
  }
}
