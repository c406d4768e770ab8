import Testing
import VitrineConcurrency

@testable import VitrineLoading

/// Random histories of failed requests, successes, slots that leave the screen and networks that return.
@Suite struct RecoveryModelTests {
  private static let second: Int64 = 1_000_000_000
  private static let host = DownloadQueue.Lane.host(scheme: "http", name: "a.test", port: nil)

  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  /// A host that fails its requests while `fails` is true, and the slots that wait for the host.
  private struct World {
    var plan: RecoveryPlan
    var random: Random
    var ids: Set<RecoveryPlan.ID> = []
    var visible: Set<RecoveryPlan.ID> = []
    var now: Int64 = 0
    var wake: Int64?
    var responses: [(time: Int64, id: RecoveryPlan.ID)] = []
    var sent = 0
    var fails = true
    /// The probability that a failure is reported with the cause `clock`.
    var clockFailures = 0.0

    init(_ seed: UInt64) {
      random = Random(state: seed)
      // The shortest delays, which are the worst case.
      plan = RecoveryPlan(RecoveryPolicy(), random: { 0 })
    }

    mutating func sendDueRequests() {
      let (due, next) = plan.takeDue()
      if let next { wake = min(wake ?? .max, next) }
      for id in due {
        guard visible.contains(id) else {
          plan.setVisible(false, id, at: now)
          continue
        }
        sent += 1
        responses.removeAll { $0.id == id }
        responses.append((now + .random(in: 0..<500_000_000, using: &random), id))
      }
      if !due.isEmpty { sendDueRequests() }
    }

    /// Lets time pass until `end`.
    mutating func run(until end: Int64) {
      while true {
        let response = responses.indices.min { responses[$0].time < responses[$1].time }
        let times = [response.map { responses[$0].time }, wake].compactMap { $0 }
        guard let time = times.min(), time <= end else { break }
        now = max(now, time)
        if let response, responses[response].time == time {
          let id = responses.remove(at: response).id
          if fails {
            let isClock = Double.random(in: 0..<1, using: &random) < clockFailures
            plan.failedAgain(id, isClock ? .clock : .server, at: now)
          } else {
            ids.remove(id)
            plan.remove(id, at: now)
            plan.succeeded(RecoveryModelTests.host, at: now)
          }
        } else {
          wake = nil
          plan.woken(at: now)
        }
        sendDueRequests()
      }
      now = end
    }
  }

  private func world(_ count: Int, seed: UInt64, of cause: RecoveryCause = .server) -> World {
    var world = World(seed)
    for _ in 0..<count {
      let id = world.plan.add(cause, host: Self.host, isVisible: true, at: 0)
      world.ids.insert(id)
      world.visible.insert(id)
    }
    world.sendDueRequests()
    return world
  }

  @Test(arguments: 0..<20) func attemptsPerHourAreBounded(seed: UInt64) {
    let count = 1 + Int(seed) * 2
    var world = world(count, seed: seed + 1)
    let longest = [1.0, 5, 30][Int(seed) % 3]
    while world.now < 3600 * Self.second {
      let pause = Double.random(in: 0.01..<longest, using: &world.random)
      world.run(until: world.now.advanced(bySeconds: pause))
      world.plan.succeeded(Self.host, at: world.now)
      world.sendDueRequests()
    }

    #expect(world.sent >= count * 20)
    // One attempt a minute for each request, and the attempts until the delay has grown.
    #expect(world.sent <= count * 70)
  }

  @Test(arguments: 0..<40) func noRequestIsForgotten(seed: UInt64) {
    var world = world(1 + Int(seed) % 7, seed: seed + 1)
    world.clockFailures = 0.1
    let ids = world.ids.sorted()
    for _ in 0..<400 {
      world.run(until: world.now.advanced(bySeconds: .random(in: 0..<20, using: &world.random)))
      let id = ids[Int.random(in: 0..<ids.count, using: &world.random)]
      switch Int.random(in: 0..<8, using: &world.random) {
      case 0, 1: world.visible.remove(id)
      case 2, 3:
        if world.visible.insert(id).inserted { world.plan.setVisible(true, id, at: world.now) }
      case 4: world.plan.succeeded(Self.host, at: world.now)
      case 5: world.plan.networkReturned(at: world.now)
      case 6: world.plan.clockStepped(at: world.now)
      default: world.plan.refused(Self.host, retryAfter: 30, at: world.now)
      }
      world.sendDueRequests()
    }

    world.fails = false
    for id in ids where world.visible.insert(id).inserted { world.plan.setVisible(true, id, at: world.now) }
    world.sendDueRequests()
    world.run(until: world.now + 121 * Self.second)

    #expect(world.plan.count == 0, "each request has been sent again")
  }
}
