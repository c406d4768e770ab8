import Testing

@testable import VitrineLoading

/// The table of loads, keyed by number.
struct LoadTableTests {
  private typealias ID = LoadID<TaskKind>

  @Test(arguments: [1, 4, 256, 1 << 40] as [UInt64])
  func loadTableBehavesLikeADictionary(step: UInt64) {
    var table = LoadTable<TaskKind, Int>()
    var dictionary: [ID: Int] = [:]
    var random = SystemRandomNumberGenerator()
    var last: UInt64 = 0
    for turn in 0..<20_000 {
      // Picks a key of the newer half, so that some old entries stay.
      let known = ID(
        number: max(1, last / step / 2 + .random(in: 0...(last / step / 2 + 2), using: &random)) * step)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2:
        last += step
        table[ID(number: last)] = turn
        dictionary[ID(number: last)] = turn
      case 3: #expect(table.removeValue(forKey: known) == dictionary.removeValue(forKey: known))
      case 4:
        table[known] = nil
        dictionary[known] = nil
      case 5:
        table[known]? += 1
        dictionary[known]? += 1
      default: #expect(table[known] == dictionary[known])
      }
      #expect(table.count == dictionary.count && table.isEmpty == dictionary.isEmpty)
      if turn % 1000 == 0 { #expect(table.keys.sorted() == dictionary.keys.sorted()) }
    }
    for id in dictionary.keys { #expect(table.removeValue(forKey: id) == dictionary[id]) }
    #expect(table.isEmpty && table.keys.isEmpty)
  }

  @Test func mutatingAnAbsentEntryChangesNothing() {
    var table = LoadTable<TaskKind, Int>()
    table[ID(number: 1)]? += 1
    #expect(table[ID(number: 1)] == nil)
    table[ID(number: 2)] = 5
    table[ID(number: 1)]? += 1
    #expect(table[ID(number: 1)] == nil && table[ID(number: 2)] == 5 && table.count == 1)
  }

  @Test func copiesAreIndependent() {
    var table = LoadTable<TaskKind, Int>()
    table[ID(number: 1)] = 1
    var copy = table
    copy[ID(number: 1)]? += 1
    copy[ID(number: 2)] = 2
    #expect(table[ID(number: 1)] == 1 && table[ID(number: 2)] == nil && table.count == 1)
    #expect(copy[ID(number: 1)] == 2 && copy.count == 2)
  }

  @Test func removedValuesAreReleased() {
    final class Value {}
    var table = LoadTable<TaskKind, Value>()
    var values = (1...100).map { _ in Value() }
    let references = values.map { value in { [weak value] in value } }
    for (number, value) in values.enumerated() { table[ID(number: UInt64(number + 1))] = value }
    values = []
    for number in stride(from: 1, through: 100, by: 2) { table[ID(number: UInt64(number))] = nil }
    #expect(references.count { $0() != nil } == 50)
    for number in stride(from: 2, through: 100, by: 2) {
      table.removeValue(forKey: ID(number: UInt64(number)))
    }
    #expect(references.allSatisfy { $0() == nil })
  }
}
