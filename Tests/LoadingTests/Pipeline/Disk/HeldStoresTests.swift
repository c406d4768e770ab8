import Testing

@testable import VitrineLoading

/// The stores that wait for the images of slots.
struct HeldStoresTests {
  private static let second: Int64 = 1_000_000_000
  private static let other = request("other.jpg").identity

  private func store(
    _ number: UInt64, bytes: Int, of path: String = "a.jpg", at time: Int64 = 0
  ) -> HeldStores.Store {
    let response = StoredResponse(
      response: TransportResponse(url: url(path), status: 200, headers: [:]),
      body: [UInt8](repeating: UInt8(number), count: bytes), requested: 0, received: 0)
    return HeldStores.Store(
      number: number, identity: request(path).identity, response: HeldResponse(response), added: time,
      write: { true })
  }

  private func held(_ bytes: [Int], limit: Int = 100, slots: Int = 1) -> HeldStores {
    var held = HeldStores(bytesLimit: limit)
    for _ in 0..<slots { held.slotBegan() }
    for (index, bytes) in bytes.enumerated() {
      held.add(store(UInt64(index), bytes: bytes, of: "\(index).jpg"))
    }
    return held
  }

  private func due(_ held: inout HeldStores, at now: Int64 = 0) -> [UInt64] {
    held.takeDue(at: now).map(\.number)
  }

  @Test func storesWaitOnlyWhileSlotsLoad() {
    var held = held([1, 2], slots: 0)
    #expect(!held.holdsStore(of: Self.other, bytes: 1, at: 0))
    #expect(due(&held) == [0, 1])
    #expect(held.waitingCount == 0)
    #expect(held.takeWake(at: 0) == nil)
    held.slotBegan()
    #expect(held.holdsStore(of: Self.other, bytes: 1, at: 0))
  }

  @Test func storesWaitForTheLastSlot() {
    var held = held([1, 2], slots: 2)
    #expect(due(&held) == [])
    held.slotsEnded(1, at: 0)
    #expect(due(&held) == [])
    held.slotsEnded(1, at: 0)
    #expect(due(&held) == [0, 1])
  }

  @Test func manyBytesWaitForAQuietTimeAfterTheLastSlot() {
    var held = held([SlotHold.quickBytes, 1], limit: 2 * SlotHold.quickBytes)
    let end = Int64(SlotHold.quietTime * 1e9)
    held.slotsEnded(1, at: 0)
    #expect(due(&held) == [])
    #expect(held.takeWake(at: 0) == end)
    #expect(held.holdsStore(of: Self.other, bytes: 1, at: end - 1))
    #expect(!held.holdsStore(of: Self.other, bytes: 1, at: end))
    #expect(due(&held, at: end) == [0, 1])
    #expect(held.takeWake(at: end) == nil)
  }

  @Test func slotThatBeginsInTheQuietTimeKeepsStoresWaiting() {
    var held = held([SlotHold.quickBytes + 1], limit: 2 * SlotHold.quickBytes)
    held.slotsEnded(1, at: 0)
    held.slotBegan()
    let end = Int64(SlotHold.quietTime * 1e9)
    #expect(due(&held, at: end) == [])
    held.slotsEnded(1, at: Self.second - 1)
    #expect(held.takeWake(at: Self.second - 1) == Self.second, "a second after the store was added")
    #expect(due(&held, at: Self.second) == [0])
  }

  @Test func endOfALoadMayBeNotedBeforeItsBeginning() {
    var held = held([SlotHold.quickBytes + 1], limit: 2 * SlotHold.quickBytes)
    held.slotsEnded(2, at: 0)
    held.slotBegan()
    #expect(due(&held) == [])
    #expect(due(&held, at: Int64(SlotHold.quietTime * 1e9)) == [0])
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

  @Test func bodiesBeyondTheLimitDoNotWait() {
    var held = held([40, 40])
    #expect(held.holdsStore(of: Self.other, bytes: 20, at: 0))
    #expect(!held.holdsStore(of: Self.other, bytes: 21, at: 0))
    #expect(held.holdsStore(of: request("0.jpg").identity, bytes: 60, at: 0), "in place of 40 bytes")
    #expect(!held.holdsStore(of: request("0.jpg").identity, bytes: 61, at: 0))

    #expect(held.takeAll().count == 2)
    #expect(
      !held.holdsStore(of: Self.other, bytes: 21, at: 0), "the bodies are in memory until they are written")
    #expect(held.ended(0)?.number == 0)
    #expect(held.holdsStore(of: Self.other, bytes: 60, at: 0))
    #expect(!held.holdsStore(of: Self.other, bytes: 61, at: 0))
    #expect(held.ended(7) == nil, "another change")
  }

  @Test func limitIsAQuarterOfASmallBudget() {
    #expect(HeldStores.bytesLimit(budget: 32 << 20) == 8 << 20)
    #expect(HeldStores.bytesLimit(budget: .max) == 64 << 20)
  }

  @Test func responseIsFoundUntilItIsWritten() {
    var held = held([5, 6])
    let identity = request("0.jpg").identity
    #expect(held.response(for: identity)?.bodyLength == 5)
    #expect(held.response(for: request("c.jpg").identity) == nil)
    #expect(held.take(of: identity)?.number == 0)
    #expect(held.take(of: identity) == nil)
    #expect(held.response(for: identity)?.bodyLength == 5)
    _ = held.ended(0)
    #expect(held.response(for: identity) == nil)
    #expect(due(&held, at: Self.second) == [1])
  }

  @Test func newerStoreIsFoundWhileTheOlderOneIsWritten() {
    var held = held([5])
    let identity = request("0.jpg").identity
    _ = held.takeAll()
    held.add(store(1, bytes: 6, of: "0.jpg"))
    _ = held.ended(0)
    #expect(held.response(for: identity)?.bodyLength == 6)
    #expect(held.takeAll().map(\.number) == [1])
  }

  @Test func droppedStoresAreNeitherFoundNorWritten() {
    var held = held([1, 2, 3])
    #expect(held.drop(request("1.jpg").identity)?.number == 1)
    #expect(held.response(for: request("1.jpg").identity) == nil)
    #expect(held.drop(request("1.jpg").identity) == nil)
    _ = held.take(of: request("0.jpg").identity)
    #expect(held.dropAll().map(\.number) == [2])
    #expect(held.response(for: request("0.jpg").identity) == nil, "a removal follows its store")
    #expect(held.takeAll().isEmpty)
    _ = held.ended(0)
    #expect(held.holdsStore(of: Self.other, bytes: 100, at: 0))
  }

  @Test func storesAreWrittenAtOnceForAMinuteAfterAnotherProcessWasFound() {
    var held = held([1])
    held.noteOtherProcess(at: 0)
    #expect(due(&held, at: 0) == [0])
    #expect(!held.holdsStore(of: Self.other, bytes: 1, at: 60 * Self.second - 1))
    #expect(held.holdsStore(of: Self.other, bytes: 1, at: 60 * Self.second))
  }
}
