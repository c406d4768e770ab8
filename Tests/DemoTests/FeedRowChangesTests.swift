import Testing
import Vitrine

@testable import VitrineDemo

@Suite(.timeLimit(.minutes(5)))
struct FeedRowChangesTests {
  private func makeChanges(from old: [String], to new: [String]) -> FeedRowChanges {
    let (oldItems, newItems) = (old.map { Feed.Item(url: $0) }, new.map { Feed.Item(url: $0) })
    return FeedRowChanges(
      from: Feed.Items(oldItems), to: Feed.Items(newItems), ListChanges(from: old, to: new))
  }

  private let folder = ["file:///p/1.jpg?a", "file:///p/2.jpg?a", "file:///p/3.jpg?a"]

  @Test(arguments: 0..<3)
  func overwrittenFileIsTheSameRow(row: Int) {
    var new = folder
    new[row] = folder[row].replacing("?a", with: "?b")
    var changes = makeChanges(from: folder, to: ["file:///p/0.jpg?a"] + new)

    #expect((0..<3).map { changes.newRow(of: $0) } == [1, 2, 3])
    #expect(changes.row(replacing: row) == row + 1)
  }

  @Test func allFilesMayBeOverwrittenAtOnce() {
    var changes = makeChanges(
      from: folder, to: folder.reversed().map { $0.replacing("?a", with: "?b") })

    #expect((0..<3).map { changes.newRow(of: $0) } == [2, 1, 0])
  }

  @Test func removedRowIsReplacedByTheNextOneThatStays() {
    var changes = makeChanges(from: ["a", "b", "c", "d"], to: ["new", "a", "d"])

    #expect((0..<4).map { changes.newRow(of: $0) } == [1, nil, nil, 2])
    #expect((0..<4).map { changes.row(replacing: $0) } == [1, 2, 2, 2])
  }

  @Test func nextRowMayBeAnOverwrittenFile() {
    var changes = makeChanges(from: folder, to: [folder[0], "file:///p/3.jpg?b"])

    #expect(changes.newRow(of: 1) == nil)
    #expect(changes.row(replacing: 1) == 1)
  }

  @Test func lastRowIsReplacedByThePreviousOne() {
    var changes = makeChanges(from: ["a", "b", "c"], to: ["a"])

    #expect(changes.row(replacing: 2) == 0)
  }

  @Test func otherFeedKeepsTheNumberOfTheRow() {
    var changes = makeChanges(from: ["a", "b", "c"], to: ["d", "e"])

    #expect((0..<3).map { changes.row(replacing: $0) } == [0, 1, 1])
  }

  @Test func emptyFeedHasNoRow() {
    var shown = makeChanges(from: folder, to: [])
    #expect(shown.newRow(of: 0) == nil)
    #expect(shown.row(replacing: 0) == nil)
    var filled = makeChanges(from: [], to: folder)
    #expect(filled.newRow(of: 0) == nil)
  }

  @Test func queryOfAServerIsAnotherImage() {
    var changes = makeChanges(
      from: ["http://a.test/image?1", "http://a.test/b"], to: ["http://a.test/image?2", "http://a.test/b"])

    #expect(changes.newRow(of: 0) == nil)
    #expect(changes.row(replacing: 0) == 1)
  }

  @Test func numbersOutsideOfTheFeedAreIgnored() {
    var changes = makeChanges(from: folder, to: folder)

    #expect(changes.newRow(of: -1) == nil)
    #expect(changes.newRow(of: 3) == nil)
    #expect(changes.row(replacing: 9) == 2)
    #expect(changes.row(replacing: .max) == 2)
  }

  @Test func selectionStaysWithAnOverwrittenFile() {
    var changes = makeChanges(from: folder, to: [folder[0], "file:///p/2.jpg?b"])
    var selection = RowSelection()
    for row in 1...2 { selection.toggle(row) }

    selection.apply(&changes)

    #expect((0..<3).filter(selection.contains) == [1])
  }
}
