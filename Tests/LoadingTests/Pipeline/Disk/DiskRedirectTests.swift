import Testing
import VitrineTesting

@testable import VitrineLoading

/// Redirected responses: the target may be fresh for a year, but the redirect for a shorter time.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskRedirectTests {
  @Test(
    "a redirected response is fresh no longer than a response without a stated lifetime",
    arguments: [(3599, true), (3601, false)])
  func redirectedResponseIsFreshForTheDefaultLifetime(age: Double, isFresh: Bool) async throws {
    let world = DiskWorld()
    world.store(age: age, headers: ["Cache-Control": "max-age=31536000, immutable"], from: "today/1.jpg")
    let task = world.downloader.load(request())
    if !isFresh { try await world.transfer().respond(with: Fixture.body, DiskWorld.minute) }
    #expect(try await task.response.source == (isFresh ? .disk : .network))
  }

  @Test func redirectedResponseMayStateAShorterLifetime() async throws {
    let world = DiskWorld()
    world.store(age: 100, from: "today/1.jpg")
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    #expect(try await task.response.source == .network)
  }

  @Test(
    "the lifetime counts from when the redirect was followed, however old the target was by then",
    arguments: [(3599, true), (3601, false)])
  func lifetimeOfARedirectIgnoresTheAgeHeader(age: Double, isFresh: Bool) async throws {
    let world = DiskWorld()
    world.store(
      age: age, headers: ["Cache-Control": "max-age=31536000", "Age": "86400"], from: "today/1.jpg")
    let task = world.downloader.load(request())
    if !isFresh { try await world.transfer().respond(with: Fixture.body, DiskWorld.minute) }
    #expect(try await task.response.source == (isFresh ? .disk : .network))
  }

  @Test func redirectToHTTPSKeepsTheFullLifetime() async throws {
    let world = DiskWorld()
    world.store(age: 7200, headers: ["Cache-Control": "max-age=31536000"], from: "a.jpg", scheme: "https")
    #expect(try await world.downloader.image(for: request()).source == .disk)
  }
}
