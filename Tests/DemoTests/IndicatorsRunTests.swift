import Testing

/// The demo's indicators, driven by keys and drags.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct IndicatorsRunTests {
  private func play(_ arguments: String..., script: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    // A quarter of the pixels, because debug builds draw slowly.
    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--scale", "0.5"] + arguments, script: script)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func keysReloadEachCard() async throws {
    let names = ["Spinner", "Bar", "Ring", "Unknown", "Your own", "Task", "None", "Scans", "Blurred", "Rows"]
    let loaded = names.map { "expect \"\($0)\" state loaded\n" }.joined()
    let again = names.map {
      """
      key tab
      expect "\($0) again" state focused
      key enter
      expect "\($0)" state loading

      """
    }.joined()

    // High enough for all cards: idle does not wait for cards out of sight.
    try await play(
      "--screen", "indicators", "--size", "1280x1440",
      script: "wait idle\n" + loaded + again + "wait idle\n" + loaded)
  }

  @Test func pullToRefreshReloadsTheList() async throws {
    try await play(
      "--latency", "800",
      script: """
        wait idle
        expect "Refresh" state normal
        drag 600 200 600 420 300
        expect "Refresh" state loading
        wait idle
        expect "Refresh" state normal
        """)
  }

  @Test func refreshEndsWhenImagesAreLoadedWithAManualClock() async throws {
    try await play(
      "--latency", "100", "--size", "800x480",
      script: """
        clock manual
        wait idle
        drag 600 200 600 460 400
        expect "Refresh" state loading
        wait idle
        expect "Refresh" state normal
        """)
  }

  @Test(arguments: ["list", "grid"])
  func f5KeyReloadsTheScreen(screen: String) async throws {
    try await play(
      "--latency", "800", "--screen", screen,
      script: """
        wait idle
        key f5
        expect "Refresh" state loading
        wait idle
        expect "Refresh" state normal
        """)
  }

  @Test func networkIndicatorTurnsOnWhileLoading() async throws {
    try await play(
      "--screen", "indicators", "--size", "1280x1200",
      script: """
        expect "Network" state normal
        wait 2200 ms
        expect "Network" state loading
        wait idle
        wait 1000 ms
        expect "Network" state normal
        """)
  }
}
