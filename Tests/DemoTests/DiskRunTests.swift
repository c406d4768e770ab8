import DemoRuns
import Foundation
import Testing

/// The program's disk cache between runs.
@Suite(.timeLimit(.minutes(5))) struct DiskRunTests {
  @Test func secondRunShowsImagesFromDisk() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let first = try await program.run("--video", "offscreen", "--exit-when-idle", "--latency", "0")
    let shown = try #require(first.stats).images
    #expect(shown.network > 0 && shown.disk == 0 && shown.failed == 0)

    let second = try await program.run("--video", "offscreen", "--exit-when-idle", "--latency", "0")
    let images = try #require(second.stats).images
    #expect(images.disk >= shown.network && images.failed == 0 && images.stale == 0)
    // The first run may end before the rows below the screen are prefetched. Only those are requested.
    #expect(second.stats?.network.requests == images.network)
  }

  @Test func offlineRunShowsStoredImagesAndSendsNoRequest() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let before = try await program.run(
      "--video", "offscreen", "--exit-when-idle", "--latency", "0", "--offline")
    let missing = try #require(before.stats)
    #expect(before.exitCode == 0)
    #expect(missing.images.failed > 0 && missing.images.shown == 0 && missing.network.requests == 0)

    _ = try await program.run("--video", "offscreen", "--exit-when-idle", "--latency", "0")
    let after = try await program.run(
      "--video", "offscreen", "--exit-when-idle", "--latency", "0", "--offline")
    let stored = try #require(after.stats)
    #expect(after.exitCode == 0)
    #expect(stored.images.disk > 0 && stored.images.network == 0 && stored.network.requests == 0)
  }

  @Test func cacheFolderCanBeChosenOrDisabled() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let folder = program.path("kept here")
    _ = try await program.run("--video", "offscreen", "--exit-when-idle", "--latency", "0", "--cache", folder)
    #expect(FileManager.default.fileExists(atPath: folder + "/v3"))
    #expect(FileManager.default.fileExists(atPath: folder + "/p1"), "the decoded pixels")
    #expect(!FileManager.default.fileExists(atPath: program.path("cache")))

    let without = try await program.run(
      "--video", "offscreen", "--exit-when-idle", "--latency", "0", "--no-disk-cache")
    #expect(without.stats?.images.disk == 0)
    #expect(!FileManager.default.fileExists(atPath: program.path("cache")))
  }

  @Test func unwritableCacheFolderIsReportedAndImagesAreShown() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let file = try program.write("not a folder", to: "file")
    let run = try await program.run(
      "--video", "offscreen", "--exit-when-idle", "--latency", "0", "--cache", file)
    #expect(run.exitCode == 0)
    #expect(run.stats?.images.failed == 0)
    #expect(run.errors.contains("nothing is kept on disk: \(file)"))
  }

  @Test func refreshAsksTheServerAndTransfersNoImageAgain() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    // The screen has room for the 24 images of the gallery, which follow each other again and again. Images that are
    // loaded ahead may not be stored when the first run ends.
    let first = try await program.run(
      "--video", "offscreen", "--size", "1280x1800", "--exit-when-idle", "--latency", "0")
    let shown = try #require(first.stats).images.shown

    let run = try await program.run(
      "--video", "offscreen", "--size", "1280x1800", "--latency", "0",
      script: "wait idle\nkey F5\nwait 300 ms\nwait idle\nquit\n")

    #expect(run.exitCode == 0)
    let stats = try #require(run.stats)
    #expect(stats.images.failed == 0)
    #expect(stats.images.stale == 0)
    #expect((1...shown).contains(stats.network.requests), "one for each row on the screen")
    #expect(stats.network.bytes == 0, "each response is 304")
  }

  @Test(arguments: [true, false])
  func imagesStayWhenTheyAreRefreshedWhileTheServerIsDown(hasDisk: Bool) async throws {
    let program = try VitrineProgram(keepsImages: hasDisk)
    defer { program.remove() }
    let list = try String(contentsOfFile: VitrineProgram.assets + "/gallery/titles.tsv", encoding: .utf8)
    let titles = list.split(separator: "\n").prefix(3).map { $0.split(separator: "\t")[1] }
    let checks = titles.map { "expect \"\($0)\" state loaded" }

    // The tap stops the server.
    let run = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "1280x400",
      script: (["wait idle", "tap on \"Down\"", "key F5", "wait 300 ms", "wait idle 60"] + checks)
        .joined(separator: "\n"))

    #expect(run.exitCode == 0, "\(run.errors)")
    if hasDisk { #expect(try #require(run.stats).images.stale > 0) }
  }

  @Test func transitionsScreenHasATileWithImagesFromDisk() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let arguments = [
      "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", "transitions",
    ]
    let script = """
      clock manual
      wait loaded
      expect "From disk" state changing
      wait idle
      key tab
      key space
      wait loaded
      expect "From disk" state changing
      """
    for isFirst in [true, false] {
      let run = try await program.run(arguments: arguments, script: script)
      #expect(run.exitCode == 0, "\(run.errors)")
      // Only two other tiles load from the network, once at the start and once for the key.
      if !isFirst { #expect(run.stats?.network.requests == 4) }
    }

    let without = try await program.run(arguments: arguments + ["--no-disk-cache"], script: script)
    #expect(without.errors.contains("From disk"), "the tile needs a disk cache")
    #expect(without.exitCode == 1)
  }
}
