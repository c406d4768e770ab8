import Foundation
import Testing

/// All screens of the demo, driven by one kind of input each, with the software renderer and with OpenGL ES.
@Suite(.timeLimit(.minutes(5)))
struct InputRunTests {
  /// The renderers. Mesa leaks some kilobytes, so that a leak sanitizer would find them.
  private static let renderers =
    ["software"] + (ProcessInfo.processInfo.environment["LSAN_OPTIONS"] == nil ? ["opengles2"] : [])

  /// Runs a script on images with the titles “Photo 1”, “Photo 2” and so on.
  private func run(
    _ script: String, photos: Int, _ renderer: String, _ arguments: String...
  ) async throws -> VitrineProgram.Outcome {
    let program = try VitrineProgram()
    defer { program.remove() }
    let gallery = VitrineProgram.assets + "/gallery"
    let files = try FileManager.default.contentsOfDirectory(atPath: gallery).sorted().prefix(photos)
    let lines = files.enumerated().map { "file://\(gallery)/\($1)\tPhoto \($0 + 1)" }
    let feed = try program.write(lines.joined(separator: "\n"), to: "feed.txt")

    let outcome = try await program.run(
      // A quarter of the pixels, because debug builds draw slowly.
      arguments: arguments + [
        feed, "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--renderer", renderer,
      ],
      script: script.replacing("wait idle", with: "wait idle 120").replacing(
        "wait loaded", with: "wait loaded 120"))
    if renderer != "software", outcome.errors.contains("the renderer \(renderer) does not work") {
      try Test.cancel("OpenGL does not work off screen here")
    }
    return outcome
  }

  @Test(arguments: InputKind.allCases, renderers)
  func screensAreDrivenByOneKindOfInput(_ kind: InputKind, renderer: String) async throws {
    let outcome = try await run(kind.script, photos: 15, renderer, "--screen", "home", "--size", "480x640")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.stats?.renderer == renderer)
  }

  @Test(arguments: renderers)
  func slideshowIsDrivenByEachKindOfInput(renderer: String) async throws {
    let outcome = try await run(
      InputKind.slideshowScript, photos: 5, renderer, "slideshow", "--size", "400x240")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.stats?.renderer == renderer)
  }
}
