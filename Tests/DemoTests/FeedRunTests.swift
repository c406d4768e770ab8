import Foundation
import Testing
import VitrineGalleryServer
import VitrineTesting

/// The program with a server of the test: the stats must agree with the server's log.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct FeedRunTests {
  @Test func statsAgreeWithTheServersLog() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let files = try FileManager.default.contentsOfDirectory(atPath: VitrineProgram.assets + "/gallery")
      .filter { !$0.hasSuffix(".tsv") }.sorted()
    let lines = files.map { "\(server.baseURL)/gallery/gallery/\($0)\tPicture \($0)" }
    let feed = try program.write(lines.joined(separator: "\n"), to: "feed.txt")

    let outcome = try await program.run("--video", "offscreen", "--feed", feed, "--exit-when-idle")

    let stats = try #require(outcome.stats)
    #expect(outcome.exitCode == 0)
    #expect(stats.images.failed == 0)
    #expect(stats.images.network > 5)
    #expect(stats.images.network == stats.images.shown)
    #expect(stats.network.requests == stats.images.network)
    #expect(server.log.count == stats.network.requests)
    #expect(server.log.map(\.bodyBytesSent).reduce(0, +) == stats.network.bytes)
    #expect(server.connectionCount == stats.network.connections)
    #expect(stats.network.connections <= 4)
    #expect(stats.video == "offscreen")
  }

  @Test func brokenResponsesFailAndOtherImagesLoad() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let good = "\(server.baseURL)/gallery/buttons/portrait.jpg"
    let feed = try program.write(
      """
      # Each of these but the first and the last is broken in its own way.
      \(good)\tGood
      \(good)?status=404\tMissing
      \(good)?html=1\tPage
      \(good)?truncate=2000\tTruncated
      \(good)?empty=1\tEmpty
      \(good)?loop=1\tLoop
      http://127.0.0.1:1/x.jpg\tDead
      \(good)?redirect=file:///etc/passwd\tFile
      """, to: "feed.txt")

    // The window has room for all rows: `wait idle` waits only for images on the screen.
    let outcome = try await program.run(
      "--video", "offscreen", "--feed", feed, "--size", "800x1400",
      script: """
        wait idle
        expect "Good" state loaded
        expect "Missing" state failed
        expect "Page" state failed
        expect "Truncated" state failed
        expect "Empty" state failed
        expect "Loop" state failed
        expect "Dead" state failed
        expect "File" state failed
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
    // Each hop of the redirect loop is a request; the unreachable server received none.
    #expect(outcome.stats?.network.requests == server.log.count)
    #expect(outcome.stats?.network.connections == server.connectionCount)
    #expect(outcome.stats?.images.failed == 7)
    #expect(outcome.stats?.images.shown == 1)
  }

  @Test func rowsSayWhatTheirImagesAreAndWhyThereAreNone() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let good = "\(server.baseURL)/gallery/buttons/portrait.jpg"
    let feed = try program.write(
      "\(good)\tGood\n\(good)?status=404\tMissing\n\(good)?html=1\tPage\n", to: "feed.txt")

    let outcome = try await program.run("--video", "offscreen", "--feed", feed, "--dump-tree")

    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("JPEG  ·  800 × 800"), "\(outcome.output)")
    #expect(outcome.output.contains("The server has no such image"), "\(outcome.output)")
    #expect(outcome.output.contains("The server sends no valid image"), "\(outcome.output)")
  }

  @Test func headerOffersTheBehaviourOfTheServerOnlyForItsOwnFeed() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let gallery = try await program.run("--video", "offscreen", "--latency", "0", "--dump-tree")
    let folder = try await program.run(
      "--video", "offscreen", "--dump-tree", VitrineProgram.assets + "/gallery")

    #expect(gallery.output.contains("group \"Server\""), "\(gallery.output)")
    #expect(folder.exitCode == 0, "\(folder.errors)")
    #expect(!folder.output.contains("\"Server\""), "\(folder.output)")
    #expect(!folder.output.contains("\"Fast\""))
    #expect(folder.output.contains("\"Clear cache\""))
  }

  @Test func imageInSeveralRowsIsDownloadedOnce() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let url = "\(server.baseURL)/gallery/buttons/portrait.jpg"
    let feed = try program.write(Array(repeating: url, count: 5).joined(separator: "\n"), to: "feed.txt")

    let outcome = try await program.run("--video", "offscreen", "--feed", feed, "--exit-when-idle")

    #expect(outcome.stats?.images.shown == 5)
    #expect(server.log.count == 1)
  }

  @Test func relativeURLsOfARedirectedListResolveAgainstItsFinalURL() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    server.add(Resource(body: Array("portrait.jpg\tPortrait\n".utf8)), at: "/gallery/buttons/list.txt")
    server.add(Resource(body: []), at: "/old/list")

    let outcome = try await program.run(
      "--video", "offscreen",
      "--feed", "\(server.baseURL)/old/list?redirect=\(server.baseURL)/gallery/buttons/list.txt",
      script: "wait idle\nexpect \"Portrait\" state loaded\n")

    #expect(outcome.exitCode == 0)
  }

  @Test func feedIsShownFromDiskWhileItsServerIsDown() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    let list = "\(server.baseURL)/gallery/buttons/list.txt"
    server.add(Resource(body: Array("portrait.jpg\tPortrait\n".utf8)), at: "/gallery/buttons/list.txt")
    let online = try await program.run(
      "--video", "offscreen", "--feed", list, script: "wait idle\nexpect \"Portrait\" state loaded\n")
    #expect(online.exitCode == 0)
    server.stop()

    let offline = try await program.run(
      "--video", "offscreen", "--feed", list, script: "wait idle\nexpect \"Portrait\" state loaded\n")

    #expect(offline.exitCode == 0)
    #expect(offline.stats?.images.disk == 1)
  }

  /// The list of pictures on a server of the test.
  private struct Signs {
    let server: GalleryServer
    var list: String { "\(server.baseURL)/gallery/buttons/list.txt" }

    /// Replaces the list; each line is a file and a title.
    func publish(_ lines: [String], version: Int) {
      let resource = Resource(
        body: Array(lines.joined(separator: "\n").utf8), contentType: "text/plain",
        headers: ["ETag": "\"\(version)\""])
      server.add(resource, at: "/gallery/buttons/list.txt")
    }
  }

  @Test func listThatHasChangedIsShownAfterSIGHUP() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let signs = Signs(server: try GalleryServer(images: VitrineProgram.assets))
    defer { signs.server.stop() }
    signs.publish(["portrait.jpg\tOne", "scene-selected.jpg\tThree"], version: 1)
    let arguments = ["--video", "offscreen", "--size", "640x400", "--chrome", "off", "--feed", signs.list]
    let first = try await program.run(arguments: arguments + ["--exit-when-idle"])
    #expect(first.exitCode == 0)
    signs.server.clearLog()
    let (before, after) = (program.path("before.png"), program.path("after.png"))

    let second = try await program.run(
      arguments: arguments,
      script: """
        wait idle
        expect "One" state loaded
        screenshot \(before)
        wait for "Two" 60
        wait idle
        expect "One" state loaded
        expect "Two" state loaded
        expect "Three" state loaded
        screenshot \(after)
        """,
      whileRunning: { process in
        try await until(within: 120) { FileManager.default.fileExists(atPath: before) }
        // The list on disk is confirmed first.
        try await until(within: 120) { signs.server.log.contains { $0.status == 304 } }
        signs.publish(
          ["portrait.jpg\tOne", "scene-normal.jpg\tTwo", "scene-selected.jpg\tThree"], version: 2)
        kill(process, SIGHUP)
      })

    #expect(second.exitCode == 0, "\(second.errors)")
    let log = signs.server.log
    #expect(
      log.map(\.target)
        == ["/gallery/buttons/list.txt", "/gallery/buttons/list.txt", "/gallery/buttons/scene-normal.jpg"])
    #expect(log.map(\.status) == [304, 200, 200])
    #expect(log.prefix(2).map { $0.headers["if-none-match"] } == ["\"1\"", "\"1\""])
    let (old, new) = (try Screenshot(contentsOf: before), try Screenshot(contentsOf: after))
    let row = 0..<640 * 144
    #expect(old.pixels[row] == new.pixels[row], "the first row stays")
    #expect(old.countOfDifferences(from: new) > 1000, "the second row is new")
  }

  @Test func listThatHasChangedIsShownAfterTheInterval() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let signs = Signs(server: try GalleryServer(images: VitrineProgram.assets))
    defer { signs.server.stop() }
    signs.publish(["portrait.jpg\tOne"], version: 1)
    let before = program.path("before.png")

    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--feed", signs.list, "--refresh", "0.01"],
      script: """
        wait idle
        screenshot \(before)
        wait for "Two" 60
        wait idle
        expect "One" state loaded
        expect "Two" state loaded
        """,
      whileRunning: { _ in
        try await until(within: 120) { FileManager.default.fileExists(atPath: before) }
        signs.publish(["scene-normal.jpg\tTwo", "portrait.jpg\tOne"], version: 2)
      })

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func networkListWithAFileURLIsRefused() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let text = "portrait.jpg\n FILE://\(VitrineProgram.assets)/buttons/portrait.jpg\tSecret\n"
    server.add(Resource(body: Array(text.utf8)), at: "/gallery/buttons/list.txt")

    let outcome = try await program.run(
      "--video", "offscreen", "--feed", "\(server.baseURL)/gallery/buttons/list.txt", "--exit-when-idle")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2 of"))
    #expect(outcome.errors.contains("is a file URL, which a list from the network may not name"))
    #expect(outcome.stats?.images.file == 0)
  }

  @Test func outputAndTraceContainNoCredentials() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let withLogin = server.baseURL.replacingOccurrences(of: "http://", with: "http://kiosk:hidden@")
    let text = "portrait.jpg\n\(withLogin)/gallery/buttons/portrait.jpg?status=404&sig=hidden\n\(withLogin)\n"
    server.add(Resource(body: Array(text.utf8)), at: "/gallery/buttons/list.txt")
    let trace = program.path("trace.json")

    let outcome = try await program.run(
      "--video", "offscreen", "--feed", "\(withLogin)/gallery/buttons/list.txt", "--trace", trace,
      "--dump-tree",
      "--overlay")

    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("127.0.0.1"))
    for text in [outcome.output, outcome.errors] { #expect(!text.contains("hidden"), "\(text)") }
    let written = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(written.contains("portrait.jpg"))
    #expect(!written.contains("kiosk:"))
  }

  @Test func folderIsSortedByFileName() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: ["b second.jpg", "a-first.jpg"])

    let outcome = try await program.run(
      "--video", "offscreen", "--feed", photos,
      script: "wait idle\nhold 400 110\nexpect \"a first\" state selected\nexpect \"b second\" state normal\n"
    )

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
    #expect(outcome.stats?.images.file == 2)
  }

  @Test func openedPhotoStaysWhileItsFolderChanges() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: ["a.jpg", "c.jpg"])
    let opened = program.path("opened.png")

    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--size", "640x400", "--feed", photos],
      script: """
        wait idle
        key tab
        key down
        key enter
        wait idle
        expect "Viewer: c" state loaded
        screenshot \(opened)
        wait for "b" 60
        expect "Viewer: c" state loaded
        key left
        wait idle
        expect "Viewer: b" state loaded
        key escape
        wait idle
        expect "b" state loaded
        """,
      whileRunning: { process in
        try await until(within: 120) { FileManager.default.fileExists(atPath: opened) }
        try FileManager.default.copyItem(atPath: photos + "/a.jpg", toPath: photos + "/b.jpg")
        kill(process, SIGHUP)
      })

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }
}
