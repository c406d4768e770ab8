import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// All events of a registry with a disk, in an order given by a seed.
@Suite(.timeLimit(.minutes(5))) struct DiskRegistryStormTests {
  @Test(
    "with any results of disk and server, each task completes once and as its policy allows",
    arguments: 0..<40)
  func eachTaskCompletesOnceAsItsPolicyAllows(seed: UInt64) {
    var storm = RegistryStorm(seed: seed)
    for _ in 0..<1500 { storm.step() }
    storm.end()
    #expect(storm.waiting.isEmpty)
    #expect(storm.responded > 300)
    #expect(storm.registry.loads.tree.isEmpty)
    #expect(storm.registry.queue.activeCount == 0)
    #expect(storm.registry.queue.waitingCount == 0)
    #expect(storm.locks.allSatisfy { $0.releases == 1 })
    #expect(storm.registry.fetches.locks.isIdle && storm.registry.fetches.locks.nextChange == nil)
    #expect(storm.wasBlocked || !storm.hasSlowDisk)
    let lookups = storm.registry.fetches.lookups
    #expect(lookups.isIdle && !lookups.hasLate && !lookups.hasWaiting)
  }
}

/// Callers, a disk and a server that act at random.
private struct RegistryStorm {
  private static let bytes = Fixture.body
  private static let wallTime = 1_700_000_000.0

  var registry: LoadRegistry
  var waiting: [TaskID: ImageRequest.CachePolicy] = [:]
  /// The loads of slots, which show a stale response before the server has been asked.
  private var slots: Set<TaskID> = []
  var responded = 0
  /// True if other processes use the disk cache.
  private let sharesDisk: Bool
  /// True if lookups take long, so that they are late or hang.
  let hasSlowDisk: Bool
  /// True if so many lookups were late that further ones waited.
  private(set) var wasBlocked = false
  /// All locks that were taken.
  private(set) var locks: [FakeLock] = []
  private var chance: SplitMix
  private var work: [LoadAction] = []
  private var wakes: [Int64] = []

  init(seed: UInt64) {
    chance = SplitMix(state: seed)
    sharesDisk = seed % 2 == 0
    hasSlowDisk = seed % 5 < 2
    // The limits are so low that no load could start if bytes were never counted as decoded or released.
    registry = LoadRegistry(
      undecodedBytesLimit: 2 * Self.bytes.count,
      transfers: TransferPlan(retries: RetryPolicy(limit: 1, delay: 1)),
      disk: DiskPlan(
        isEnabled: true, copyLimit: seed % 3 == 0 ? 2 * Self.bytes.count : .max),
      locks: FetchLocks(isEnabled: sharesDisk))
    registry.queue.order = [.fifo, .lifo, .newestBatch][Int(seed % 3)]
  }

  mutating func step() {
    switch chance.next(12) {
    case 0...3: begin()
    case 4: changeRandomTask()
    case 5:
      registry.now += hasSlowDisk ? 1_000_000_000 : 100_000_000
      wake()
    default: finishSome()
    }
    #expect(registry.loads.tree.waiterCount == waiting.count)
    #expect(registry.queue.activeCount <= 8)
    wasBlocked = wasBlocked || registry.fetches.lookups.isBlocked
  }

  /// Resumes all tasks and finishes all work.
  mutating func end() {
    registry.queue.isSuspended = false
    run(registry.setOffline(false))
    for task in waiting.keys.sorted() { run(registry.setPaused(false, task)) }
    run(registry.admitted())
    var turns = 0
    while !(work.isEmpty && waiting.isEmpty), turns < 20_000 {
      turns += 1
      if work.isEmpty {
        registry.now += 1_000_000_000
        wake()
      } else {
        finishSome()
      }
    }
    // Early answers expire after a second, which releases their locks.
    registry.now += 10_000_000_000
    wake()
  }

  private mutating func begin() {
    let policies: [ImageRequest.CachePolicy] = [.useCache, .useCache, .refresh, .reload, .cacheOnly]
    var imageRequest = request(
      "\(chance.next(4))", host: "\(chance.next(2)).test", priority: .allCases[chance.next(5)],
      policy: policies[chance.next(5)],
      target: chance.next(2) == 0 ? nil : DecodeTarget(width: 8, height: 8),
      transforms: chance.next(3) == 0 ? [.circle()] : [])
    if chance.next(4) == 0 { imageRequest.cache = .memoryOnly }
    start(
      imageRequest, isPaused: chance.next(8) == 0, for: chance.next(3) == 0 ? .slot : .application)
  }

  private mutating func start(
    _ request: ImageRequest, isPaused: Bool = false, for purpose: LoadPurpose = .application
  ) {
    // The downloader refuses these requests before they reach the registry.
    if request.cachePolicy == .cacheOnly, !request.cache.usesDisk { return }
    let (task, actions) = registry.start(Caller(request, isPaused: isPaused, purpose: purpose))
    waiting[task] = request.cachePolicy
    if purpose == .slot { slots.insert(task) }
    run(actions)
  }

  /// Shows the stored response of a fetch at once, with a probe for each image, as `LoadState` does.
  private mutating func serveCopy(of id: FetchID) {
    guard registry.fetches.disk.mayServeCopy(of: id, atOnce: true, in: registry.loads.tree) else { return }
    for image in registry.loads.tree.imagesTakingCopy(of: id, atOnce: true) {
      var request = image.request
      request.cachePolicy = .refresh
      request.priority = .veryLow
      start(request, for: .probe)
    }
    run(registry.serveCopy(of: id, atOnce: true))
  }

  private mutating func changeRandomTask() {
    let tasks = waiting.keys.sorted()
    guard !tasks.isEmpty else { return }
    let task = tasks[chance.next(tasks.count)]
    switch chance.next(42) {
    case 0...9: run(registry.cancel(task))
    case 10...17: run(registry.setPriority(.allCases[chance.next(5)], of: task))
    case 18...25: run(registry.setPaused(true, task))
    case 26...34: run(registry.setPaused(false, task))
    case 35...37:
      registry.queue.isSuspended.toggle()
      run(registry.admitted())
    case 38: run(registry.networkReturned())
    case 39...40: run(registry.setOffline(!registry.isOffline))
    default: run(registry.cancelAll())
    }
  }

  private mutating func wake() {
    while let time = wakes.min(), time <= registry.now {
      wakes.removeAll { $0 == time }
      run(registry.woken(at: time))
    }
  }

  private mutating func run(_ actions: [LoadAction]) {
    for action in actions {
      switch action {
      case .deliver(let tasks, let outcome): for task in tasks { record(task, outcome.result) }
      case .wake(let time): wakes.append(time)
      case .cancelFetch(let id), .pauseFetch(let id):
        work.removeAll { if case .startFetch(id, _) = $0 { true } else { false } }
      case .revalidate(var request, _):
        request.cachePolicy = .refresh
        request.priority = .veryLow
        start(request)
      case .serveCopy(let id): serveCopy(of: id)
      case .prepareFetches(let questions):
        for question in questions { work.append(.prepareFetches([question])) }
      case .cancelWork(let number):
        work.removeAll {
          switch $0 {
          case .decode(let id, _, _, _): id.number == number
          case .transform(let id, _, _, _): id.number == number
          default: false
          }
        }
      default: work.append(action)
      }
    }
  }

  private mutating func record(_ task: TaskID, _ result: Result<ImageResponse, ImageError>) {
    guard let policy = waiting.removeValue(forKey: task) else {
      Issue.record("\(task) completed twice")
      return
    }
    responded += 1
    guard case .success(let response) = result else { return }
    var isOld = false
    if case .stale(let age, let reason) = response.freshness { isOld = reason == nil && age > 150 }
    switch policy {
    case .reload: #expect(response.source == .network, "a reload was served with \(response.freshness)")
    case .refresh:
      // A response that another process has loaded meanwhile is as new as one from the server.
      #expect(response.source == .network || response.freshness != .fresh || sharesDisk)
      #expect(!isOld)
    case .useCache: #expect(!isOld || slots.contains(task), "the server has not been asked")
    case .cacheOnly: break
    }
  }

  /// Withdraws a lookup. Returns false if the lookup has ended.
  private mutating func withdrawLookup(_ id: FetchID) -> Bool {
    let index = work.firstIndex { if case .lookUp(id, _, _) = $0 { true } else { false } }
    if let index { work.remove(at: index) }
    return index != nil
  }

  private mutating func finishSome() {
    guard !work.isEmpty else { return }
    let isGood = chance.next(4) > 0
    let index = chance.next(work.count)
    if hasSlowDisk, case .lookUp = work[index], chance.next(16) > 0 { return }
    switch work.remove(at: index) {
    case .lookUp(let id, _, _): run(registry.lookedUp(id, find(for: id)))
    case .skipLookup(let id): run(registry.lookupSkipped(id, chance.next(8) == 0 ? .status(503) : nil))
    case .cancelLookup(let id):
      if chance.next(2) == 0, withdrawLookup(id) { run(registry.lookupWithdrawn(id)) }
    case .prepareFetches(let questions):
      for question in questions {
        let hasUnreadData = question.isEarly && question.continues && chance.next(4) == 0
        run(
          registry.prepared(
            question.id,
            FetchPreparation(
              lock: question.takesLock ? lock() : .none, hasUnreadData: hasUnreadData)))
      }
    case .checkLocks(let identities):
      let held = identities.keys.sorted().filter { _ in chance.next(2) == 0 }
      run(
        registry.checkedLocks(
          Dictionary(
            uniqueKeysWithValues: held.map {
              ($0, FetchLockProgress(received: chance.next(), waiting: chance.next()))
            })))
    case .startFetch(let id, _):
      _ = registry.takePreparation(of: id)
      run(registry.fetchEnded(id, fetchEnd(of: id, isGood)))
    case .decode(let id, _, _, _):
      run(registry.decodeEnded(id, isGood ? .success(.solid(width: 1, height: 1)) : .failure(.emptyBody)))
    case .transform(let id, let image, _, _): run(registry.transformEnded(id, .success(image)))
    case .store(let id, _, _, _): run(registry.storeEnded(id))
    default: break
    }
  }

  private mutating func lock() -> FetchPreparation.Lock {
    switch chance.next(4) {
    case 0: .heldByAnother(FetchLockProgress(received: 1))
    case 1: .none
    case 2: .acquired(hold(), secondsSinceStore: 0)
    default: .acquired(hold(), secondsSinceStore: nil)
    }
  }

  private mutating func hold() -> FetchLockHold {
    let lock = FakeLock()
    locks.append(lock)
    return FetchLockHold(lock) { $0() }
  }

  private mutating func fetchEnd(of id: FetchID, _ isGood: Bool) -> FetchEnd {
    guard isGood else {
      let errors: [ImageError] = [
        .status(404), .status(500), .transport(.cannotConnect, message: ""), .emptyBody,
      ]
      let error = errors[chance.next(errors.count)]
      return error == .emptyBody ? FetchEnd(.needsWhole) : FetchEnd(.failed(error))
    }
    guard let copy = registry.fetches.disk[id].copy, chance.next(2) == 0 else {
      var bytes = FetchedBytes(body: Self.bytes, response: nil)
      if chance.next(4) > 0 { bytes.storedResponse = Self.storedResponse(age: 0, "max-age=60") }
      return FetchEnd(.bytes(bytes))
    }
    return FetchEnd(.bytes(copy.bytes(revalidatedAs: copy.storedResponse, TransportMetrics())))
  }

  /// The result of a lookup. If images are looked for in the pixel cache, the body may not have been read.
  private mutating func find(for id: FetchID) -> DiskFind {
    let responses: [StoredResponse?] = [
      nil, Self.storedResponse(age: 0, "max-age=60"),
      Self.storedResponse(age: 100, "max-age=60, stale-while-revalidate=60"),
      Self.storedResponse(age: 200, "max-age=60"),
      Self.storedResponse(age: 200, "max-age=60, must-revalidate"),
    ]
    var find = DiskFind()
    find.copy = responses[chance.next(responses.count)].map {
      StoredCopy($0, body: $0.body, at: Self.wallTime, rules: FreshnessRules())
        .with(BodyDigest(high: 1, low: 1))
    }
    if chance.next(2) == 0, !registry.need(of: id, findsPixels: true).images.isEmpty {
      find.copy = find.copy?.head
    }
    if chance.next(10) == 0 { find.failure = .status(503) }
    return find
  }

  private static func storedResponse(age: Double, _ control: String) -> StoredResponse {
    StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: ["Cache-Control": control]), body: bytes,
      requested: wallTime - age, received: wallTime - age)
  }
}
