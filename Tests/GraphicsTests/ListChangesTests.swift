import Testing
import VitrineGraphics

struct ListChangesTests {
  private func changes(_ old: String, _ new: String) -> ListChanges {
    ListChanges(from: Array(old), to: Array(new))
  }

  @Test func equalListsHaveNoChanges() {
    #expect(changes("", "").isEmpty)
    #expect(changes("abc", "abc").isEmpty)
    #expect(changes("abc", "abc").newRow(of: 1) == 1)
    #expect(ListChanges(unchanged: 3).isEmpty)
    #expect(ListChanges(unchanged: 3).newRow(of: 2) == 2)
    #expect(ListChanges() == changes("", ""))
  }

  @Test func insertionsAndRemovalsAreNotMoves() {
    let inserted = changes("abcd", "axbcyd")
    let removed = changes("abcdef", "bdf")

    #expect(inserted.insertions == [1, 4])
    #expect(inserted.removals.isEmpty && inserted.moves.isEmpty)
    #expect((0..<4).map { inserted.newRow(of: $0) } == [0, 2, 3, 5])
    #expect(removed.removals == [0, 2, 4])
    #expect(removed.insertions.isEmpty && removed.moves.isEmpty)
    #expect((0..<6).map { removed.newRow(of: $0) } == [nil, 0, nil, 1, nil, 2])
  }

  @Test func asFewRowsAsPossibleAreMoved() {
    #expect(changes("abcdef", "bcdefa").moves == [.init(from: 0, to: 5)])
    #expect(changes("abcdef", "fabcde").moves == [.init(from: 5, to: 0)])
    #expect(changes("abcdef", "abdcef").moves.count == 1)
    #expect(changes("abcd", "dcba").moves.count == 3)
  }

  @Test func repeatedIdentifiersAreMatchedInTheOrderOfTheirOccurrence() {
    let swapped = changes("xaya", "yaxa")
    let fewer = changes("pabaqa", "qaaw")

    #expect(swapped.newRow(of: 1) == 1 && swapped.newRow(of: 3) == 3)
    #expect(fewer.newRow(of: 1) == 1 && fewer.newRow(of: 3) == 2)
    #expect(fewer.newRow(of: 5) == nil)
  }

  @Test func rowsThatDoNotExistHaveNoMatch() {
    let changes = changes("ab", "abc")

    #expect(changes.newRow(of: -1) == nil && changes.newRow(of: 2) == nil)
    #expect(changes.oldRow(of: -1) == nil && changes.oldRow(of: 3) == nil)
    #expect(!changes.isMoved(-1) && !changes.isMoved(2))
  }

  @Test func replacementKeepsNoRow() {
    let changes = ListChanges(replacing: 2, by: 3)

    #expect(changes.removals == [0, 1] && changes.insertions == [0, 1, 2])
    #expect(!changes.isEmpty && changes.moves.isEmpty)
    #expect(ListChanges(replacing: -1, by: 0).isEmpty)
  }

  /// Random lists with few and with many repeated identifiers, compared with a plain search.
  @Test(arguments: [2, 5, 40, 1000]) func changesAgreeWithAPlainModel(identifiers: Int) {
    var random = SplitMix(state: UInt64(identifiers))
    for _ in 0..<300 {
      let old = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        Int.random(in: 0..<identifiers, using: &random)
      }
      var new = old
      for _ in 0..<Int.random(in: 0...12, using: &random) { edit(&new, identifiers, &random) }

      check(ListChanges(from: old, to: new), from: old, to: new)
    }
  }

  private func edit(_ list: inout [Int], _ identifiers: Int, _ random: inout SplitMix) {
    let row = Int.random(in: 0...list.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where row < list.count: list.remove(at: row)
    case 1 where row < list.count:
      let moved = list.remove(at: row)
      list.insert(moved, at: Int.random(in: 0...list.count, using: &random))
    case 2: list.shuffle(using: &random)
    default: list.insert(Int.random(in: 0..<identifiers, using: &random), at: row)
    }
  }

  private func check(_ changes: ListChanges, from old: [Int], to new: [Int]) {
    #expect(changes.oldCount == old.count && changes.newCount == new.count)
    #expect(changes.isEmpty == (old == new))
    let pairs = old.indices.compactMap { row in changes.newRow(of: row).map { (row, $0) } }
    #expect(pairs.allSatisfy { old[$0] == new[$1] && changes.oldRow(of: $1) == $0 })
    #expect(Set(pairs.map(\.1)).count == pairs.count)
    // As many rows as possible are matched: of each identifier the smaller of both numbers of occurrences.
    let counts = Dictionary(old.map { ($0, 1) }, uniquingKeysWith: +)
    let matches = Dictionary(new.map { ($0, 1) }, uniquingKeysWith: +)
      .reduce(0) { $0 + min($1.value, counts[$1.key] ?? 0) }
    #expect(pairs.count == matches)
    #expect(changes.removals == old.indices.filter { changes.newRow(of: $0) == nil })
    #expect(changes.insertions == new.indices.filter { changes.oldRow(of: $0) == nil })
    // The rows that are not moved keep their order, and no further row could.
    let kept = pairs.filter { !changes.isMoved($0.0) }.map(\.1)
    #expect(zip(kept, kept.dropFirst()).allSatisfy(<))
    #expect(kept.count == longestSeries(pairs.map(\.1)))
    #expect(changes.moves.count == pairs.count - kept.count)
  }

  private func longestSeries(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
      lengths.append(1 + ((0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0))
    }
    return lengths.max() ?? 0
  }

  @Test func longListsAreCompared() {
    var random = SplitMix(state: 7)
    let old = (0..<100_000).map { "http://signs.test/\($0).jpg" }
    let shuffled = old.shuffled(using: &random)
    let same = Array(repeating: "http://signs.test/a.jpg", count: 100_000)

    let changes = ListChanges(from: old, to: shuffled)
    let repeated = ListChanges(from: same, to: ["x"] + same.dropFirst(2) + ["y", "z"])

    #expect(changes.newRow(of: 5).map { shuffled[$0] } == old[5])
    #expect(changes.removals.isEmpty && changes.insertions.isEmpty)
    #expect(repeated.removals == [99_998, 99_999])
    #expect(repeated.insertions == [0, 99_999, 100_000])
  }
}

/// A repeatable random number generator.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
