import Testing

/// The media bar of the running program.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct MediaBarRunTests {
  private func run(_ options: String..., script: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--scale", "0.5", "--latency", "0", "--screen", "buttons"]
        + options,
      script: script)

    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.exitCode == 0)
  }

  @Test func mouseAndFingerChangeTheImage() async throws {
    try await run(
      script: """
        wait idle
        expect "Now showing" name "First light"
        expect "Now showing" state loaded
        expect "Next" state loaded
        press 708 724
        expect "Next" state highlighted
        release
        wait idle
        expect "Now showing" name "Bamboo grove"
        expect "Now showing" state loaded
        hold 572 724
        wait idle
        expect "Now showing" name "First light"
        tap 572 724
        wait idle
        expect "Now showing" name "Birches in October"
        """)
  }

  @Test func keysChangeTheImageAndTheFavorites() async throws {
    try await run(
      script: """
        wait idle
        key tab
        expect "Previous" state focused
        key right
        key right
        key enter
        wait idle
        expect "Now showing" name "Bamboo grove"
        key right
        expect "Favorite" state focused
        key space
        expect "Favorite" value on
        key left
        key enter
        expect "Now showing" name "Sun path"
        expect "Favorite" value off
        key left
        key left
        key enter
        wait idle
        expect "Now showing" name "Bamboo grove"
        expect "Favorite" value on
        """)
  }

  @Test func gamepadPlaysAndChangesTheImage() async throws {
    try await run(
      script: """
        wait idle
        key tab
        pad right
        expect "Play" state focused
        pad x
        expect "Play" value on
        pad x
        expect "Play" value off
        pad right
        pad a
        wait idle
        expect "Now showing" name "Bamboo grove"
        """)
  }

  @Test func playingShowsTheNextImageUntilItIsPaused() async throws {
    try await run(
      script: """
        clock manual
        wait idle
        expect "Play" value off
        press 640 724
        advance 100 ms
        expect "Play" state highlighted
        release
        advance 100 ms
        expect "Play" state selected
        expect "Play" value on
        advance 3000 ms
        expect "Now showing" name "First light"
        advance 1000 ms
        expect "Now showing" name "Bamboo grove"
        wait loaded
        advance 100 ms
        expect "Now showing" state changing
        tap 640 724
        advance 100 ms
        expect "Play" value off
        advance 9000 ms
        expect "Now showing" name "Bamboo grove"
        """)
  }

  @Test func programStandsStillWhileAnotherScreenIsShown() async throws {
    try await run(
      script: """
        clock manual
        wait idle
        tap 640 724
        advance 100 ms
        expect "Play" value on
        screen list
        advance 9000 ms
        screen buttons
        advance 100 ms
        expect "Now showing" name "First light"
        advance 4000 ms
        expect "Now showing" name "Bamboo grove"
        """)
  }

  @Test func barOfALowWindowScrollsWithTheCards() async throws {
    try await run(
      "--size", "320x240", "--chrome", "off",
      script: """
        wait idle
        tap 236 36
        wait idle
        expect "Now showing" name "Bamboo grove"
        key tab
        expect "Previous" state focused
        key end
        wait idle
        key home
        wait idle
        tap 236 36
        wait idle
        expect "Now showing" name "Sun path"
        """)
  }
}
