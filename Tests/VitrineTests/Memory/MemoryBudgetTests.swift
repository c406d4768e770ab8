import Testing
import Vitrine

struct MemoryBudgetTests {
  @Test("AF-C17 a large machine gets the ancestors' capacities, of 256 MiB in all")
  func sharesOfALargeMachine() {
    let budget = MemoryBudget(bytes: MemoryBudget.largestDefault)

    #expect(budget.cacheCapacity == 100 << 20)
    #expect(budget.cacheUsageAfterPurge == 60 << 20)
    #expect(budget.textures == 64 << 20)
  }

  @Test func smallMachineGetsTheSameSharesOfLess() {
    let budget = MemoryBudget(bytes: 128 << 20)

    #expect(budget.cacheCapacity == 50 << 20)
    #expect(budget.textures == 32 << 20)
  }

  @Test func defaultOfThisMachineIsWithinItsBounds() {
    #expect((1 << 20...MemoryBudget.largestDefault).contains(MemoryBudget.machine.bytes))
  }

  @Test func thereIsAlwaysSome() {
    #expect(MemoryBudget(bytes: 0).bytes == 1 << 20)
    #expect(MemoryBudget(bytes: -5).cacheCapacity > 0)
  }
}
