import Testing
import VitrinePlatform

struct MemoryBudgetTests {
  @Test("AF-C17 a large machine has the ancestors' capacities (100 MiB, purged to 60 MiB) of 256 MiB in all")
  func largeMachineHasTheDefaultCapacities() {
    let budget = MemoryBudget(bytes: MemoryBudget.largestDefault)

    #expect(budget.cacheCapacity == 100 << 20)
    #expect(budget.cacheUsageAfterPurge == 60 << 20)
    #expect(budget.textures == 64 << 20)
  }

  @Test func smallMachineHasTheSameFractionsOfItsBudget() {
    let budget = MemoryBudget(bytes: 128 << 20)

    #expect(budget.cacheCapacity == 50 << 20)
    #expect(budget.textures == 32 << 20)
  }

  @Test func defaultBudgetOfThisMachineIsWithinItsBounds() {
    #expect((1 << 20...MemoryBudget.largestDefault).contains(MemoryBudget.machine.bytes))
  }

  @Test func budgetIsNeverZero() {
    #expect(MemoryBudget(bytes: 0).bytes == 1 << 20)
    #expect(MemoryBudget(bytes: -5).cacheCapacity > 0)
  }
}
