import Testing

@testable import VitrineGraphics

struct RecentMapTests {
  @Test func entriesAreInTheOrderOfInsertionAndUse() {
    var map = RecentMap<String, Int>()
    for (number, key) in ["a", "b", "c", "d"].enumerated() { map.insert(number, for: key) }

    #expect(map.use("b") { $0 } == 1)
    map.insert(9, for: "a")
    #expect(map["c"] == 2)

    #expect(map.oldestFirst.map(\.key) == ["c", "d", "b", "a"])
    #expect(map.oldestFirst.map(\.value) == [2, 3, 1, 9])
    #expect(map.oldest?.key == "c")
  }

  @Test func useChangesTheValue() {
    var map = RecentMap<String, Int>()
    map.insert(1, for: "a")

    #expect(map.use("a") { $0 += 1 } != nil)
    #expect(map.use("b") { $0 += 1 } == nil)

    #expect(map["a"] == 2)
  }

  @Test func emptyMapHasNoOldestEntry() {
    var map = RecentMap<String, Int>()

    #expect(map.isEmpty && map.oldest == nil)
    #expect(map.removeOldest() == nil)
    #expect(map.remove("a") == nil)
    #expect(map["a"] == nil)
  }

  @Test func nodesOfRemovedEntriesAreReused() {
    var map = RecentMap<Int, Int>()
    for number in 0..<10_000 {
      map.insert(number, for: number)
      if map.count > 10 { map.removeOldest() }
    }

    #expect(map.oldestFirst.map(\.key) == Array(9990..<10_000))
    #expect(map.nodes.count <= 12)
  }

  @Test func removedValuesAreReleased() {
    final class Object {}
    var map = RecentMap<Int, Object>()
    weak var object: Object?
    do {
      let new = Object()
      object = new
      map.insert(new, for: 1)
    }
    #expect(object != nil)

    map.remove(1)

    #expect(object == nil)
  }

  /// Compares the map with an array of entries, oldest first.
  @Test func mapBehavesLikeAnArrayOfEntries() {
    var map = RecentMap<Int, Int>()
    var model: [(key: Int, value: Int)] = []
    var state: UInt64 = 42
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for step in 0..<5000 {
      let key = random(30)
      let index = model.firstIndex { $0.key == key }
      switch random(6) {
      case 0, 1:
        map.insert(step, for: key)
        if let index { model.remove(at: index) }
        model.append((key, step))
      case 2:
        #expect(map.use(key) { $0 } == index.map { model[$0].value })
        if let index { model.append(model.remove(at: index)) }
      case 3:
        #expect(map.remove(key) == index.map { model.remove(at: $0).value })
      case 4:
        #expect(map.removeOldest()?.key == (model.isEmpty ? nil : model.removeFirst().key))
      default:
        #expect(map[key] == index.map { model[$0].value })
      }
      #expect(map.count == model.count)
      #expect(map.oldest?.key == model.first?.key)
    }
    #expect(map.oldestFirst.map(\.key) == model.map(\.key))
    #expect(map.oldestFirst.map(\.value) == model.map(\.value))
  }
}
