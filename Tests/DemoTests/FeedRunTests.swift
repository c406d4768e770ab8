import Foundation
import Testing
import VitrineGalleryServer

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

    let outcome = try await program.run(
      "--video", "offscreen", "--feed", feed, "--size", "800x1000",
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

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
    // Each hop of the redirect loop is a request; the unreachable server received none.
    #expect(outcome.stats?.network.requests == server.log.count)
    #expect(outcome.stats?.network.connections == server.connectionCount)
    #expect(outcome.stats?.images.failed == 7)
    #expect(outcome.stats?.images.shown == 1)
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
    let image = try Data(contentsOf: URL(filePath: VitrineProgram.assets + "/buttons/heart-normal.png"))
    for name in ["b second.png", "a-first.png"] {
      try image.write(to: program.folder.appending(path: name))
    }

    let outcome = try await program.run(
      "--video", "offscreen", "--feed", program.folder.path,
      script: "wait idle\ntap 400 110\nexpect \"a first\" state selected\nexpect \"b second\" state normal\n")

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
    #expect(outcome.stats?.images.file == 2)
  }
}
