import Foundation
import Glibc
import Testing
import VitrineGalleryServer

/// The program `vitrine slideshow`.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SlideshowRunTests {
  private func run(
    _ program: VitrineProgram, _ arguments: String..., script: String? = nil, terminates: Bool = false
  ) async throws -> VitrineProgram.Outcome {
    // A quarter of the pixels, because debug builds draw slowly.
    let options = ["--video", "offscreen", "--scale", "0.5", "--latency", "0"]
    return try await program.run(
      arguments: ["slideshow"] + arguments + options, script: script, terminates: terminates)
  }

  @Test func slidesFollowEachOtherWithTheirTitles() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: ["01-red_barn.jpg", "02-lake.jpg", "03-hill.jpg"])

    let outcome = try await run(
      program, photos, "--seconds", "5", "--clock", "--motion", "off", "--size", "320x200",
      script: """
        clock manual
        wait loaded
        wait idle
        expect "Slideshow" state loaded
        expect "01 red barn" role image
        expect "01 red barn" value "1 of 3"
        advance 5400 ms
        expect "Slideshow" state changing
        advance 1000 ms
        expect "02 lake" value "2 of 3"
        wait loaded
        key right
        advance 1100 ms
        expect "03 hill" value "3 of 3"
        wait loaded
        key left
        wait loaded
        advance 1100 ms
        expect "02 lake" value "2 of 3"
        key space
        expect "02 lake" value "2 of 3, paused"
        advance 60000 ms
        expect "02 lake" value "2 of 3, paused"
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
  }

  @Test func treeHasTheSlideTheTitleAndTheClock() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: ["01-red_barn.jpg"])

    let outcome = try await run(program, photos, "--clock", "--dump-tree")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("image \"01 red barn\" \"1 of 1\" normal 0,0 1280x800"))
    #expect(outcome.output.contains("text \"01 red barn\""))
    #expect(outcome.output.contains(#/text "[0-9]{2}:[0-9]{2}"/#))
  }

  @Test func failedImagesAreSkipped() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let good = "\(server.baseURL)/gallery/buttons/portrait.jpg"
    let feed = try program.write(
      "\(good)?status=404\tMissing\n\(good)?html=1\tPage\n\(good)\tGood", to: "feed.txt")

    let outcome = try await run(
      program, feed, "--transition", "none", script: "wait for \"Good\"\nexpect \"Good\" value \"3 of 3\"\n")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func feedWhoseImagesAllFailSaysSo() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    defer { server.stop() }
    let feed = try program.feedOfMissingImages(on: server.baseURL)

    let outcome = try await run(
      program, feed,
      script: """
        wait for "No image can be shown: the server has no such image. Trying again."
        wait loaded
        expect "Slideshow" state failed
        """)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func listThatCannotBeReachedIsNamed() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    // No server listens at this port.
    let list = "http://127.0.0.1:1/list.txt"
    let message = "No images yet: \(list) (no list yet, the server cannot be reached, trying again)"

    let outcome = try await run(program, list, script: "wait for \"\(message)\"\n")

    // The message is on the screen, and the program reports that the list is missing at the end of the script.
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("cannot load the feed \(list)"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("line 1"), "\(outcome.errors)")
  }

  @Test func galleryIsShownWithoutAFeed() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let file = program.path("slide.png")

    let outcome = try await run(program, "--screenshot", file)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(FileManager.default.fileExists(atPath: file))
    #expect(outcome.stats?.images.failed == 0)
  }

  @Test func storedSlidesAreShownOffline() async throws {
    let program = try VitrineProgram(keepsImages: true)
    defer { program.remove() }
    let server = try GalleryServer(images: VitrineProgram.assets)
    let feed = try program.write("\(server.baseURL)/gallery/buttons/portrait.jpg\tPortrait", to: "feed.txt")
    _ = try await run(program, feed, script: "wait for \"Portrait\"\nwait idle\n")
    server.stop()

    let outcome = try await run(program, feed, "--offline", script: "wait for \"Portrait\"\n")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.stats?.network.requests == 0)
    #expect(outcome.stats?.images.disk == 1)
  }

  @Test func signalQuitsTheSlideshow() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await run(program, terminates: true)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func helpAndWrongUsageExitAsInTheDemo() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let help = try await program.run("slideshow", "--help")
    let wrong = try await program.run("slideshow", "--order", "random")
    let missing = try await program.run("slideshow", program.path("nowhere"), "--video", "offscreen")

    #expect(help.exitCode == 0)
    #expect(help.output.contains("usage: vitrine slideshow [FEED] [OPTION…]"))
    #expect(wrong.exitCode == 2)
    #expect(wrong.errors.split(separator: "\n").count == 1)
    #expect(missing.exitCode == 1)
    #expect(missing.errors.contains("there is no feed at"))
  }
}
