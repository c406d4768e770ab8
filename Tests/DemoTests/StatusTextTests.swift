import Testing
import Vitrine

@testable import VitrineDemo

/// The words of the status line.
struct StatusTextTests {
  private let memory = "0.0 MB in memory, 0.0 MB of textures"
  private let gap = "   ·   "

  @Test func statusLineNamesTheSourcesOfImages() {
    let status = StatusText(
      feed: "Gallery", bySource: [.network: 6, .memory: 2, .disk: 0], cacheBytes: 3 << 20,
      textureBytes: 1 << 19)

    #expect(
      status.text
        == ["Gallery", "8 images: 6 from the network, 2 from memory", "3.0 MB in memory, 0.5 MB of textures"]
        .joined(separator: gap))
  }

  @Test func shorterTextsLeaveOutTheMemoryAndThenTheFeed() {
    let status = StatusText(feed: "Gallery", bySource: [.network: 6, .memory: 2], failed: 2)
    let one = StatusText(feed: "Gallery", isOffline: true, bySource: [.disk: 1])

    #expect(
      status.texts == [
        status.text,
        ["Gallery", "8 images: 6 from the network, 2 from memory", "2 failed"].joined(separator: gap),
        ["8 images: 6 from the network, 2 from memory", "2 failed"].joined(separator: gap),
      ])
    #expect(one.texts.last == ["offline", "1 image: 1 from disk"].joined(separator: gap))
    #expect(StatusText(feed: "Gallery").texts == ["Gallery" + gap + memory, "Gallery", "Gallery"])
  }

  @Test func screenWithoutImagesNamesTheFeedOnly() {
    #expect(StatusText(feed: "Gallery (loading)").text == "Gallery (loading)" + gap + memory)
  }

  @Test func statusLineReportsStaleImages() {
    let all = StatusText(feed: "Gallery", bySource: [.disk: 1], stale: [.unreachable: 1], failed: 2)
    let some = StatusText(feed: "Gallery", bySource: [.disk: 3, .file: 1], stale: [.unreachable: 3])

    #expect(
      all.text
        == [
          "Gallery", "1 image: 1 from disk", "stored image, the server cannot be reached", "2 failed",
          memory,
        ]
        .joined(separator: gap))
    #expect(
      some.text
        == [
          "Gallery", "4 images: 3 from disk, 1 from files", "3 of them stored, the server cannot be reached",
          memory,
        ].joined(separator: gap))
  }

  @Test func statusLineTellsTheAgeOfStoredImages() {
    let day = StoredAge(seconds: 86_400)
    let one = StatusText(feed: "Gallery", bySource: [.disk: 1], stale: [.offline: 1], oldest: day)
    let some = StatusText(
      feed: "Gallery", isOffline: true, bySource: [.disk: 3], stale: [.unreachable: 2], oldest: day)

    #expect(
      one.text
        == ["Gallery", "1 image: 1 from disk", "stored image, 1 day old, no request was sent", memory]
        .joined(separator: gap))
    #expect(
      some.text
        == [
          "Gallery", "offline", "3 images: 3 from disk",
          "2 of them stored, up to 1 day old, the server cannot be reached", memory,
        ].joined(separator: gap))
  }

  @Test func statusLineTellsTheAgeOfFreshImagesFromDisk() {
    let hour = StoredAge(seconds: 3600)
    let one = StatusText(feed: "Gallery", bySource: [.disk: 1], oldestFresh: hour)
    let some = StatusText(feed: "Gallery", bySource: [.network: 1, .disk: 3, .file: 1], oldestFresh: hour)
    let stale = StatusText(
      feed: "Gallery", bySource: [.disk: 3], stale: [.waiting: 2], oldest: StoredAge(seconds: 7200),
      oldestFresh: hour)

    #expect(
      one.text == ["Gallery", "1 image: 1 from disk (stored 1 h ago)", memory].joined(separator: gap))
    #expect(
      some.text
        == [
          "Gallery", "5 images: 1 from the network, 3 from disk (stored up to 1 h ago), 1 from files", memory,
        ].joined(separator: gap))
    #expect(
      stale.text
        == [
          "Gallery", "3 images: 3 from disk",
          "2 of them stored, up to 2 h old, the server has not responded yet", memory,
        ].joined(separator: gap))
  }

  @Test func offlineProgramSaysOnceThatItIsOffline() {
    let status = StatusText(
      feed: FeedText(
        name: "Gallery", state: .stale(.notLoaded("", .offline)), age: StoredAge(seconds: 7200),
        isOffline: true
      ).text,
      isOffline: true, bySource: [.disk: 3], stale: [.offline: 2, .waiting: 1],
      oldest: StoredAge(seconds: 90),
      failed: 1)

    #expect(
      status.text
        == [
          "Gallery (stored list, 2 h old)", "offline", "3 images: 3 from disk",
          "stored images, up to 1 min old, the server has not responded yet", "1 failed", memory,
        ].joined(separator: gap))
  }

  @Test func onlyAnAgeIsUpdatedEachMinute() {
    #expect(!StatusText(feed: "Gallery", stale: [.waiting: 1]).showsAge)
    #expect(StatusText(feed: "Gallery", isListStale: true).showsAge)
    #expect(StatusText(feed: "Gallery", oldest: StoredAge(seconds: 0)).showsAge)
    #expect(StatusText(feed: "Gallery", oldestFresh: StoredAge(seconds: 0)).showsAge)
  }

  @Test func statusLineNamesEachReasonOnce() {
    let status = StatusText(
      feed: "Gallery", bySource: [.disk: 5], stale: [.damaged: 1, .missing: 2, .unreachable: 0])

    #expect(
      status.text
        == [
          "Gallery", "5 images: 5 from disk",
          "3 of them stored, the server has no such image, the server sends no valid image", memory,
        ].joined(separator: gap))
  }

  @Test func failureIsNamedInPlaceOfTheWaitForOthers() {
    let status = StatusText(
      feed: "Gallery", bySource: [.disk: 5], stale: [.waiting: 3, .unreachable: 2],
      oldest: StoredAge(seconds: 90))

    #expect(
      status.text
        == [
          "Gallery", "5 images: 5 from disk", "stored images, up to 1 min old, the server cannot be reached",
          memory,
        ].joined(separator: gap))
  }

  @Test(
    arguments: [
      (nil, "the server has not responded yet"),
      (.offline, "no request was sent"),
      (.transport(.cannotConnect, message: ""), "the server cannot be reached"),
      (.transport(.truncatedBody, message: ""), "the server sends no valid image"),
      (.transport(.outOfResources, message: ""), "loading again has failed"),
      (.timedOut(.stall(seconds: 15)), "the server cannot be reached"),
      (.proxyFailed(status: nil, message: ""), "the server cannot be reached"),
      (.untrustedServer(host: "a.test", cause: .selfSigned, message: ""), "the server is not trusted"),
      (.status(404), "the server has no such image"),
      (.status(410), "the server has no such image"),
      (.status(403), "the server denies access"),
      (.status(503), "the server reports an error"),
      (.emptyBody, "the server sends no valid image"),
      (.notAnImage(signature: [1]), "the server sends no valid image"),
      (.decoding(.jpeg, message: ""), "the server sends no valid image"),
      (.tooLarge(.side(1)), "the image is too large"),
      (.tooLarge(.pixels(1)), "the image is too large"),
      (.tooLarge(.memory(needed: 2, allowed: 1)), "the image is too large"),
      (.tooLarge(.memory(needed: 1, allowed: 2)), "loading again has failed"),
    ] as [(ImageError?, String)])
  func staleImageHasAReasonForEachKindOfError(error: ImageError?, text: String) {
    #expect(StaleReason(error).text == text)
  }

  @Test(
    arguments: [
      (.emptyBody, "the file is not a valid image"),
      (.notAnImage(signature: [1]), "the file is not a valid image"),
      (.decoding(.png, message: ""), "the file is not a valid image"),
      (.unreadableFile(path: "a.png", message: "Permission denied"), "the file cannot be read"),
      (.transport(.outOfResources, message: ""), "the file cannot be read"),
      (.tooLarge(.side(1)), "the image is too large"),
    ] as [(ImageError, String)])
  func fileHasReasonsOfItsOwn(error: ImageError, text: String) {
    #expect(StaleReason(error, of: "file:///photos/a.png").text == text)
  }
}
