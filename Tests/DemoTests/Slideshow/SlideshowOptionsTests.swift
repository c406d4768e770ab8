import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineDemo

/// The command line of `vitrine slideshow`.
struct SlideshowOptionsTests {
  private func options(_ arguments: String...) throws -> SlideshowOptions? {
    try SlideshowOptions(arguments: ["slideshow"] + arguments)
  }

  @Test func otherCommandLinesAreLeftToTheDemo() throws {
    #expect(try SlideshowOptions(arguments: []) == nil)
    #expect(try SlideshowOptions(arguments: ["--screen", "grid"]) == nil)
    #expect(try SlideshowOptions(arguments: ["--screen", "slideshow"]) == nil)
  }

  @Test func optionsHaveDefaults() throws {
    let options = try #require(try options())

    #expect(options.run.feed == nil)
    #expect(!options.run.chrome)
    #expect(options.seconds == 10)
    #expect(options.transition == "cross-dissolve")
    #expect(options.order == "list")
    #expect(options.caption == .title)
    #expect(!options.hasClock)
    #expect(options.moves)
  }

  @Test func slideshowCoversTheScreenUnlessItHasASize() throws {
    #expect(try options()?.run.isFullScreen == true)
    #expect(try options("--fullscreen", "--scale", "2")?.run.isFullScreen == true)
    #expect(try options("--size", "640x480")?.run.isFullScreen == false)
    #expect(try options("--size=1280x800")?.run.isFullScreen == false)
  }

  @Test func feedAndOptionsMayComeInAnyOrder() throws {
    let options = try #require(
      try options(
        "--seconds=2.5", "--size", "640x480", "/photos", "--transition", "Slide-Left", "--order", "shuffled",
        "--caption", "none", "--clock", "--motion=off", "--offline", "--seed", "/a", "--seed=/b"))

    #expect(options.run.feed == "/photos")
    #expect(options.run.size == Size(width: 640, height: 480))
    #expect(options.run.isOffline)
    #expect(options.run.seeds == ["/a", "/b"])
    #expect(options.seconds == 2.5)
    #expect(options.transition == "slide-left")
    #expect(options.order == "shuffled")
    #expect(options.caption == .none)
    #expect(options.hasClock)
    #expect(!options.moves)
  }

  @Test(arguments: [
    (["--seconds", "0"], "--seconds is a number from 0.1 to 86400, not “0”"),
    (["--seconds"], "--seconds needs seconds, as 10"),
    (["--transition", "wipe"], "--transition is one of none, fade, cross-dissolve, slide-left"),
    (["--order", "weighted"], "--order is one of list, shuffled, not “weighted”"),
    (["--caption", "exif"], "--caption is one of title, date, title-date, none, not “exif”"),
    (["--motion", "fast"], "--motion is one of on, off, not “fast”"),
    (["--clock=1"], "--clock takes no value"), (["--offline=1"], "--offline takes no value"),
    (["a", "b"], "unexpected “b”; slideshow takes one feed"),
    (["--feed", "a"], "slideshow takes its feed without --feed"),
    (["--screen", "grid"], "--screen does not apply to slideshow"),
    (["--size", "12"], "--size is a size such as 1280x800"),
    (["--fullscreen", "--size", "640x480"], "--fullscreen and --size cannot be combined"),
    (["--cache", "/a", "--no-disk-cache"], "cannot be combined"),
    (["--secnods", "3"], "unknown option --secnods; did you mean --seconds?"),
    (["--background"], "unknown option --background; see vitrine slideshow --help"),
    (["--token=hidden"], "unknown option --token"),
  ])
  func wrongUsageNamesItsRemedy(arguments: [String], expected: String) {
    do {
      _ = try SlideshowOptions(arguments: ["slideshow"] + arguments)
      Issue.record("\(arguments) are accepted")
    } catch {
      #expect(error.message.contains(expected))
      #expect(!error.message.contains("hidden"))
    }
  }

  @Test func mistypedWordIsSuggested() {
    let error = #expect(throws: Options.UsageError.self) { try Options(arguments: ["slidshow", "/photos"]) }

    #expect(error?.message == "unexpected “slidshow”; did you mean slideshow?")
  }

  @Test func helpIsAnOption() throws {
    #expect(try options("--help")?.run.showsHelp == true)
    #expect(try options("-h")?.run.showsHelp == true)
    #expect(SlideshowHelp.optionNames.allSatisfy { SlideshowHelp.text.contains("  \($0) ") })
  }

  @Test(arguments: [
    ("title", ["Lighthouse"]), ("date", ["7 May 2024"]), ("title-date", ["Lighthouse", "7 May 2024"]),
    ("none", []),
  ])
  func captionHasTheNamedParts(name: String, parts: [String]) throws {
    let caption = try #require(try options("--caption", name)).caption
    let time = CaptureTime(year: 2024, month: 5, day: 7, hour: 23)

    #expect(caption.parts(title: "Lighthouse", captureTime: time) == parts)
    #expect(caption.parts(title: nil, captureTime: nil).isEmpty)
  }

  @Test func eachTransitionHasAName() {
    let transitions = SlideTransition.names.map(SlideTransition.named)

    #expect(transitions.count == 12)
    #expect(Set(transitions).count == 12)
    #expect(SlideTransition.named("none") == .none)
    #expect(SlideTransition.named("flip-up").kind == .flip(.up))
  }
}
