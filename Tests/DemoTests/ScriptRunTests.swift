import Foundation
import Testing

/// The demo, driven by scripts.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ScriptRunTests {
  @Test func scriptCanScrollTapAndTakeScreenshots() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "800x600",
      script: """
        clock manual
        wait idle
        drag 400 500 400 150 120
        wait idle
        wheel 400 300 -3
        wait idle
        key home
        wait idle
        hold 400 110
        screenshot \(program.path("selected.png"))
        quit
        """)

    #expect(outcome.exitCode == 0)
    let stats = try #require(outcome.stats)
    #expect(stats.images.network > 6)
    #expect(stats.images.failed == 0)
    #expect(stats.images.memory > 0)
    #expect(stats.frames.presented > 10)
    #expect(FileManager.default.fileExists(atPath: program.path("selected.png")))
  }

  @Test func scriptOfTheMovingPictureOpensAndEnlargesAnImage() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let lines = try String(
      contentsOfFile: VitrineProgram.assets + "/pictures/moving.script", encoding: .utf8
    ).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("screenshot frame-") } == 58)
    // Writing all frames takes long in a debug build.
    let frames = ["frame-00.png", "frame-14.png", "frame-25.png", "frame-33.png", "frame-57.png"]
    let script = lines.filter { line in
      !line.hasPrefix("screenshot") || frames.contains { line.hasSuffix($0) }
    }.joined(separator: "\n")

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "640x400", "--chrome", "off", "--screen", "home",
      script: script.replacing("screenshot frame", with: "screenshot \(program.path("frame"))"))

    #expect(outcome.exitCode == 0)
    let missing = frames.filter { !FileManager.default.fileExists(atPath: program.path($0)) }
    #expect(missing.isEmpty)
    // The first slide, the second one, an opened image, and the same image enlarged.
    let pictures = frames.prefix(4).map { FileManager.default.contents(atPath: program.path($0)) }
    #expect(Set(pictures).count == 4)
  }

  @Test func waitForARowThatNeverComesNamesItsLine() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0",
      script: "wait for \"First light\"\nwait for \"Last light\" 0.2\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2: there is no “Last light” on the screen in time"))
  }

  @Test func waitForARowDoesNotEndBelowTheScreen() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    // Two rows and a part of a third are visible. The cell of the fourth is there as well.
    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--chrome", "off", "--size", "640x200",
      script: "wait for \"Sun path\"\nwait for \"Aurora over the lake\" 0.2\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2: there is no “Aurora over the lake” on the screen in time"))
  }

  @Test func buttonHighlightsWhilePressedAndSelectsWhenReleased() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--screen", "buttons",
      script: """
        wait idle
        expect "Heart" state normal
        press 117 276
        expect "Heart" state highlighted
        move 117 640
        expect "Heart" state normal
        release
        expect "Heart" state normal
        tap 117 276
        expect "Heart" state selected
        expect "Failing" state failed
        tap 640 640
        wait idle
        expect "Failing" state loaded
        expect "Disabled" state disabled
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }

  @Test func keysReloadTilesOfTheTransitionsScreen() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", "transitions",
      script: """
        clock manual
        wait idle 300
        expect "Flip left" state loaded
        key tab
        expect "All again" state focused
        key space
        wait loaded
        expect "None" state loaded
        expect "Flip left" state changing
        expect "Button" state changing
        expect "From network" state changing
        expect "Always" state changing
        wait idle
        key tab
        key tab
        expect "Fade again" state focused
        key enter
        wait loaded
        expect "Fade" state changing
        """)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")

    let wrong = try await program.run(
      "--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", "transitions",
      script: """
        clock manual
        wait idle
        key tab
        key space
        wait loaded
        expect "From memory" state changing
        """)

    #expect(wrong.errors.contains("line 6: “From memory” is loaded, not changing"), "\(wrong.errors)")
  }

  @Test func failedCheckNamesItsLineAndExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--screen", "buttons",
      script: "wait idle\nexpect \"Heart\" state selected\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2: “Heart” is loaded, normal, not selected"))
  }

  @Test func timedOutWaitNamesItsLineAndExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "20000", script: "wait idle 0.2\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 1: not idle in time"))
  }

  @Test func escapeQuits() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0",
      script: "wait idle\nkey escape\nwait 20 ms\nexpect \"what is not there\" state normal\n")

    #expect(outcome.exitCode == 0)
  }

  @Test func screenshotFollowsTheScript() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--screenshot", program.path("after.png"),
      script: "screen buttons\n")

    #expect(outcome.exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: program.path("after.png")))
  }

  @Test(arguments: [
    (["--script"], "line 2: the script is not over"),
    (["--screenshot", "never.png"], "never.png is not written"),
  ])
  func unfinishedRunFailsAfterExitAfter(arguments: [String], message: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let script = arguments == ["--script"] ? "# a picture\nwait idle\nquit\n" : nil

    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--latency", "60000", "--exit-after", "0.2"]
        + (script == nil ? arguments : []), script: script)

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains(message))
  }

  @Test func keysMoveTheFocusBetweenRowsAndSelect() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0",
      script: """
        wait idle
        key tab
        expect "First light" state focused
        key down
        expect "Sun path" state focused
        key right
        expect "Aurora over the lake" state focused
        key up
        expect "Bamboo grove" state focused
        key shift+enter
        expect "Bamboo grove" state focused
        expect "Bamboo grove" state selected
        expect "First light" state normal
        key end
        wait idle
        screen buttons
        screen list
        key home
        wait idle
        expect "Bamboo grove" state selected
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }

  @Test func keysMoveTheFocusBetweenTilesAndSelect() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0",
      script: """
        screen grid
        expect "Grid" state selected
        wait idle
        expect "First light" state loaded
        press 300 130
        wait 200 ms
        expect "Bamboo grove" state highlighted
        wait 400 ms
        release
        expect "Bamboo grove" state selected
        key tab
        key right
        expect "Sun path" state focused
        key down
        key down
        key left
        key shift+enter
        expect "The canyon" state selected
        expect "The canyon" state focused
        key end
        wait idle
        screen list
        screen grid
        key home
        wait idle
        expect "Bamboo grove" state selected
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }

  @Test func screenFillsTheWindowWithoutChrome() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--screen", "grid", "--tile", "64x64", "--gap", "2",
      "--chrome",
      "off", "--size", "262x130",
      script: """
        wait idle
        hold 65 30
        expect "First light" state normal
        hold 261 129
        expect "Balloons at sunrise" state selected
        key tab
        expect "Balloons at sunrise" state focused
        key pagedown
        wait idle
        expect "Balloons at sunrise" state selected
        screen buttons
        expect "Heart" state normal
        screen list
        wait idle
        expect "First light" state loaded
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }

  @Test func narrowWindowHasTwoRowsOfHeader() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "480x800",
      script: """
        tap 238 32
        expect "Buttons" state selected
        wait idle
        tap 173 80
        expect "Down" state selected
        tap 402 80
        wait idle
        expect "Heart" state failed
        """)

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }

  @Test func tinyWindowShowsImagesAndBecomesIdle() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--size", "64x64", "--exit-when-idle")

    #expect(outcome.exitCode == 0)
    #expect(outcome.stats?.images.shown ?? 0 > 0)
  }

  @Test func timesNotReachedAreNull() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    _ = try await program.run("--video", "offscreen", "--latency", "60000", "--exit-after", "0.1")

    let text = try String(contentsOfFile: program.path("stats.json"), encoding: .utf8)
    #expect(text.contains("\"loaded\" : null"))
    #expect(text.contains("\"idle\" : null"))
  }

  @Test func imagesWithOneURLAndManyIdentifiersShareDownloads() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "150", "--screen", "buttons",
      script: "wait idle\nexpect \"Round\" state loaded\nexpect \"Grey\" state loaded\n")

    // 33 images and one failure. A slot whose request starts late cannot share a download, so there may be more
    // requests, but far fewer than slots.
    #expect(outcome.exitCode == 0)
    let stats = try #require(outcome.stats)
    #expect(stats.network.requests >= 34)
    #expect(stats.network.requests < (stats.images.shown + stats.images.failed) * 2 / 3)
  }
}
