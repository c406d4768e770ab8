import Testing
import Vitrine

@testable import VitrineDemo

/// The feed in the status line.
struct FeedTextTests {
  private func text(_ state: Feed.State, age: Double? = nil, isOffline: Bool = false) -> String {
    let age = age.map { StoredAge(seconds: $0) }
    return FeedText(name: "list.txt", state: state, age: age, isOffline: isOffline).text
  }

  @Test func currentListIsNamed() {
    #expect(text(.loaded, age: 5) == "list.txt")
    #expect(text(.loading) == "list.txt (loading)")
  }

  @Test func storedListHasItsAgeAndTheReason() {
    let unreachable = FeedError.notLoaded("list.txt", .transport(.cannotConnect, message: ""))

    #expect(
      text(.stale(nil), age: 7200) == "list.txt (stored list, 2 h old, the server has not responded yet)")
    #expect(
      text(.stale(unreachable), age: 90)
        == "list.txt (stored list, 1 min old, the server cannot be reached)")
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
      (.notLoaded("", .tooLarge(.body(bytes: 1))), "the list is too large"),
      (.missing(path: "/a"), "it is missing now"), (.emptyFolder(path: "/a"), "it has no images now"),
      (.emptyList("a"), "it has no images now"), (.unreadable(path: "/a"), "it cannot be read now"),
      (.notText("a"), "it cannot be read now"),
    ] as [(FeedError, String)])
  func reasonIsThatOfAList(error: FeedError, reason: String) {
    #expect(text(.stale(error)) == "list.txt (stored list, \(reason))")
  }

  @Test func offlineListDoesNotRepeatThatNoRequestIsSent() {
    let offline = FeedError.notLoaded("list.txt", .offline)

    #expect(text(.stale(offline), age: 60, isOffline: true) == "list.txt (stored list, 1 min old)")
    #expect(text(.stale(offline), age: 60) == "list.txt (stored list, 1 min old, no request was sent)")
    #expect(text(.waiting(offline), isOffline: true) == "list.txt (no list yet)")
    #expect(text(.waiting(offline)) == "list.txt (no list yet, no request was sent, trying again)")
  }

  @Test func onlyAStoredListShowsAnAge() {
    let age = StoredAge(seconds: 60)

    #expect(FeedText(name: "a", state: .stale(nil), age: age).isStale)
    #expect(!FeedText(name: "a", state: .stale(nil)).isStale)
    #expect(!FeedText(name: "a", state: .loaded, age: age).isStale)
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
