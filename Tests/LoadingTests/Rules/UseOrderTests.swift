import Testing

@testable import VitrineLoading

/// The order in which images are evicted.
@Suite(.timeLimit(.minutes(1))) struct UseOrderTests {
  /// A simple model of the eviction order with arrays, oldest first.
  private struct Model {
    var probation: [Int] = []
    var protected: [Int] = []
    var costs: [Int: Int] = [:]
    var costLimit = Int.max
    var countLimit = Int.max

    var cost: Int { costs.values.reduce(0, +) }
    private var protectedCost: Int { protected.reduce(0) { $0 + (costs[$1] ?? 0) } }

    mutating func append(_ place: Int, cost: Int) {
      costs[place] = cost
      probation.append(place)
    }

    mutating func use(_ place: Int) {
      guard protected.last != place else { return }
      protect(place)
      while protectedCost > costLimit || protected.count > countLimit, protected[0] != place {
        probation.append(protected.removeFirst())
      }
    }

    mutating func protect(_ place: Int) {
      probation.removeAll { $0 == place }
      protected.removeAll { $0 == place }
      protected.append(place)
    }

    mutating func remove(_ place: Int) {
      probation.removeAll { $0 == place }
      protected.removeAll { $0 == place }
      costs[place] = nil
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
    var places = 0

    for _ in 0..<400 {
      let known = model.costs.keys.sorted()
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let place = free.popLast() ?? places
        places = max(places, place + 1)
        let cost = Int.random(in: 1...15, using: &random)
        order.append(place, cost: cost)
        model.append(place, cost: cost)
      case 2, 3:
        guard let place = known.randomElement(using: &random) else { continue }
        order.use(place)
        model.use(place)
      case 4:
        guard let place = known.randomElement(using: &random) else { continue }
        order.spare(place)
        model.protect(place)
      default:
        guard known.count > 8, let place = known.randomElement(using: &random) else { continue }
        order.remove(place)
        model.remove(place)
        free.append(place)
      }
      let kept = (known + [places]).randomElement(using: &random)
      guard let kept, model.costs[kept] != nil else { continue }
      #expect(order.first(keeping: kept) == model.first(keeping: kept))
      #expect(order.first(keeping: nil) == model.first(keeping: nil))
      #expect(order.cost == model.cost)
      #expect(order.count == model.costs.count)
    }
    // All entries are evicted in the order of the model.
    while let place = model.first(keeping: nil) {
      #expect(order.first(keeping: nil) == place)
      guard order.first(keeping: nil) == place else { return }
      order.remove(place)
      model.remove(place)
    }
    #expect(order.first(keeping: nil) == nil)
    #expect(order.cost == 0)
  }

  @Test func keptEntryIsEvictedOnlyWhenItIsAlone() {
    var order = UseOrder()
    order.append(0, cost: 1)
    order.append(1, cost: 1)
    order.use(0)

    #expect(order.first(keeping: 1) == 0)
    order.remove(0)
    #expect(order.first(keeping: 1) == 1)

    order.use(1)
    #expect(order.first(keeping: 1) == 1)
    order.append(0, cost: 1)
    order.use(0)
    #expect(order.first(keeping: 1) == 0)
  }
}
