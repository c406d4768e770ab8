import Foundation
import Testing

/// The exit codes and one-line messages that scripts rely on.
@Suite(.timeLimit(.minutes(5)))
struct CommandLineTests {
  @Test func helpListsOptionsAndExitsWithCodeZero() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run("--help")

    #expect(outcome.exitCode == 0)
    for option in [
      "--feed", "--refresh", "--screen", "--size", "--scale", "--rotate", "--tile", "--gap", "--chrome",
      "--video",
      "--renderer", "--latency", "--script", "--screenshot", "--stats", "--trace", "--overlay", "--dump-tree",
      "--cache", "--no-disk-cache", "--seed", "--offline", "--first-frame-wait", "--exit-when-idle",
      "--exit-after", "--help", "--version",
    ] {
      #expect(outcome.output.contains("  \(option) "))
    }
  }

  @Test func messageWithoutAReaderDoesNotEndTheProgram() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()

    let outcome = try await program.run(
      arguments: ["--unknown"], errorOutput: pipe.fileHandleForWriting)

    #expect(outcome.exitCode == 2, "a signal would give another code")
  }

  @Test func versionIsThatOfTheNewestChangelogEntry() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(changelog.firstMatch(of: #/\n## ([0-9.]+) /#)?.1)

    let outcome = try await program.run("--version")

    #expect(outcome.exitCode == 0)
    #expect(outcome.output == "vitrine \(newest)\n")
  }

  @Test(arguments: [
    (["--scren", "list"], "did you mean --screen?"),
    (["--trace"], "--trace needs a file name"), (["--overlay=1"], "--overlay takes no value"),
    (["--dump-tree=1"], "--dump-tree takes no value"),
    (["--size", "12"], "--size is a size such as 1280x800"),
    (["--size", "0x0"], "--size is a size"),
    (["--size", "20000x100"], "to 16384x16384"),
    (["--size", "8192x600", "--scale", "3"], "more than 16384 pixels per side"),
    (["--scale", "0"], "--scale is a number from 0.5 to 8, not “0”"),
    (["--scale", "nan"], "--scale is a number from 0.5 to 8, not “nan”"),
    (["--scale", "9"], "--scale is a number from 0.5 to 8"),
    (["--scale"], "--scale needs pixels per point"),
    (["--rotate", "45"], "--rotate is one of 0, 90, 180, 270, not “45”"),
    (["--rotate", "-90"], "--rotate is one of"),
    (["--rotate", "left"], "--rotate is one of"),
    (["--rotat", "90"], "did you mean --rotate?"),
    (["--feed", ""], "--feed needs"),
    (["--refresh"], "--refresh needs minutes"),
    (["--refresh", "-1"], "--refresh is a number from 0 to 525600, not “-1”"),
    (["--refresh", "often"], "--refresh is a number"),
    (["--screen", "girds"], "--screen is one of home, list, grid, buttons"),
    (["--tile", "0x0"], "--tile is a size such as 160x120, from 16x16 to 4096x4096, not “0x0”"),
    (["--tile", "abc"], "--tile is a size"),
    (["--tile", "160"], "--tile is a size"),
    (["--tile"], "--tile needs a size"),
    (["--gap", "-1"], "--gap is a number from 0 to 1000, not “-1”"),
    (["--gap", "nan"], "--gap is a number"),
    (["--chrome", "maybe"], "--chrome is one of on, off, not “maybe”"),
    (["--chrom", "off"], "did you mean --chrome?"),
    (["--screen"], "--screen needs a name"),
    (["--video", "vga"], "--video is one of"),
    (["--renderer", "vulkan"], "--renderer is one of auto, software, opengles2, opengl"),
    (["--latency", "soon"], "--latency is a number"),
    (["--exit-after", "-1"], "--exit-after"),
    (["--exit-when-idle=yes"], "takes no value"),
    (["pictures"], "there is no folder or list “pictures”"),
    (["cahce", "ls"], "unexpected “cahce”; did you mean cache?"),
    (["--cache", "/a", "cache", "ls"], "“cache” comes first: vitrine cache …"),
    (["--seed"], "--seed needs a folder"),
  ])
  func wrongUsagePrintsOneLineAndExitsWithCodeTwo(arguments: [String], message: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(arguments: arguments)

    #expect(outcome.exitCode == 2)
    #expect(outcome.errors.contains(message))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func scriptSyntaxErrorNamesItsLineAndExitsWithCodeTwo() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run("--video", "offscreen", script: "wait idle\ntpa 10 10\n")

    #expect(outcome.exitCode == 2)
    #expect(outcome.errors.contains("line 2"))
    #expect(outcome.errors.contains("unknown command “tpa”"))
  }

  @Test func missingFeedPrintsOneLineAndExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run("--video", "offscreen", "--feed", program.path("nowhere"))

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("there is no feed at"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func folderWithoutImagesExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    try program.write("no picture", to: "readme.txt")

    let outcome = try await program.run("--video", "offscreen", "--feed", program.folder.path)

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("has no images (gif, jpeg, jpg, png, webp)"))
  }

  @Test func unreachableFeedPrintsOneLineWithoutSecretsAndExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(
      "--video", "offscreen", "--exit-when-idle", "--feed",
      "http://kiosk:hidden@127.0.0.1:1/list.txt?token=hidden")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("cannot load the feed http://127.0.0.1:1/list.txt?token=…: "))
    #expect(!outcome.errors.contains("hidden"))
    // The other line names the video driver.
    #expect(outcome.errors.split(separator: "\n").count == 2)
  }

  @Test func terminationSignalQuits() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    // A program that ignores the signal is stopped before the end of its script, and the run throws.
    let outcome = try await program.run(
      arguments: ["--video", "offscreen"], script: "wait 600000 ms\nexpect \"nothing\" state normal\n",
      terminates: true)

    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func signalBeforeTheScreenshotExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }
    let image = program.path("a.png")

    let outcome = try await program.run(
      arguments: ["--video", "offscreen", "--latency", "20000", "--screenshot", image], terminates: true)

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("stopped before \(image) was written"))
  }

  @Test(arguments: [[], ["--renderer", "software"], ["--renderer=auto"]])
  func softwareRendererIsTheDefaultOffScreen(arguments: [String]) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run(arguments: ["--video", "offscreen", "--exit-when-idle"] + arguments)

    #expect(outcome.exitCode == 0)
    #expect(outcome.errors == "vitrine: video offscreen, renderer software\n")
    #expect(outcome.stats?.renderer == "software")
  }

  @Test(arguments: ["opengles2", "opengl"])
  func unavailableRendererPrintsOneLineAndExitsWithCodeOne(renderer: String) async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    // The dummy driver has no OpenGL.
    let outcome = try await program.run("--video", "dummy", "--renderer", renderer, "--exit-when-idle")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("vitrine: the renderer \(renderer) does not work: "))
    #expect(outcome.errors.contains("libgl1-mesa-dri"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func missingScreenPrintsAHintAndExitsWithCodeOne() async throws {
    let program = try VitrineProgram()
    defer { program.remove() }

    let outcome = try await program.run("--exit-after", "1")

    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("--video offscreen"))
  }
}
