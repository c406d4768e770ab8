import Foundation
import Testing
import VitrineWidgets

/// The demo with a manual clock: screenshots during animations are reproducible.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ManualClockRunTests {
  /// Runs a script in which each line `@NAME` writes a screenshot, and returns the screenshots by name.
  private func images(
    _ names: String..., latency: String = "0", script: String
  ) async throws -> [String: Screenshot] {
    let program = try VitrineProgram()
    defer { program.remove() }
    var script = script
    for name in names { script = script.replacing("@\(name)\n", with: "screenshot \(program.path(name))\n") }

    let outcome = try await program.run(
      "--video", "offscreen", "--size", "480x400", "--latency", latency, script: script)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Screenshot(contentsOf: program.path($0))) })
  }

  @Test func screenshotDuringAFadeBlendsBothImages() async throws {
    let script = """
      clock manual
      wait loaded
      @old
      advance 125 ms
      @half
      advance 75 ms
      @new

      """
    let first = try await images("old", "half", "new", script: script)
    let second = try await images("old", "half", "new", script: script)

    // The default fade: 0.2 s, ease-in-out.
    let fraction = TimingCurve.easeInOut.value(at: 0.125 / 0.2)
    let (old, half, new) = (
      try #require(first["old"]), try #require(first["half"]), try #require(first["new"])
    )
    #expect(first == second)
    #expect(old.countOfDifferences(from: new) > 10_000)
    #expect(half.largestDistance(from: old.mixed(with: new, fraction: fraction)) <= 2)
  }

  @Test func spinnerAppearsAfterItsDelayAndAnimates() async throws {
    let script = """
      clock manual
      advance 99 ms
      @before
      advance 1 ms
      @first
      advance 750 ms
      @later

      """
    let first = try await images("before", "first", "later", latency: "60000", script: script)
    let second = try await images("before", "first", "later", latency: "60000", script: script)

    #expect(first == second)
    #expect(first["before"] != first["first"])
    #expect(first["first"] != first["later"])
  }

  @Test func draggingAndDecelerationAreReproducible() async throws {
    let script = """
      clock manual
      wait idle
      @top
      drag 240 350 240 150 120
      @released
      advance 125 ms
      @thrown
      wait idle
      @end
      wheel 240 250 2
      advance 50 ms
      @wheel

      """
    let names = ["top", "released", "thrown", "end", "wheel"]
    let first = try await images("top", "released", "thrown", "end", "wheel", script: script)
    let second = try await images("top", "released", "thrown", "end", "wheel", script: script)

    for name in names { #expect(first[name] == second[name], "\(name)") }
    for (name, next) in zip(names, names.dropFirst()) { #expect(first[name] != first[next], "\(name)") }
  }

  @Test func splittingAnAdvanceGivesTheSameScreenshot() async throws {
    let start = "clock manual\nwait idle\ndrag 240 350 240 150 120\n"

    let single = try await images("a", script: start + "advance 90 ms\n@a\n")
    let split = try await images("a", script: start + "advance 7 ms\nwait 13 ms\nadvance 70 ms\n@a\n")

    #expect(single == split)
  }

  @Test func memoryHitsDoNotDependOnTheScriptsSpeed() async throws {
    func script(_ pause: String) -> String {
      """
      clock manual
      wait idle
      key pagedown
      advance 70 ms
      \(pause)screen grid
      advance 150 ms
      @grid
      screen list
      wait idle
      @list

      """
    }

    let fast = try await images("grid", "list", script: script(""))
    // Writing screenshots takes time, in which the requested images are decoded.
    let slow = try await images(
      "grid", "list", "pause", script: script(String(repeating: "@pause\n", count: 30)))

    #expect(fast["grid"] == slow["grid"])
    #expect(fast["list"] == slow["list"])
  }

  @Test func manualClockMayStartInTheMiddleOfAScript() async throws {
    let script = """
      wait idle
      clock manual
      clock manual
      press 240 160
      advance 40 ms
      @pressed
      release
      screen buttons
      wait loaded
      advance 100 ms
      @buttons

      """

    let first = try await images("pressed", "buttons", script: script)
    let second = try await images("pressed", "buttons", script: script)

    #expect(first == second)
  }

  @Test func animationsFinishBeforeTheFinalScreenshot() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0", "--screenshot", program.path("a.png"),
      script: "clock manual\nwait loaded\n")

    #expect(outcome.exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: program.path("a.png")))
    let idle = try #require(outcome.stats?.time_ms.idle)
    #expect(idle < 60_000, "stats use real time, not the manual clock")
    #expect(try #require(outcome.stats?.time_ms.first_frame) < idle)
  }

  @Test(arguments: ["wait loaded 0.2", "wait idle 0.2"])
  func waitTimesOutInRealTimeAndNamesItsLine(command: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "60000", script: "clock manual\n\(command)\n")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("line 2: not \(command.contains("idle") ? "idle" : "loaded") in time"))
  }

  @Test func exitAfterUsesRealTime() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let late = try await program.run(
      "--video", "offscreen", "--latency", "60000", "--exit-after", "0.3",
      script: "clock manual\nadvance 60000 ms\nwait loaded\n")
    let early = try await program.run(
      "--video", "offscreen", "--latency", "0", "--exit-after", "50",
      script: "clock manual\nadvance 60000 ms\nwait loaded\nquit\n")

    #expect(late.exitCode == 1)
    #expect(late.errors.contains("line 3: the script is not over after 0.3 seconds"))
    #expect(early.exitCode == 0)
  }

  @Test func escapeQuitsAScriptWithAManualClock() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "0",
      script: "clock manual\nkey escape\nexpect \"what is not there\" state normal\n")

    #expect(outcome.exitCode == 0)
  }

  @Test func waitLoadedWorksWithARealClock() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--latency", "50",
      script: "wait loaded\nexpect \"First light\" state loaded\nscreen buttons\nwait loaded\n"
        + "expect \"Heart\" state loaded\n")

    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.exitCode == 0)
  }
}
