import Foundation
import Testing
import VitrineGalleryServer

/// The home screen of the program. In a window of 800x480 points, the middle of the tile of row N is at
/// (74 + 113 N, 430).
@Suite(.timeLimit(.minutes(5)), .serialized)
struct HomeRunTests {
  private func run(
    _ program: VitrineProgram, _ arguments: String..., script: String? = nil
  ) async throws -> VitrineProgram.Outcome {
    // A quarter of the pixels, because debug builds draw slowly.
    let options = [
      "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--size", "800x480", "--chrome", "off",
      "--screen", "home",
    ]
    return try await program.run(arguments: arguments + options, script: script)
  }

  private let names = ["01-red_barn.jpg", "02-lake.jpg", "03-hill.jpg"]

  /// Plays a script with the three photographs of `names`, and expects it to succeed.
  private func play(script: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: names)

    let outcome = try await run(program, photos, script: script)

    #expect(outcome.exitCode == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
  }

  @Test func tapOnATileOpensItsImageAndEscReturns() async throws {
    try await play(
      script: """
        clock manual
        wait idle
        expect "Slideshow" state loaded
        expect "01 red barn" state selected
        tap 300 430
        wait idle
        expect "Viewer: 03 hill" state loaded
        advance 60000 ms
        key escape
        wait idle
        expect "01 red barn" state selected
        advance 9000 ms
        wait idle
        expect "02 lake" state selected
        """)
  }

  @Test func tapOnTheSlideshowOpensTheShownImage() async throws {
    try await play(
      script: """
        clock manual
        wait idle
        tap 400 150
        wait idle
        expect "Viewer: 01 red barn" state loaded
        drag 400 100 400 400 200
        wait idle
        expect "Slideshow" state loaded
        key enter
        wait idle
        expect "Viewer: 01 red barn" state loaded
        key right
        wait idle
        expect "Viewer: 02 lake" state loaded
        key escape
        wait idle
        expect "02 lake" state normal
        """)
  }

  @Test func longPressOnATileSelectsIt() async throws {
    try await play(
      script: """
        clock manual
        wait idle
        hold 300 430
        wait idle
        expect "03 hill" state selected
        expect "Slideshow" state loaded
        hold 300 430
        expect "03 hill" state normal
        """)
  }

  @Test func clearedCacheReloadsTheShownSlide() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: names)

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "800x320", "--screen", "home", photos,
      script: """
        clock manual
        wait idle
        expect "01 red barn" state selected
        tap on "Clear cache"
        expect "Slideshow" state loading
        wait idle
        expect "Slideshow" state loaded
        expect "01 red barn" state selected
        """)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func keysMoveAlongTheStripAndPause() async throws {
    try await play(
      script: """
        clock manual
        wait idle
        key right
        expect "01 red barn" state focused
        key right
        expect "02 lake" state focused
        key enter
        wait idle
        expect "Viewer: 02 lake" state loaded
        key escape
        wait idle
        expect "02 lake" state focused
        key space
        expect "01 red barn  ·  Paused" role text
        advance 60000 ms
        expect "01 red barn" state selected
        """)
  }

  @Test func feedOfOneImageStays() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let photos = try program.folder(ofPhotos: ["01-red_barn.jpg"])

    let outcome = try await run(
      program, photos,
      script: """
        clock manual
        wait idle
        advance 60000 ms
        expect "Slideshow" state loaded
        expect "01 red barn" state selected
        """)

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
        expect "One" state failed
        """)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func smallWindowsShowTheSlideshow() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    for size in ["64x64", "320x240", "240x320"] {
      let outcome = try await program.run(
        "--video", "offscreen", "--latency", "0", "--size", size, "--screen", "home",
        script: "clock manual\nwait idle\nexpect \"Slideshow\" state loaded\n")
      #expect(outcome.exitCode == 0, "\(size): \(outcome.errors)")
    }
  }

  @Test func treeNamesThePartsOfTheScreen() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", "home", "--dump-tree")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("    button \"Home\" \"\" selected"))
    #expect(outcome.output.contains("list \"Images\" \"10000\" normal"))
    #expect(outcome.output.contains(#/text "([0-9]+ % of a core  ·  )?[0-9]+ MB"/#))
    #expect(outcome.output.contains(#/text "[0-9]{2}:[0-9]{2}"/#))
  }
}
