import Foundation
import Testing

/// The accessibility tree of the demo.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct TreeRunTests {
  private func run(
    _ screen: String, _ options: String..., script: String? = nil
  ) async throws -> VitrineProgram.Outcome {
    let program = try VitrineProgram()
    defer { program.remove() }
    // A quarter of the pixels, because debug builds draw slowly.
    return try await program.run(
      arguments: ["--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", screen] + options,
      script: script)
  }

  /// The keys that move the focus over the media bar to the first button of the cards.
  private nonisolated static let tabsToHeart = Array(repeating: "key tab", count: 5).joined(separator: "\n")

  @Test(arguments: ["home", "list", "grid", "buttons", "transitions", "indicators", "animations"])
  func treeOfALoadedScreenIsPrinted(screen: String) async throws {
    let outcome = try await run(screen, "--dump-tree")

    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.exitCode == 0)
    #expect(lines.first == "window \"\" \"\" normal 0,0 1280x800")
    // Role, name, value, states, position and size; indented by two spaces per level.
    let line = try Regex(
      #"(  )*[a-zA-Z]+ "([^"\\]|\\.)*" "([^"\\]|\\.)*" [a-z,]+ -?[0-9]+,-?[0-9]+ [0-9]+x[0-9]+"#)
    for text in lines { #expect(try line.wholeMatch(in: String(text)) != nil, "\(text)") }
    #expect(outcome.output.contains("\n  group \"Screen\" \"\" normal"))
  }

  @Test func treeNamesTheElementsOfTheScreen() async throws {
    let list = try await run("list", "--dump-tree").output
    let grid = try await run("grid", "--dump-tree", "--chrome", "off").output
    let buttons = try await run("buttons", "--dump-tree").output

    #expect(list.contains("\n  list \"\" \"10000\" normal 0,64 1280x704"))
    #expect(list.contains("\n    row \""))
    #expect(list.contains("    button \"List\" \"\" selected"))
    #expect(grid.contains("\n    row \""))
    #expect(!grid.contains("row \"\""), "tiles without text have names")
    #expect(buttons.contains("toggle \"Heart\" \"off\" normal 85,244 64x64"))
    #expect(buttons.contains("\" \"\" disabled "))
  }

  @Test func treeOfAnOpenedImageNamesTheViewerItsPageAndItsButton() async throws {
    let outcome = try await run(
      "grid", "--dump-tree", script: "wait idle\nkey tab\nkey enter\nwait idle\nkey +\nwait idle\n")

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let tree = outcome.output
    #expect(tree.contains("\n  group \"Viewer\" \"\" normal 0,0 1280x800\n"), "\(tree)")
    #expect(tree.contains("\n    pages \"\" \"1 of 10000\" normal 0,0 1280x800\n"))
    #expect(tree.contains("\n      image \"First light\" \"125 %\" normal 0,0 1280x800\n"))
    #expect(tree.contains("\n    text \"1 of 10000\" "))
    #expect(tree.contains("\n    button \"Back\" "))
  }

  @Test func treeIsPrintedAfterTheScript() async throws {
    let outcome = try await run(
      "buttons", "--dump-tree", script: "wait idle\ntap 117 276\n\(Self.tabsToHeart)\nwait idle\n")

    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("toggle \"Heart\" \"on\" selected,focused"))
  }

  @Test func progressBarIsEmptyAfterAFailedReload() async throws {
    // The taps stop the server and reload the image that is bound to a task.
    let outcome = try await run(
      "indicators", "--dump-tree", "--size", "1280x800",
      script: """
        wait idle
        expect "Task" state loaded
        tap on "Down"
        tap on "Task again"
        wait idle
        expect "Task" state failed
        """)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("progress \"\" \"0%\" "))
  }

  @Test func missingTreeAfterExitAfterExitsWithCodeOne() async throws {
    let outcome = try await run("buttons", "--latency", "60000", "--exit-after", "0.3", "--dump-tree")

    #expect(outcome.exitCode == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("the tree is not printed"))
  }

  @Test func scriptsCheckRoleValueNameAndFocus() async throws {
    let outcome = try await run(
      "buttons",
      script: """
        wait idle
        expect "Heart" role toggle
        expect "Heart" value off
        expect "Heart" name "Heart"
        expect "Background" name "Turn on"
        tap 117 276
        expect "Heart" value on
        \(Self.tabsToHeart)
        expect "Heart" state focused
        expect "Every state" role text
        expect "Screen" role group
        expect "Buttons" state selected
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
  }

  @Test(arguments: [
    ("role button", "is a toggle, not a button"), ("value on", "has the value “off”, not “on”"),
    ("name Liver", "is called “Heart”, not “Liver”"),
  ])
  func failedCheckPrintsTheActualValue(check: String, complaint: String) async throws {
    let outcome = try await run("buttons", script: "wait idle\nexpect \"Heart\" \(check)\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2: “Heart” \(complaint)"))
  }

  /// Keys reach all buttons, down to the last row of the catalogue and the media bar below.
  @Test(arguments: ["1280x800", "800x480", "480x800"])
  func keysReachAndPressButtons(size: String) async throws {
    let outcome = try await run(
      "buttons", "--size", size,
      script: """
        clock manual
        wait idle
        \(Self.tabsToHeart)
        expect "Heart" state focused
        key space
        expect "Heart" value on
        key right
        expect "Star" state focused
        key return
        expect "Star" value on
        key left
        expect "Heart" state focused
        """ + String(repeating: "\nkey down\nwait idle", count: 18) + """

          expect "Previous" state focused
          key up
          key left
          key left
          key left
          key left
          expect "Images: Highlighted, focused" state focused
          key up
          key up
          expect "Images: Selected, highlighted" state highlighted
          key right
          key right
          key right
          key right
          key right
          expect "Title: Selected, highlighted" state focused
          key left
          key left
          key left
          key left
          expect "Images: Selected, highlighted" state focused
          """)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
  }

  @Test func keysReloadTheImagesOfEachState() async throws {
    let outcome = try await run(
      "buttons", "--latency", "200",
      script: """
        clock manual
        wait idle
        expect "Images: Normal" state loaded
        """ + String(repeating: "\nkey tab\nwait idle", count: 15) + """

          expect "Every state again" state focused
          key space
          expect "Images: Normal" state loading
          expect "Title: Highlighted, focused" state loading
          wait idle
          expect "Images: Normal" state loaded
          expect "Title: Highlighted, focused" state loaded
          """)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
  }
}
