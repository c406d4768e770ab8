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
    let first = images.takeDue(at: 10)
    #expect(first.due.map(\.image) == [1])
    #expect(first.next == 20)
    let second = images.takeDue(at: 20)
    #expect(second.due.map(\.image) == [2])
    #expect(second.next == nil)
  }

  @Test func repeatedInsertsForARequestKeepOneEntry() {
    var images = StaleImages()
    for image in 1...1000 { #expect(images.add(entry(UInt64(image), end: .max)) == nil) }
    #expect(images.takeAll().map(\.image) == [1000])
    #expect(images.takeAll().isEmpty)
  }
}
