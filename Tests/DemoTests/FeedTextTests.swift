import Testing
import Vitrine

@testable import VitrineDemo

/// The feed in the status line.
struct FeedTextTests {
  private func text(_ state: Feed.State, age: Double? = nil) -> String {
    FeedText(name: "list.txt", state: state, age: age).text
  }

  @Test func currentListIsNamed() {
    #expect(text(.loaded, age: 5) == "list.txt")
    #expect(text(.loading) == "list.txt (loading)")
  }

  @Test func storedListHasItsAgeAndTheReason() {
    let unreachable = FeedError.notLoaded("list.txt", .transport(.cannotConnect, message: ""))

    #expect(text(.stale(nil), age: 7200) == "list.txt (list stored 2 hours ago)")
    #expect(
      text(.stale(unreachable), age: 90)
        == "list.txt (list stored 1 minute ago, the server cannot be reached)")
    #expect(text(.stale(unreachable)) == "list.txt (stored list, the server cannot be reached)")
    #expect(
      text(.waiting(unreachable)) == "list.txt (no list yet, the server cannot be reached, trying again)")
  }

  @Test(
    arguments: [
      (.notLoaded("", .status(404)), "the server has no list"),
      (.notLoaded("", .status(403)), "the server denies access"),
      (.notLoaded("", .status(503)), "the server reports an error"),
      (.notLoaded("", .invalidData("line 1 is no URL")), "the server sends no list"),
      (.notLoaded("", .emptyBody), "the server sends no list"),
      (.notLoaded("", .tooLarge(.body(bytes: 1))), "loading again has failed"),
      (.missing(path: "/a"), "it is missing now"), (.emptyFolder(path: "/a"), "it has no images now"),
      (.emptyList("a"), "it has no images now"), (.unreadable(path: "/a"), "it cannot be read now"),
      (.notText("a"), "it cannot be read now"),
    ] as [(FeedError, String)])
  func reasonIsThatOfAList(error: FeedError, reason: String) {
    #expect(text(.stale(error)) == "list.txt (stored list, \(reason))")
  }

  @Test(arguments: [
    (0, "a moment ago"), (59, "a moment ago"), (60, "1 minute ago"), (3599, "59 minutes ago"),
    (3600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "1 day ago"), (1e300, "1000000 days ago"),
    (-5, "a moment ago"), (Double.nan, "a moment ago"),
  ])
  func ageIsInTheLargestWholeUnit(seconds: Double, words: String) {
    #expect(FeedText.words(seconds) == words)
  }
}

struct HangupSignalTests {
  @Test func closedTerminalEndsTheProgramAndOtherSignalsReload() {
    typealias Meaning = HangupSignal.Meaning

    #expect(Meaning(isIgnored: false, hadTerminal: false, hasTerminal: false) == .reload)
    #expect(Meaning(isIgnored: false, hadTerminal: true, hasTerminal: true) == .reload)
    #expect(Meaning(isIgnored: false, hadTerminal: true, hasTerminal: false) == .quit)
    #expect(Meaning(isIgnored: true, hadTerminal: true, hasTerminal: false) == .nothing)
    #expect(Meaning(isIgnored: true, hadTerminal: false, hasTerminal: false) == .reload)
  }
}
