import Testing
import VitrineTesting

@testable import VitrineConcurrency

/// Order of waiting items, compared with a sorted array.
@Suite struct WaitingListTests {
  private func drain(_ list: inout WaitingList<String>, _ order: Prioritization) -> String {
    var names = ""
    while let head = list.head(order) {
      names += head.item
      list.remove(head.item)
    }
    return names
  }

  private func filled(_ items: [(String, Int)]) -> WaitingList<String> {
    var list = WaitingList<String>()
    for (number, item) in items.enumerated() {
      list.append(item.0, priority: item.1, number: UInt64(number))
    }
    return list
  }

  @Test func priorityPrecedesOrderOfArrival() {
    var list = filled([("a", 1), ("b", 2), ("c", 4), ("d", 2)])
    var copy = list

    #expect(drain(&list, .fifo) == "cbda")
    #expect(drain(&copy, .lifo) == "cdba")
  }

  @Test func appendingAnItemAgainMovesItToTheEnd() {
    var list = filled([("a", 2), ("b", 2)])

    list.append("a", number: 2)

    #expect(list.count == 2)
    #expect(drain(&list, .fifo) == "ba")
  }

  /// An item that was moved to another queue returns with its old number.
  @Test(arguments: [
    (Prioritization.fifo, "abcdefg"), (.lifo, "gfedcba"), (.newestBatch, "fgcdeab"),
  ])
  func itemWithAnEarlierNumberIsInsertedInOrder(order: Prioritization, expected: String) {
    var list = WaitingList<String>()
    for (item, number, batch) in [
      ("b", 2, 0), ("c", 3, 1), ("e", 5, 1), ("g", 7, 2), ("d", 4, 1), ("f", 6, 2), ("a", 1, 0),
    ] as [(String, UInt64, UInt64)] {
      list.append(item, number: number, batch: batch)
    }

    #expect(drain(&list, order) == expected)
  }

  @Test func emptyListHasNoHead() {
    var list = WaitingList<String>()

    let head = list.head(.fifo)
    let wasRemoved = list.remove("a")

    #expect(head == nil)
    #expect(!wasRemoved)
    #expect(list.isEmpty)
  }

  @Test(arguments: 0..<10) func waitingListBehavesLikeASortedArray(seed: UInt64) {
    var chance = SplitMix(state: seed)
    var list = WaitingList<Int>()
    var model: [(item: Int, priority: Int, number: UInt64, batch: UInt64)] = []
    var batch: UInt64 = 0

    for number in 0..<3000 as Range<UInt64> {
      let item = chance.next(100)
      switch chance.next(5) {
      case 0, 1:
        let priority = chance.next(5)
        if chance.next(4) == 0 { batch += 1 }
        list.append(item, priority: priority, number: number, batch: batch)
        model.removeAll { $0.item == item }
        model.append((item, priority, number, batch))
      case 2:
        let wasRemoved = list.remove(item)
        #expect(wasRemoved == model.contains { $0.item == item })
        model.removeAll { $0.item == item }
      default:
        let order = [Prioritization.fifo, .lifo, .newestBatch][chance.next(3)]
        let sorted = model.sorted { a, b in
          if a.priority != b.priority { return a.priority > b.priority }
          if order == .newestBatch, a.batch != b.batch { return a.batch > b.batch }
          return order == .lifo ? a.number > b.number : a.number < b.number
        }
        let expected = sorted.first
        let count = chance.next(12)
        #expect(list.prefix(count, order) == sorted.prefix(count).map(\.item))
        let head = list.head(order)
        #expect(head?.item == expected?.item)
        if let expected, chance.next(2) == 0 {
          list.remove(expected.item)
          model.removeAll { $0.item == expected.item }
        }
      }
      #expect(list.count == model.count)
    }
  }
}

extension WaitingList.Head: Equatable {
  static func == (a: Self, b: Self) -> Bool { a.item == b.item && a.ticket == b.ticket }
}
