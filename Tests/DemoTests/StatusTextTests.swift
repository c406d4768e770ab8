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

  @Test func screenWithoutImagesNamesTheFeedOnly() {
    #expect(StatusText(feed: "Gallery (loading)").text == "Gallery (loading)" + gap + memory)
  }

  @Test func statusLineReportsStaleImages() {
    let all = StatusText(feed: "Gallery", bySource: [.disk: 1], stored: 1, failed: 2)
    let some = StatusText(feed: "Gallery", bySource: [.disk: 3, .file: 1], stored: 3)

    #expect(
      all.text
        == [
          "Gallery", "1 image: 1 from disk", "stored images, the server cannot be reached", "2 failed",
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
}
