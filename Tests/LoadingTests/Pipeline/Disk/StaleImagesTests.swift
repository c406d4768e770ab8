import Testing
import VitrineTesting

@testable import VitrineLoading

/// The time for which the memory cache keeps stale images.
struct StaleImagesTests {
  private func entry(_ image: UInt64, _ name: String = "a.jpg", end: Int64) -> StaleImages.Entry {
    .init(image: image, request: request(name), additionalIdentifier: nil, end: end)
  }

  @Test func staleImagesAreDueAtTheirEndTimes() {
    var images = StaleImages()
    #expect(images.add(entry(1, end: 10)) == 10)
    #expect(images.add(entry(2, "b.jpg", end: 20)) == nil, "a wake-up is already scheduled")
    let first = images.due(at: 10)
    #expect(first.map(\.image) == [1])
    #expect(images.staleness(of: 1, at: 10) != nil, "the image may still be in memory")
    images.remove(first)
    #expect(images.staleness(of: 1, at: 10) == nil)
    #expect(images.takeNextWake() == 20)
    images.remove(images.due(at: 20))
    #expect(images.count == 0)
    #expect(images.takeNextWake() == nil)
  }

  @Test func ageGrowsFromTheTimeOfTheEntry() {
    var images = StaleImages()
    var new = entry(1, end: .max)
    (new.age, new.noted) = (10, 5_000_000_000)
    _ = images.add(new)
    #expect(images.staleness(of: 1, at: 7_000_000_000)?.age == 12)
    #expect(images.staleness(of: 1, at: 0)?.age == 10)
    #expect(images.staleness(of: 2, at: 0) == nil)
  }

  @Test func imageIsFoundByItsStoredResponse() {
    let head = TransportResponse(url: url(), status: 200, headers: ["ETag": "\"1\""])
    let other = TransportResponse(url: url(), status: 200, headers: ["ETag": "\"2\""])
    let key = ProcessedImageKey(request(), additionalIdentifier: nil)
    var images = StaleImages()
    var new = entry(1, end: .max)
    new.response = head
    _ = images.add(new)
    #expect(images.image(key, madeFrom: head) == 1)
    #expect(images.image(key, madeFrom: other) == nil, "another process has stored another response")

    images.fail(key, because: .offline)
    #expect(images.staleness(of: 1, at: 0)?.reason == .offline)
    images.confirm(1)
    #expect(images.count == 0)
    #expect(images.image(key, madeFrom: head) == nil)
  }

  @Test func repeatedInsertsForARequestKeepOneEntry() {
    var images = StaleImages()
    for image in 1...1000 { #expect(images.add(entry(UInt64(image), end: .max)) == nil) }
    #expect(images.all.map(\.image) == [1000])
    images.remove(images.all)
    #expect(images.count == 0)
    #expect((1...1000).allSatisfy { images.staleness(of: $0, at: 0) == nil })
  }

  @Test func replacedImageIsStaleUntilTheNextOneIsReplaced() {
    var images = StaleImages()
    for image in 1...3 { _ = images.add(entry(UInt64(image), end: .max)) }
    #expect((1...3).map { images.staleness(of: $0, at: 0) != nil } == [false, true, true])

    images.confirm(2)
    #expect(images.staleness(of: 2, at: 0) == nil)
    #expect(images.staleness(of: 3, at: 0) != nil, "the server has confirmed the replaced image only")
    images.confirm(3)
    #expect(images.count == 0)
  }

  @Test func removalKeepsAnEntryThatReplacedTheRemovedOne() {
    var images = StaleImages()
    _ = images.add(entry(1, end: 10))
    let due = images.due(at: 10)
    _ = images.add(entry(2, end: 20))
    images.remove(due)
    #expect(images.staleness(of: 2, at: 10) != nil)
    #expect(images.all.map(\.image) == [2])

    let late = images.due(at: 20)
    _ = images.add(entry(2, end: 30))
    images.remove(late)
    #expect(images.all.map(\.end) == [30], "the image was inserted again")
  }

  @Test func imageOfSeveralRequestsHasAnEntryForEach() {
    var images = StaleImages()
    for identifier in ["a", "b"] {
      let new = StaleImages.Entry(image: 1, request: request(), additionalIdentifier: identifier, end: 10)
      _ = images.add(new)
    }
    #expect(images.count == 2)
    images.remove([images.all[0]])
    #expect(images.staleness(of: 1, at: 0) != nil)
    images.fail(1, because: .offline)
    #expect(images.staleness(of: 1, at: 0)?.reason == .offline)
    images.remove(images.due(at: 10))
    #expect(images.count == 0)
    #expect(images.takeNextWake() == nil)
  }

  @Test func confirmationOfAnImageCountsForAllItsRequests() {
    var images = StaleImages()
    for identifier in ["a", "b"] {
      _ = images.add(.init(image: 1, request: request(), additionalIdentifier: identifier, end: .max))
    }
    images.confirm(1)
    #expect(images.count == 0)
    #expect(images.staleness(of: 1, at: 0) == nil)
  }
}
