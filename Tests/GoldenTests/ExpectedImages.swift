import Foundation
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineSDLBackend
import VitrineTesting

/// Approved images: PNG files in a folder. The README.md in this folder explains how to record new ones.
struct ExpectedImages {
  private nonisolated static let here = URL(filePath: #filePath).deletingLastPathComponent()
  /// The folder of the images that only tests use.
  nonisolated static let tests = here.appending(path: "Expected")
  /// The folder of the images that the README and the documentation show.
  nonisolated static let documentation = here.appending(path: "../../Sources/Vitrine/Vitrine.docc/Resources")
    .standardizedFileURL

  /// The result of a comparison.
  enum Verdict: Equatable {
    case match
    /// The drawn image was saved as the expected one.
    case recorded
    /// The images differ. The text names the difference and the files to look at.
    case different(String)
  }

  let folder: URL
  /// True to save missing or different images instead of failing. An image is then different if a single pixel exceeds
  /// the levels of the tolerance: a changed word of a large image is within the fraction for the edges of letters.
  let isRecording: Bool

  /// Compares an image with `NAME.png`. On a difference, writes `NAME.actual.png` and, if there is an expected image,
  /// `NAME.difference.png` beside it. Removes those files of earlier runs first.
  func verdict(on actual: Bitmap, _ name: String, tolerance: ImageTolerance) throws -> Verdict {
    let expected = file("\(name).png")
    let tolerance = isRecording ? ImageTolerance(levels: tolerance.levels) : tolerance
    let (drawn, difference) = (file("\(name).actual.png"), file("\(name).difference.png"))
    for old in [drawn, difference] { try? FileManager.default.removeItem(at: old) }
    let comparison = try load(expected).map { ImageComparison(of: actual, with: $0, tolerance: tolerance) }
    if comparison?.isMatch == true { return .match }
    if isRecording {
      try actual.write(to: expected.path)
      return .recorded
    }
    try actual.write(to: drawn.path)
    guard let comparison else {
      return .different("there is no \(expected.path); the drawn image is in \(drawn.path).\(Self.hint)")
    }
    try comparison.sideBySide.write(to: difference.path)
    return .different(
      """
      \(name): \(comparison).
      expected    \(expected.path)
      actual      \(drawn.path)
      difference  \(difference.path)\(Self.hint)
      """)
  }

  private static let hint = "\nIf the drawn image is right: VITRINE_RECORD_GOLDEN=1 ./run.sh test Golden"

  private func file(_ name: String) -> URL { folder.appending(path: name) }

  private func load(_ file: URL) throws -> Bitmap? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try AssetImage.load(contentsOf: file.path).bitmap
  }
}

/// Fails unless an image matches `NAME.png` in a folder, by default the folder `Expected`.
func expect(
  _ actual: Bitmap, looksLike name: String, in folder: URL = ExpectedImages.tests,
  tolerance: ImageTolerance = .drawing, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let images = ExpectedImages(
    folder: folder, isRecording: ProcessInfo.processInfo.environment["VITRINE_RECORD_GOLDEN"] == "1")
  switch try images.verdict(on: actual, name, tolerance: tolerance) {
  case .match: break
  case .recorded: print("recorded \(name).png")
  case .different(let problem): Issue.record("\(problem)", sourceLocation: sourceLocation)
  }
}
