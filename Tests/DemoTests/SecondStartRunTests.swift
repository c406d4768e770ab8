import DemoRuns
import Foundation
import Testing
import VitrineGalleryServer
import VitrineTesting

/// A second start of the program while the server of its feed is down.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SecondStartRunTests {
  private let arguments = ["--video", "offscreen", "--size", "800x600"]

  /// Serves a list of images. `query` can change the server's responses to requests for images.
  private func server(query: String = "") throws -> (GalleryServer, list: String) {
    let server = try GalleryServer(images: VitrineProgram.assets)
    let files = try FileManager.default.contentsOfDirectory(atPath: VitrineProgram.assets + "/gallery")
      .filter { $0.hasSuffix(".jpg") }.sorted().prefix(12)
    publish(files.map { "gallery/\($0)\(query)\tPicture \($0)" }, version: 1, on: server)
    return (server, "\(server.baseURL)/gallery/list.txt")
  }

  /// Replaces the list.
  private func publish(_ lines: [String], version: Int, on server: GalleryServer) {
    let list = Resource(
      body: Array(lines.joined(separator: "\n").utf8), headers: ["ETag": "\"\(version)\""])
    server.add(list, at: "/gallery/list.txt")
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

  /// An image of 800x800 pixels: it fills a square window, and has a backdrop in a wide one.
  @Test(
    "the first frame of a slideshow has its stored image, without a server",
    arguments: [("home", "300x300"), ("home", "320x200"), ("slideshow", "300x300"), ("slideshow", "320x200")])
  func firstFrameOfASlideshowHasItsImage(screen: String, size: String) async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let feed = try program.write("\(server.baseURL)/gallery/buttons/portrait.jpg\tPortrait", to: "feed.txt")
    let start =
      screen == "home"
      ? ["--screen", "home", "--chrome", "off", "--feed", feed] : ["slideshow", feed, "--motion", "off"]
    let arguments = start + ["--video", "offscreen", "--size", size]
    let (shown, again) = (program.path("shown.png"), program.path("again.png"))
    let first = try await program.run(arguments: arguments + ["--screenshot", shown])
    #expect(first.exitCode == 0, "\(first.errors)")
    server.stop()

    let second = try await program.run(
      arguments: arguments + ["--offline", "--first-frame-wait", "10000"],
      script: "screenshot \(again)\nexpect \"Slideshow\" state loaded\nquit\n")

    #expect(second.exitCode == 0, "\(second.errors)")
    #expect(second.stats?.network.requests == 0)
    let (before, after) = (try Screenshot(contentsOf: shown), try Screenshot(contentsOf: again))
    // The texts of the home screen may differ: the time of day, and the cost.
    let top = before.width * before.height / 3
    #expect(before.pixels.count == after.pixels.count)
    #expect(before.pixels[..<top] == after.pixels[..<top], "the first frame differs from a complete one")
    #expect(Set(after.pixels[..<top]).count > 100, "the first frame is empty")
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

  @Test("a broken download continues in the next start")
  func brokenDownloadContinuesInTheNextStart() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    // The server closes each connection after 100,000 bytes of the body, which has 639,339 bytes.
    let target = "/gallery/gallery/07-city-at-blue-hour.jpg?truncate=100000"
    let feed = try program.write("\(server.baseURL)\(target)\tCity", to: "feed.txt")
    let arguments = arguments + ["--feed", feed, "--exit-when-idle"]
    let first = try await program.run(arguments: arguments)
    #expect(first.stats?.images.failed == 1, "\(first.errors)")
    let received = server.log.filter { $0.target == target }.count * 100_000
    server.clearLog()

    let second = try await program.run(arguments: arguments)

    #expect(second.exitCode == 0, "\(second.errors)")
    let request = try #require(server.log.first { $0.target == target })
    #expect(request.status == 206 && request.headers["if-range"] != nil)
    #expect(request.headers["range"] == "bytes=\(received)-")
  }

  @Test("stale images are in the first frame, and their server receives conditional requests only")
  func staleImagesAreShownAtOnceAndRevalidated() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let query = "?maxage=0"
    let files = ["01-first-light.jpg", "02-bamboo-grove.jpg", "03-sun-path.jpg", "05-evening-dunes.jpg"]
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    publish(files.map { "gallery/\($0)\(query)\tPicture" }, version: 1, on: server)
    let arguments = arguments + ["--chrome", "off", "--feed", "\(server.baseURL)/gallery/list.txt"]
    let (before, after) = (program.path("before.png"), program.path("after.png"))
    let first = try await program.run(
      arguments: arguments, script: "wait idle\nscreenshot \(program.path("first.png"))\n")
    #expect(first.exitCode == 0, "\(first.errors)")
    #expect(first.stats?.images.shown == files.count)

    let changed = "/gallery/gallery/\(files[1])"
    let other = try Data(contentsOf: URL(filePath: VitrineProgram.assets + "/gallery/13-ringed-world.jpg"))
    server.add(
      Resource(body: Array(other), contentType: "image/jpeg", headers: ["ETag": "\"changed\""]), at: changed)
    server.clearLog()
    // The responses arrive after the first frame.
    server.behaviour = Behaviour(latency: .fixed(1000))
    let second = try await program.run(
      arguments: arguments + ["--first-frame-wait", "10000"],
      script: """
        screenshot \(before)
        wait for "Renamed" 100
        wait idle
        screenshot \(after)
        """,
      whileRunning: { process in
        try await until(within: 120) {
          server.log.count { $0.target.hasSuffix(query) && $0.wasFinished } >= files.count
        }
        // The title tells the script that the responses have arrived. The list takes another second.
        let lines = files.map { "gallery/\($0)\(query)\t\($0 == files[3] ? "Renamed" : "Picture")" }
        publish(lines, version: 2, on: server)
        kill(process, SIGHUP)
      })

    #expect(second.exitCode == 0, "\(second.errors)")
    #expect(second.stats?.frames.images_in_first_frame == files.count)
    let shown = try Screenshot(contentsOf: program.path("first.png"))
    let (old, new) = (try Screenshot(contentsOf: before), try Screenshot(contentsOf: after))
    #expect(shown == old, "\(shown.countOfDifferences(from: old)) pixels of the first frame differ")
    let log = server.log
    #expect(log.filter { $0.headers["if-none-match"] == nil }.map(\.target) == [])
    #expect(log.first { $0.target == changed + query }?.status == 200)
    let confirmed = log.filter { $0.target.hasSuffix(query) && $0.target != changed + query }
    #expect(confirmed.count >= files.count - 1 && confirmed.allSatisfy { $0.status == 304 })
    // Each row is 144 points high.
    let (row, others) = (144 * 800..<288 * 800, [0..<144 * 800, 288 * 800..<432 * 800])
    for other in others { #expect(old.pixels[other] == new.pixels[other], "a row that has not changed") }
    #expect(zip(old.pixels[row], new.pixels[row]).count { $0.0 != $0.1 } > 1000, "the changed image")
  }

  @Test(
    "the status line says that the images are stored, and how old they are",
    // The screen that a start without `--screen` shows, and a list.
    arguments: ["home", "list"],
    [
      // Fresh for an hour, and stale as soon as they are stored.
      ("", "from disk \\(stored up to [0-9]+ (s|min) ago\\)"),
      ("?maxage=0", "stored images, up to [0-9]+ (s|min) old"),
    ])
  func statusLineSaysThatTheImagesAreStored(screen: String, _ stored: (query: String, words: String))
    async throws
  {
    let (query, words) = stored
    let arguments = arguments + ["--screen", screen]
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let (server, list) = try server(query: query)
    defer { server.stop() }
    _ = try await program.run(arguments: arguments + ["--feed", list, "--exit-when-idle"])
    server.stop()

    let second = try await program.run(arguments: arguments + ["--feed", list, "--dump-tree"])

    #expect(second.exitCode == 0, "\(second.errors)")
    let stats = try #require(second.stats)
    #expect(stats.images.failed == 0)
    #expect(stats.images.network == 0 && stats.images.disk > 0)
    let status = second.output.split(separator: "\n").filter { $0.contains("from disk") }
    #expect(status.count == 1, "\(second.output)")
    let pattern = try Regex(words)
    #expect(status.allSatisfy { $0.contains(pattern) }, "\(status)")
  }
}
