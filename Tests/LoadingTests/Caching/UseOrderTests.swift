import Testing
import VitrineTesting

@testable import VitrineLoading

/// The order in which images are evicted.
@Suite(.timeLimit(.minutes(5))) struct UseOrderTests {
  /// A simple model of the eviction order with arrays, oldest first.
  private struct Model {
    var probation: [Int] = []
    var protected: [Int] = []
    var costs: [Int: Int] = [:]
    var costLimit = Int.max
    var countLimit = Int.max

    var cost: Int { costs.values.reduce(0, +) }
    private var protectedCost: Int { protected.reduce(0) { $0 + (costs[$1] ?? 0) } }

    mutating func append(_ entry: Int, cost: Int) {
      costs[entry] = cost
      probation.append(entry)
    }

    mutating func use(_ entry: Int) {
      guard protected.last != entry else { return }
      protect(entry)
      while protectedCost > costLimit || protected.count > countLimit, protected[0] != entry {
        probation.append(protected.removeFirst())
      }
    }

    mutating func protect(_ entry: Int) {
      probation.removeAll { $0 == entry }
      protected.removeAll { $0 == entry }
      protected.append(entry)
    }

    mutating func remove(_ entry: Int) {
      probation.removeAll { $0 == entry }
      protected.removeAll { $0 == entry }
      costs[entry] = nil
    }

    func first(keeping kept: Int?) -> Int? {
      (probation + protected).first { $0 != kept } ?? (costs.isEmpty ? nil : kept)
    }
  }

  @Test(
    "Any series of inserts, uses and evictions gives the order of the model",
    arguments: 1...12 as ClosedRange<UInt64>)
  func evictionOrderIsThatOfTheModel(seed: UInt64) {
    var random = SplitMix(state: seed)
    var order = UseOrder()
    var model = Model()
    order.protectedCostLimit = 40
    order.protectedCountLimit = Int.random(in: 1...6, using: &random)
    (model.costLimit, model.countLimit) = (order.protectedCostLimit, order.protectedCountLimit)
    var free: [Int] = []
    var entryCount = 0

    for _ in 0..<400 {
      let entries = model.costs.keys.sorted()
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let entry = free.popLast() ?? entryCount
        entryCount = max(entryCount, entry + 1)
        let cost = Int.random(in: 1...15, using: &random)
        order.append(entry, cost: cost)
        model.append(entry, cost: cost)
      case 2, 3:
        guard let entry = entries.randomElement(using: &random) else { continue }
        order.use(entry)
        model.use(entry)
      case 4:
        guard let entry = entries.randomElement(using: &random) else { continue }
        order.spare(entry)
        model.protect(entry)
      default:
        guard entries.count > 8, let entry = entries.randomElement(using: &random) else { continue }
        order.remove(entry)
        model.remove(entry)
        free.append(entry)
      }
      let kept = (entries + [entryCount]).randomElement(using: &random)
      guard let kept, model.costs[kept] != nil else { continue }
      let first = order.first(keeping: kept)
      #expect(first == model.first(keeping: kept))
      let firstOfAll = order.first(keeping: nil)
      #expect(firstOfAll == model.first(keeping: nil))
      #expect(order.cost == model.cost)
      #expect(order.count == model.costs.count)
    }
    expectEvictions(of: &order, inTheOrderOf: &model)
  }

  /// Evicts all entries.
  private func expectEvictions(of order: inout UseOrder, inTheOrderOf model: inout Model) {
    while let entry = model.first(keeping: nil) {
      let first = order.first(keeping: nil)
      #expect(first == entry)
      guard first == entry else { return }
      order.remove(entry)
      model.remove(entry)
    }
    let first = order.first(keeping: nil)
    #expect(first == nil)
    #expect(order.cost == 0)
  }

  @Test(
    "Uses that are collected before the order is read give the order of the model",
    arguments: [0, 1, 2, 7, 31, 32, 33, 64, 500])
  func collectedUsesGiveTheOrderOfTheModel(useCount: Int) {
    var random = SplitMix(state: UInt64(useCount))
    var order = UseOrder()
    var model = Model()
    (order.protectedCostLimit, order.protectedCountLimit) = (40, 6)
    (model.costLimit, model.countLimit) = (40, 6)
    for entry in 0..<12 {
      let cost = Int.random(in: 1...15, using: &random)
      order.append(entry, cost: cost)
      model.append(entry, cost: cost)
    }

    for _ in 0..<useCount {
      let entry = Int.random(in: 0..<12, using: &random)
      order.use(entry)
      model.use(entry)
    }

    expectEvictions(of: &order, inTheOrderOf: &model)
  }

  @Test func keptEntryIsEvictedOnlyWhenItIsAlone() {
    var order = UseOrder()
    order.append(0, cost: 1)
    order.append(1, cost: 1)
    order.use(0)

    let usedLater = order.first(keeping: 1)
    #expect(usedLater == 0)
    order.remove(0)
    let alone = order.first(keeping: 1)
    #expect(alone == 1)

    order.use(1)
    let aloneAndUsed = order.first(keeping: 1)
    #expect(aloneAndUsed == 1)
    order.append(0, cost: 1)
    order.use(0)
    let used = order.first(keeping: 1)
    #expect(used == 0)
  }
}
