import Testing
import Vitrine

@testable import VitrineDemo

/// The command lines of the tools, tested without a run of the program.
struct ToolOptionsTests {
  private func options(_ arguments: String...) throws -> ToolOptions {
    try #require(try ToolOptions(arguments: arguments))
  }

  private func message(_ arguments: [String]) -> String? {
    do {
      _ = try ToolOptions(arguments: arguments)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func otherCommandLinesAreNotThoseOfTools() throws {
    for arguments in [[], ["--feed", "cache"], ["--cache", "/tmp"], ["caches"]] {
      #expect(try ToolOptions(arguments: arguments) == nil)
    }
  }

  @Test func commandsAndOptionsAreRead() throws {
    #expect(try options("cache", "ls").command == .list)
    #expect(try options("cache", "--json", "stat").isJSON)
    let verify = try options("cache", "verify", "--cache=/a b", "--repair")
    #expect(verify.command == .verify && verify.cache == "/a b" && verify.repairs && !verify.isJSON)
    #expect(try options("cache", "trim", "--limit", "2").limit == 2 << 20)
    #expect(try options("cache", "trim", "--limit", "0.5").limit == 512 << 10)
    #expect(try options("cache", "trim", "--limit", "1000000").limit == 1_000_000 << 20)
    #expect(try options("cache", "clear").cache == nil)
    let export = try options("cache", "export", "a.archive", "--cache", "/a")
    #expect(export.command == .exportArchive && export.file == "a.archive")
    #expect(try options("cache", "import", "-").file == "-")
    let prefetch = try options("prefetch", "list.txt", "--into", "/seed", "--size", "64x48", "--size=320X240")
    #expect(prefetch.command == .prefetch && prefetch.feed == "list.txt" && prefetch.into == "/seed")
    #expect(
      prefetch.sizes == [DecodeTarget(width: 64, height: 48), DecodeTarget(width: 320, height: 240)])
  }

  @Test(arguments: [["cache", "--help"], ["cache", "ls", "-h"], ["prefetch", "--help"]])
  func helpNeedsNothingElse(arguments: [String]) throws {
    #expect(try ToolOptions(arguments: arguments)?.command == .help)
  }

  @Test(arguments: [
    (["cache"], "cache needs a command: ls, stat, verify, trim, clear, export, import"),
    (["cache", "--json"], "cache needs a command"),
    (["cache", "lst"], "unknown command “lst”; did you mean ls?"),
    (["cache", "stats"], "did you mean stat?"), (["cache", "verfy"], "did you mean verify?"),
    (["cache", "exprot", "a"], "did you mean export?"),
    (["cache", "everything"], "the commands are ls, stat,"),
    (["cache", "http://kiosk:hidden@a.test"], "unknown command “http…”"),
    (["cache", "ls", "more"], "unexpected “more” after cache ls"),
    (["cache", "ls", "--repair"], "--repair does not apply to cache ls"),
    (["cache", "verify", "--limit", "5"], "--limit does not apply to cache verify"),
    (["cache", "ls", "--into", "/a"], "--into does not apply to cache ls"),
    (["prefetch", "a", "--repair"], "--repair does not apply to prefetch"),
    (["cache", "ls", "--jsno"], "unknown option --jsno; did you mean --json?"),
    (["cache", "ls", "--colour"], "unknown option --colour; see vitrine cache --help"),
    (["cache", "ls", "--json=yes"], "--json takes no value"),
    (["cache", "ls", "--cache"], "--cache needs a folder"),
    (["cache", "ls", "--cache="], "--cache needs a folder"),
    (["cache", "export"], "cache export needs a file, or - for standard output"),
    (["cache", "import"], "cache import needs a file, or - for standard input"),
    (["cache", "export", "a", "b"], "unexpected “b” after cache export"),
    (["cache", "trim", "--limit", "-1"], "--limit is a number from 0 to 1000000"),
    (["cache", "trim", "--limit", "nan"], "--limit is a number"),
    (["prefetch"], "prefetch needs a folder, a file or a URL"),
    (["prefetch", ""], "prefetch needs a folder, a file or a URL"),
    (["prefetch", "a", "--size", "0x5"], "--size is a size such as 320x240, from 1x1 to 16384x16384"),
    (["prefetch", "a", "--size", "5"], "--size is a size"),
    (["prefetch", "a", "--cache", "/a", "--into", "/b"], "--cache and --into cannot be combined"),
  ])
  func wrongUsageHasAMessage(arguments: [String], expected: String) throws {
    let message = try #require(self.message(arguments))
    #expect(message.contains(expected), "\(message)")
    #expect(!message.contains("\n") && !message.contains("hidden"))
  }
}
