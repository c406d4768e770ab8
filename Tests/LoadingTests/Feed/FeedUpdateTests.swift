import FoundationEssentials
import Testing
import VitrineGraphics

@testable import VitrineLoading

/// The differences between lists.
struct FeedUpdateTests {
  private func items(_ text: String, at base: String = "http://a.test/list.txt") throws -> Feed.Items {
    Feed.Items(try FeedList(Array(text.utf8), base: #require(URL(string: base))))
  }

  @Test func equalListsAreNoUpdate() throws {
    let old = try items("a.png\nb.png\tB\n")

    #expect(FeedUpdate(try items("# comment\na.png\r\n  b.png\tB  \n"), after: old) == nil)
    #expect(FeedUpdate(try items("http://a.test/a.png\n./b.png\t B\n"), after: old) == nil)
    #expect(
      FeedUpdate(try items("a.png\nb.png\tB\n", at: "http://a.test/list.txt?signature=2"), after: old) == nil)
    #expect(FeedUpdate(Feed.Items([]), after: Feed.Items([])) == nil)
  }

  @Test func anotherTitleIsAnUpdateWithoutChangesOfRows() throws {
    let update = try #require(FeedUpdate(items("a.png\tNew\nb.png\n"), after: items("a.png\tOld\nb.png\n")))

    #expect(update.changes.isEmpty)
    #expect(update.items[0].title == "New")
  }

  @Test func rowsAreMatchedByTheirURLs() throws {
    let old = try items("a.png\nb.png\nc.png\na.png\n")
    let new = try items("x.png\nhttp://a.test/b.png\tB\na.png\nc.png\n")
    let update = try #require(FeedUpdate(new, after: old))

    #expect((0..<4).map { update.changes.newRow(of: $0) } == [2, 1, 3, nil])
    #expect(update.changes.insertions == [0])
  }

  @Test func sameAddressesAtAnotherBaseAreOtherImages() throws {
    let old = try items("a.png\nhttp://c.test/b.png\n")
    let update = try #require(
      FeedUpdate(items("a.png\nhttp://c.test/b.png\n", at: "http://b.test/list.txt"), after: old))

    #expect(update.changes.newRow(of: 0) == nil)
    #expect(update.changes.newRow(of: 1) == 1)
  }

  @Test func itemsOfTheApplicationAreCompared() throws {
    let old = Feed.Items([.init(url: "http://a.test/a.png"), .init(url: "http://a.test/b.png")])
    let update = try #require(FeedUpdate(items("b.png\n"), after: old))

    #expect(update.changes.removals == [0])
    #expect(update.changes.newRow(of: 1) == 0)
  }

  @Test func longListsAreCompared() throws {
    let lines = (0..<100_000).map { "images/\($0).jpg\tNo. \($0)" }
    let old = try items(lines.joined(separator: "\n"))
    let new = try items((["new.jpg"] + lines[..<50_000] + lines[50_010...]).joined(separator: "\n"))

    let update = try #require(FeedUpdate(new, after: old))

    #expect(update.changes.insertions == [0])
    #expect(update.changes.removals == Array(50_000..<50_010))
    #expect(update.changes.moves.isEmpty)
  }
}
