import DemoRuns
import Foundation
import Testing
import VitrineGalleryServer

/// A second start of the program while the server of its feed is down.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SecondStartRunTests {
  private let arguments = ["--video", "offscreen", "--size", "800x400"]

  /// Serves a list of images. `query` can change the server's responses to requests for images.
  private func server(query: String = "") throws -> (GalleryServer, list: String) {
    let server = try GalleryServer(images: VitrineProgram.assets)
    let files = try FileManager.default.contentsOfDirectory(atPath: VitrineProgram.assets + "/gallery")
      .filter { $0.hasSuffix(".jpg") }.sorted().prefix(12)
    let lines = files.map { "gallery/\($0)\(query)\tPicture \($0)" }
    server.add(Resource(body: Array(lines.joined(separator: "\n").utf8)), at: "/gallery/list.txt")
    return (server, "\(server.baseURL)/gallery/list.txt")
  }

  @Test("pictures of a second start are those of the first, and no image fades in")
  func secondStartShowsTheSamePictureAtOnce() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let (server, list) = try server()
    defer { server.stop() }
    let arguments = arguments + ["--chrome", "off", "--feed", list]
    let first = try await program.run(
      arguments: arguments,
      script: """
        wait idle
        screenshot \(program.path("list.png"))
        screen grid
        wait idle
        screenshot \(program.path("grid.png"))
        """)
    #expect(first.exitCode == 0, "\(first.errors)")
    server.stop()

    // The clock stands still, so that an image that fades in is not visible. A frame waits until the disk has responded.
    let second = try await program.run(
      arguments: arguments,
      script: """
        clock manual
        wait loaded
        screenshot \(program.path("list-again.png"))
        screen grid
        screenshot \(program.path("grid-again.png"))
        """)

    #expect(second.exitCode == 0, "\(second.errors)")
    #expect(second.stats?.images.failed == 0)
    #expect(second.stats?.images.network == 0)
    for name in ["list", "grid"] {
      let (before, after) = (
        try Screenshot(contentsOf: program.path(name + ".png")),
        try Screenshot(contentsOf: program.path(name + "-again.png"))
      )
      #expect(before == after, "\(name) differs in \(before.countOfDifferences(from: after)) pixels")
    }
  }

  @Test("the first frame of a second start has all images", arguments: [true, false])
  func firstFrameOfASecondStartHasAllImages(isListOnServer: Bool) async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let (server, list) = try server()
    defer { server.stop() }
    let feed = isListOnServer ? list : try program.write(text(of: list), to: "feed.txt")
    let arguments = arguments + ["--chrome", "off", "--feed", feed]
    let first = try await program.run(
      arguments: arguments, script: "wait idle\nscreenshot \(program.path("first.png"))\n")
    #expect(first.exitCode == 0, "\(first.errors)")
    let shown = try #require(first.stats).images.shown
    server.stop()

    // The default of 50 ms may be too short on a busy machine.
    let second = try await program.run(
      arguments: arguments + ["--first-frame-wait", "10000"],
      script: "screenshot \(program.path("second.png"))\nquit\n")

    #expect(second.exitCode == 0, "\(second.errors)")
    #expect(try #require(second.stats).frames.images_in_first_frame == shown)
    #expect(
      try Screenshot(contentsOf: program.path("first.png"))
        == Screenshot(contentsOf: program.path("second.png")))
  }

  /// The lines of a list, with absolute URLs.
  private func text(of list: String) throws -> String {
    let folder = list.prefix(through: list.lastIndex(of: "/") ?? list.startIndex)
    return try String(
      contentsOf: URL(filePath: VitrineProgram.assets + "/gallery/titles.tsv"), encoding: .utf8
    )
    .split(separator: "\n").map { $0.split(separator: "\t") }.filter { $0[0].hasSuffix(".jpg") }.prefix(12)
    .map { "\(folder)gallery/\($0[0])\t\($0[1])" }.joined(separator: "\n")
  }

  @Test func statusLineSaysThatTheImagesAreStored() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    // Stale as soon as they are stored.
    let (server, list) = try server(query: "?maxage=0")
    defer { server.stop() }
    _ = try await program.run(arguments: arguments + ["--feed", list, "--exit-when-idle"])
    server.stop()

    let second = try await program.run(arguments: arguments + ["--feed", list, "--dump-tree"])

    #expect(second.exitCode == 0, "\(second.errors)")
    let stats = try #require(second.stats)
    #expect(stats.images.failed == 0)
    #expect(stats.images.disk == stats.images.shown)
    let status = second.output.split(separator: "\n").filter { $0.contains("from disk") }
    #expect(status.count == 1, "\(second.output)")
    #expect(status.allSatisfy { $0.contains("stored images") }, "\(status)")
  }
}
