import Foundation
import Testing

/// Images over the whole window, opened from the list and the grid.
@Suite(.timeLimit(.minutes(5)))
struct ViewerRunTests {
  private func run(_ script: String, _ arguments: String...) async throws -> VitrineProgram.Outcome {
    let program = try VitrineProgram()
    defer { program.remove() }
    return try await program.run(
      arguments: ["--video", "offscreen", "--latency", "0", "--size", "400x300"] + arguments, script: script)
  }

  @Test func imageIsOpenedEnlargedTurnedAndPutBackByFingers() async throws {
    let outcome = try await run(
      """
      clock manual
      wait idle
      tap 80 160
      advance 100 ms
      wait idle
      expect "Viewer: First light" state loaded
      expect "Viewer: First light" value ""
      pinch 200 150 50 150 200
      wait idle
      expect "Viewer: First light" value "300 %"
      pinch 200 150 150 25 200
      wait idle
      expect "Viewer: First light" value ""
      drag 300 150 100 150 150
      wait idle
      expect "Viewer: Bamboo grove" state loaded
      drag 200 80 200 240 200
      wait idle
      expect "List" state selected
      expect "Bamboo grove" state normal
      """)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func imageIsOpenedAndClosedByKeys() async throws {
    let outcome = try await run(
      """
      wait idle
      key tab
      key right
      key enter
      wait idle
      expect "Viewer: Bamboo grove" state loaded
      key right
      wait idle
      expect "Viewer: Sun path" state loaded
      key +
      key +
      wait idle
      expect "Viewer: Sun path" state selected
      key 0
      wait idle
      key left
      wait idle
      key escape
      wait idle
      expect "Bamboo grove" state loaded
      """, "--screen", "grid")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func mouseOpensEnlargesByTheWheelAndClosesByTheButton() async throws {
    let outcome = try await run(
      """
      wait idle
      tap 100 180
      wait idle
      wheel 200 150 2
      wait idle
      expect "Viewer: First light" state selected
      tap 40 36
      wait idle
      expect "First light" state loaded
      """, "--screen", "grid")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func feedOfOneImageIsOpenedAndItsFailureToo() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let image = try Data(contentsOf: URL(filePath: VitrineProgram.assets + "/buttons/heart-normal.png"))
    try image.write(to: program.folder.appending(path: "only.png"))
    try Data("no image".utf8).write(to: program.folder.appending(path: "zz.png"))
    let outcome = try await program.run(
      "--video", "offscreen", "--size", "400x300", program.folder.path,
      script: """
        wait idle
        tap 80 160
        wait idle
        expect "Viewer: only" state loaded
        key right
        wait idle
        expect "Viewer: zz" state failed
        key right
        wait idle
        expect "Viewer: zz" state failed
        key escape
        wait idle
        expect "only" state loaded
        """)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }
}
