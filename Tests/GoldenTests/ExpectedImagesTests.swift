import Foundation
import Testing
import VitrineGraphics
import VitrineTesting

/// The verdicts, messages and files of comparisons.
struct ExpectedImagesTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "vitrine-\(UUID().uuidString)")
  private let red = Bitmap(width: 4, height: 3, color: Color(hex: 0xFF0000))
  private let blue = Bitmap(width: 4, height: 3, color: Color(hex: 0x0000FF))

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func verdict(on image: Bitmap, isRecording: Bool = false) throws -> ExpectedImages.Verdict {
    try ExpectedImages(folder: folder, isRecording: isRecording)
      .verdict(on: image, "square", tolerance: .drawing)
  }

  private var files: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func missingExpectedImageFailsAndWritesTheActualImage() throws {
    defer { remove() }

    let verdict = try verdict(on: red)

    guard case .different(let problem) = verdict else {
      Issue.record("a missing image matches")
      return
    }
    #expect(problem.contains("there is no \(folder.path)/square.png"))
    #expect(problem.contains("\(folder.path)/square.actual.png"))
    #expect(problem.contains("VITRINE_RECORD_GOLDEN=1"))
    #expect(try files == ["square.actual.png"])
  }

  @Test func differentImageFailsAndWritesItAndTheDifference() throws {
    defer { remove() }
    _ = try verdict(on: red, isRecording: true)

    let verdict = try verdict(on: blue)

    guard case .different(let problem) = verdict else {
      Issue.record("blue matches red")
      return
    }
    #expect(problem.contains("12 of 12 pixels (100.0 %)"))
    #expect(problem.contains("square.difference.png"))
    #expect(try files == ["square.png", "square.actual.png", "square.difference.png"])
    #expect(try self.verdict(on: red) == .match, "the expected image is unchanged")
  }

  @Test func matchingImageRemovesFilesOfAnEarlierRun() throws {
    defer { remove() }
    _ = try verdict(on: red, isRecording: true)
    _ = try verdict(on: blue)

    let verdict = try verdict(on: red)

    #expect(verdict == .match)
    #expect(try files == ["square.png"])
  }

  @Test func recordingReplacesADifferentImage() throws {
    defer { remove() }
    _ = try verdict(on: red, isRecording: true)
    _ = try verdict(on: blue)

    #expect(try verdict(on: blue, isRecording: true) == .recorded)

    #expect(try verdict(on: blue) == .match)
    #expect(try files == ["square.png"])
  }

  @Test func recordingKeepsAMatchingImage() throws {
    defer { remove() }
    _ = try verdict(on: red, isRecording: true)
    let almost = Bitmap(width: 4, height: 3, color: Color(hex: 0xFE0100))

    #expect(try verdict(on: almost, isRecording: true) == .match)

    let exact = ExpectedImages(folder: folder, isRecording: false)
    #expect(try exact.verdict(on: red, "square", tolerance: .exact) == .match)
  }

  @Test func recordingReplacesAnImageWithinTheToleranceForLetters() throws {
    defer { remove() }
    let old = Bitmap(width: 40, height: 40, color: .white)
    let new = Bitmap(width: 40, height: 40) { x, y in x == 7 && y == 9 ? .black : .white }
    let comparing = ExpectedImages(folder: folder, isRecording: false)
    let recording = ExpectedImages(folder: folder, isRecording: true)
    #expect(try recording.verdict(on: old, "word", tolerance: .text) == .recorded)
    #expect(try comparing.verdict(on: new, "word", tolerance: .text) == .match)

    #expect(try recording.verdict(on: new, "word", tolerance: .text) == .recorded)

    #expect(try comparing.verdict(on: new, "word", tolerance: .exact) == .match)
  }
}
