import Testing
import VitrineTesting

@testable import VitrineLoading

/// A URL that leads elsewhere: what lies there may be good for a year, and the way to it for less.
@MainActor @Suite(.timeLimit(.minutes(1))) struct DiskRedirectTests {
  @Test(
    "what came from elsewhere is fresh no longer than what says nothing",
    arguments: [(3599, true), (3601, false)])
  func wayToAPicture(age: Double, isFresh: Bool) async throws {
    let world = DiskWorld()
    world.keep(age: age, headers: ["Cache-Control": "max-age=31536000, immutable"], from: "today/1.jpg")
    let task = world.downloader.load(request())
    if !isFresh { try await world.transfer().answer(with: Fixture.picture, DiskWorld.minute) }
    #expect(try await task.response.source == (isFresh ? .disk : .network))
  }

  @Test func whatCameFromElsewhereIsGoodForLessIfItSaysSo() async throws {
    let world = DiskWorld()
    world.keep(age: 100, from: "today/1.jpg")
    let task = world.downloader.load(request())
    try await world.transfer().answer(with: Fixture.picture, DiskWorld.minute)
    #expect(try await task.response.source == .network)
  }

  @Test(
    "the time counts from when the redirect was followed, however long before what it led to was made",
    arguments: [(3599, true), (3601, false)])
  func wayToAPictureOfACacheOnTheWay(age: Double, isFresh: Bool) async throws {
    let world = DiskWorld()
    world.keep(
      age: age, headers: ["Cache-Control": "max-age=31536000", "Age": "86400"], from: "today/1.jpg")
    let task = world.downloader.load(request())
    if !isFresh { try await world.transfer().answer(with: Fixture.picture, DiskWorld.minute) }
    #expect(try await task.response.source == (isFresh ? .disk : .network))
  }

  @Test func sameURLOverHTTPSIsWhereItLeadsForGood() async throws {
    let world = DiskWorld()
    world.keep(age: 7200, headers: ["Cache-Control": "max-age=31536000"], from: "a.jpg", scheme: "https")
    #expect(try await world.downloader.image(for: request()).source == .disk)
  }
}
