import DemoRuns
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineTesting

/// A moment of the demo, as a screenshot of the program running off screen.
nonisolated struct DemoMoment: Sendable, CustomTestStringConvertible {
  /// The name of the expected image, without a prefix.
  let name: String
  /// The screen, or `slideshow` for the program's slideshow.
  var screen = "list"
  var size: (width: Int, height: Int) = (800, 336)
  /// The time in milliseconds after which the server answers. If a screen shows an image in several sizes, all its loads
  /// must begin earlier: a load that begins later is given a larger image that is in memory by then.
  var latency = 0
  /// True to use a disk cache.
  var keepsImages = false
  /// Further options, separated by spaces.
  var options = ""
  /// The commands before the screenshot.
  var script = ["wait idle"]
  /// The part to compare, in pixels; `nil` for all. Excludes the status line, whose figures differ between runs.
  var part: Rect?

  var testDescription: String { name }

  /// Runs the program and returns the part of its screen.
  @MainActor
  func screenshot() async throws -> Bitmap {
    let program = try VitrineProgram(keepsImages: keepsImages)
    defer { program.remove() }
    let file = program.path("screen.png")
    let start = screen == "slideshow" ? [screen] : ["--screen", screen]
    let arguments =
      start + [
        "--video", "offscreen", "--renderer", "software", "--latency", "\(latency)",
        "--size", "\(size.width)x\(size.height)",
      ]

    // All moments run at once, so that a program may wait long for its turn.
    let patient = script.map { $0 == "wait idle" || $0 == "wait loaded" ? $0 + " 120" : $0 }

    let outcome = try await program.run(
      arguments: arguments + options.split(separator: " ").map(String.init),
      script: (patient + ["screenshot \(file)", "quit"]).joined(separator: "\n"))

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let screenshot = try AssetImage.load(contentsOf: file).bitmap
    return part.map(screenshot.cropped) ?? screenshot
  }
}
