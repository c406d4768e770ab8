import Testing

@testable import VitrineDemo

/// The messages for wrong usage, tested without a run of the program.
struct OptionErrorTests {
  private func message(_ arguments: String...) -> String? {
    do {
      _ = try Options(arguments: arguments)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func optionWithoutAValueIsRefused() {
    #expect(message("--feed", "--overlay")?.hasPrefix("--feed needs") == true)
    #expect(message("--feed")?.hasPrefix("--feed needs") == true)
    #expect(message("--feed", "")?.hasPrefix("--feed needs") == true)
    #expect(message("--feed=")?.hasPrefix("--feed needs") == true)
  }

  @Test func switchWithAValueIsRefused() {
    #expect(message("--overlay=1") == "--overlay takes no value")
    #expect(message("--no-disk-cache=") == "--no-disk-cache takes no value")
  }

  @Test func valueMayContainEqualsSigns() throws {
    let url = "http://a.test/list?x=1&y=2"

    #expect(try Options(arguments: ["--feed=\(url)"]).feed == url)
  }

  @Test(arguments: ["640x5", "5x640", "16385x640", "640x16385", "640", "640x480x2", "-640x480"])
  func sizeOutOfRangeIsRefused(size: String) {
    #expect(message("--size=\(size)")?.contains("--size is a size such as") == true)
  }

  @Test func sizeAndScaleTogetherHaveALimit() throws {
    #expect(message("--size=8193x100", "--scale=2")?.contains("--size times --scale") == true)
    #expect(message("--size=100x8193", "--scale=2")?.contains("--size times --scale") == true)
    #expect(try Options(arguments: ["--size=8192x100", "--scale=2"]).scale == 2)
  }

  @Test func fullScreenAndSizeExcludeEachOther() {
    #expect(message("--fullscreen", "--size", "640x480") == "--fullscreen and --size cannot be combined")
    #expect(message("--size=1280x800", "--fullscreen") == "--fullscreen and --size cannot be combined")
    #expect(message("--fullscreen=on") == "--fullscreen takes no value")
  }

  @Test func cacheFolderAndNoDiskCacheExcludeEachOther() {
    #expect(message("--cache", "/tmp", "--no-disk-cache")?.contains("cannot be combined") == true)
    #expect(message("--cache", "/tmp") == nil)
    #expect(message("--no-disk-cache") == nil)
  }

  @Test(arguments: ["--scren", "--screeen", "--Screen"]) func similarOptionIsSuggested(name: String) {
    #expect(message(name)?.hasSuffix("did you mean --screen?") == true)
  }

  @Test(arguments: [
    (
      "kiosk:hidden@a.test/?token=hidden",
      "there is no folder or list “kiosk…”; options begin with --, see --help"
    ),
    ("list\nhidden", "there is no folder or list “list…”; options begin with --, see --help"),
    ("--http://kiosk:hidden@a.test", "unknown option --http…; see --help"),
  ])
  func mistypedURLIsNotRepeatedInTheMessage(argument: String, expected: String) {
    #expect(message(argument) == expected)
  }

  @Test func similarToolIsSuggestedForTheFirstWordOnly() {
    #expect(message("prefech", "list.txt") == "unexpected “prefech”; did you mean prefetch?")
    #expect(message("--overlay", "cahe")?.hasSuffix("options begin with --, see --help") == true)
  }

  @Test func missingFolderIsNamed() {
    #expect(
      message("/nonexistent/photos")
        == "there is no folder or list “/nonexistent/photos”; options begin with --, see --help")
    #expect(message("--overlay", "photos.txt")?.hasPrefix("there is no folder or list “photos.txt”") == true)
    #expect(
      message("/", "/nonexistent")?.hasPrefix("unexpected “/nonexistent”") == true, "there is a feed already")
  }

  @Test func seedsAreReadInTheirOrder() throws {
    #expect(try Options(arguments: ["--seed", "/a", "--seed=/b"]).seeds == ["/a", "/b"])
    #expect(try Options(arguments: ["--seed", "/a", "--no-disk-cache"]).hasDiskCache == false)
  }

  @Test func unrelatedOptionIsNotSuggested() {
    #expect(message("--colour")?.hasSuffix("see --help") == true)
  }
}
