import Testing

@testable import VitrineLoading

/// The stores that wait for the images of slots.
struct HeldStoresTests {
  private static let second: Int64 = 1_000_000_000

  private func store(
    _ number: UInt64, bytes: Int, of path: String = "a.jpg", at time: Int64 = 0
  ) -> HeldStores.Store {
    let response = StoredResponse(
      response: TransportResponse(url: url(path), status: 200, headers: [:]),
      body: [UInt8](repeating: UInt8(number), count: bytes), requested: 0, received: 0)
    return HeldStores.Store(
      number: number, identity: request(path).identity, response: response, added: time, write: { true })
  }

  private func held(_ bytes: [Int], limit: Int = 100, slots: Int = 1) -> HeldStores {
    var held = HeldStores(bytesLimit: limit)
    for _ in 0..<slots { held.slotBegan() }
    for (index, bytes) in bytes.enumerated() { held.add(store(UInt64(index), bytes: bytes)) }
    return held
  }

  private func due(_ held: inout HeldStores, at now: Int64 = 0) -> [UInt64] {
    held.takeDue(at: now).map(\.number)
  }

  @Test func storesDoNotWaitIfNoSlotLoads() {
    var held = held([1, 2], slots: 0)
    #expect(due(&held) == [0, 1])
    #expect(held.count == 0)
    #expect(held.takeWake(at: 0) == nil)
  }

  @Test func storesWaitForTheLastSlot() {
    var held = held([1, 2], slots: 2)
    #expect(due(&held) == [])
    held.slotsEnded(1)
    #expect(due(&held) == [])
    held.slotsEnded(1)
    #expect(due(&held) == [0, 1])
  }

  @Test func eachStoreWaitsForASecondAtMost() {
    var held = held([1])
    held.add(store(1, bytes: 1, at: Self.second / 2))
    #expect(held.takeWake(at: 0) == Self.second)
    #expect(held.takeWake(at: 0) == nil, "the call is already scheduled")
    #expect(due(&held, at: Self.second - 1) == [])
    held.woken(at: Self.second)
    #expect(due(&held, at: Self.second) == [0])
    #expect(held.takeWake(at: Self.second) == Self.second * 3 / 2)
  }

  @Test func oldestStoresDoNotWaitBeyondTheLimitOfBytes() {
    var held = held([40, 40, 40])
    #expect(due(&held) == [0])
    held.add(store(3, bytes: 200))
    #expect(due(&held) == [1, 2, 3])
  }

  @Test func limitIsAQuarterOfASmallBudget() {
    #expect(HeldStores.bytesLimit(budget: 32 << 20) == 8 << 20)
    #expect(HeldStores.bytesLimit(budget: .max) == 64 << 20)
  }

  @Test func lastHeldResponseIsFoundUntilItIsWritten() {
    var held = held([])
    for number in 1...2 { held.add(store(UInt64(number), bytes: number)) }
    held.add(store(3, bytes: 3, of: "b.jpg"))
    #expect(held.response(for: request("a.jpg").identity)?.body.count == 2)
    #expect(held.response(for: request("c.jpg").identity) == nil)
    #expect(held.takeAll().map(\.number) == [1, 2, 3])
    #expect(held.response(for: request("a.jpg").identity) == nil)
  }
}
