import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

extension FetchEnd {
  static func success(_ bytes: FetchedBytes) -> FetchEnd { FetchEnd(.bytes(bytes), response: bytes.response) }
  static func failure(_ error: ImageError) -> FetchEnd { FetchEnd(.failed(error)) }
}

/// The decisions of the load registry, without effects: inputs in, actions out.
@Suite struct LoadRegistryTests {
  private static let small = DecodeTarget(width: 8, height: 8)
  private let bytes = FetchedBytes(body: [1, 2, 3], response: nil, metrics: TransportMetrics())

  /// Starts a load and returns its id and the resulting actions, in words.
  private func start(
    _ registry: inout LoadRegistry, _ request: ImageRequest, _ identifier: String? = nil
  ) -> (task: TaskID, actions: [String]) {
    let (task, actions) = registry.start(Caller(request, identifier))
    return (task, actions.map(words))
  }

  private func words(_ action: LoadAction) -> String {
    switch action {
    case .startFetch(_, let request): "fetch \(request.url.lastPathComponent)"
    case .lookUp(_, let request, _): "look up \(request.url.lastPathComponent)"
    case .cancelLookup: "cancel look up"
    case .skipLookup: "skip look up"
    case .keep: "keep"
    case .discard: "discard"
    case .revalidate: "revalidate"
    case .cancelFetch: "cancel fetch"
    case .decode(_, _, let key, _): key.target == nil ? "decode" : "decode small"
    case .transform(_, _, let request, _): "transform \(request.transforms.map(\.identifier))"
    case .pauseFetch: "pause fetch"
    case .wake: "wake"
    case .announceRetry: "announce retry"
    case .moveTask: "move task"
    case .cancelWork: "cancel work"
    case .reprioritizeWork(_, let priority): "reprioritize \(priority)"
    case .store(_, _, _, let identifier): "store \(identifier ?? "-")"
    case .deliver(let tasks, .success): "deliver to \(tasks.count)"
    case .deliver(let tasks, .failure(let error)): "fail \(tasks.count): \(error)"
    }
  }

  private func decodeID(_ actions: [LoadAction]) throws -> DecodeID {
    try #require(actions.compactMap { if case .decode(let id, _, _, _) = $0 { id } else { nil } }.first)
  }

  private func processedImageID(_ actions: [LoadAction]) throws -> ProcessedImageID {
    try #require(
      actions.compactMap {
        switch $0 {
        case .store(let id, _, _, _), .transform(let id, _, _, _): id
        default: nil
        }
      }.first)
  }

  @Test func loadIsFetchedDecodedTransformedStoredAndDelivered() throws {
    var registry = LoadRegistry()
    let image = Image.solid(width: 4, height: 4)

    let (task, started) = start(&registry, request(transforms: [.circle()]), "id")
    #expect(started == ["fetch a.jpg"])
    let fetch = try #require(registry.loads.tree.fetch(of: task))

    var actions = registry.fetchEnded(fetch, .success(bytes))
    #expect(actions.map(words) == ["decode"])
    actions = registry.decodeEnded(try decodeID(actions), .success(image))
    #expect(actions.map(words) == ["transform [\"circle\"]"])
    let processedImage = try processedImageID(actions)
    #expect(registry.transformEnded(processedImage, .success(image)).map(words) == ["store id"])
    #expect(registry.storeEnded(processedImage).map(words) == ["deliver to 1"])
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func newLoadJoinsEachStageOfARunningLoad() throws {
    var registry = LoadRegistry()
    let image = Image.solid(width: 4, height: 4)
    let (task, _) = start(&registry, request())
    let fetch = try #require(registry.loads.tree.fetch(of: task))

    #expect(start(&registry, request()).actions == [], "joins while the body is fetched")
    let decoding = registry.fetchEnded(fetch, .success(bytes))
    #expect(start(&registry, request()).actions == [], "joins while the image is decoded")
    #expect(start(&registry, request(target: Self.small)).actions == ["decode small"])
    let storing = registry.decodeEnded(try decodeID(decoding), .success(image))
    #expect(start(&registry, request()).actions == [], "joins while the image is stored")
    #expect(start(&registry, request(), "other").actions == ["store other"], "the image is already decoded")
    #expect(start(&registry, request(transforms: [.circle()])).actions == ["transform [\"circle\"]"])

    #expect(registry.storeEnded(try processedImageID(storing)).map(words) == ["deliver to 4"])
    #expect(registry.loads.tree.waiterCount == 3)
  }

  @Test func cancellingTheLastTaskStopsEachStage() throws {
    var registry = LoadRegistry()
    let image = Image.solid(width: 4, height: 4)
    let (plain, _) = start(&registry, request())
    let (small, _) = start(&registry, request(target: Self.small))
    let (round, _) = start(&registry, request(target: Self.small, transforms: [.circle()]))
    let fetch = try #require(registry.loads.tree.fetch(of: plain))
    let decoding = registry.fetchEnded(fetch, .success(bytes))
    #expect(decoding.map(words) == ["decode", "decode small"])

    #expect(registry.cancel(plain).map(words) == ["fail 1: cancelled", "cancel work"])
    let smallDecode = try #require(
      decoding.compactMap {
        if case .decode(let id, _, let key, _) = $0, key.target != nil { id } else { nil }
      }.first)
    #expect(
      registry.decodeEnded(smallDecode, .success(image)).map(words) == ["store -", "transform [\"circle\"]"])
    #expect(registry.cancel(round).map(words) == ["fail 1: cancelled", "cancel work"])
    #expect(registry.cancel(small).map(words) == ["fail 1: cancelled"])
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func cancellingTheLastTaskStopsTheDiskLookup() {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let (first, started) = start(&registry, request())
    #expect(started.contains("look up a.jpg"))
    let (second, _) = start(&registry, request(target: Self.small))

    #expect(registry.cancel(first).map(words) == ["fail 1: cancelled"])
    #expect(registry.cancel(second).map(words) == ["fail 1: cancelled", "cancel look up"])
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func secondCancellationAndLateFetchEndDoNothing() throws {
    var registry = LoadRegistry()
    let (task, _) = start(&registry, request())
    let fetch = try #require(registry.loads.tree.fetch(of: task))

    #expect(registry.cancel(task).map(words) == ["fail 1: cancelled", "cancel fetch"])
    #expect(registry.cancel(task).isEmpty)
    #expect(registry.fetchEnded(fetch, .success(bytes)).isEmpty, "AF-D27")
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func repeatedAndUnexpectedEndsAreIgnored() throws {
    var registry = LoadRegistry()
    let image = Image.solid(width: 4, height: 4)
    let (task, _) = start(&registry, request())
    let fetch = try #require(registry.loads.tree.fetch(of: task))
    let decode = try decodeID(registry.fetchEnded(fetch, .success(bytes)))
    #expect(registry.fetchEnded(fetch, .failure(.cancelled)).isEmpty, "a second end")
    let processedImage = try processedImageID(registry.decodeEnded(decode, .success(image)))
    #expect(registry.decodeEnded(decode, .success(image)).isEmpty)
    #expect(
      registry.transformEnded(processedImage, .success(image)).isEmpty, "the image is not being transformed")

    #expect(registry.storeEnded(processedImage).map(words) == ["deliver to 1"])
    #expect(registry.storeEnded(processedImage).isEmpty)
  }

  @Test func failedStageFailsItsLoadAndLeavesNoState() throws {
    var registry = LoadRegistry()
    let (first, _) = start(&registry, request())
    #expect(
      registry.fetchEnded(try #require(registry.loads.tree.fetch(of: first)), .failure(.status(404))).map(
        words)
        == ["fail 1: the server responded with 404"])
    let (second, _) = start(&registry, request())
    let decode = try decodeID(
      registry.fetchEnded(try #require(registry.loads.tree.fetch(of: second)), .success(bytes)))
    #expect(
      registry.decodeEnded(decode, .failure(.notAnImage(signature: []))).map(words)
        == ["fail 1: the response is not an image"])
    let (third, _) = start(&registry, request(transforms: [.circle()]))
    let decoded = registry.decodeEnded(
      try decodeID(registry.fetchEnded(try #require(registry.loads.tree.fetch(of: third)), .success(bytes))),
      .success(.solid(width: 1, height: 1)))
    #expect(
      registry.transformEnded(
        try processedImageID(decoded), .failure(.transform(identifier: "x", message: "y"))
      )
      .map(words) == ["fail 1: the transform x failed: y"])

    #expect(registry.loads.tree.isEmpty)
  }

  @Test func workFollowsThePriorityOfItsTasks() throws {
    var registry = LoadRegistry()
    let (low, _) = start(&registry, request(priority: .low))
    _ = registry.fetchEnded(try #require(registry.loads.tree.fetch(of: low)), .success(bytes))

    let (high, actions) = start(&registry, request(priority: .high))
    #expect(actions == ["reprioritize high"])
    #expect(registry.setPriority(.veryHigh, of: low).map(words) == ["reprioritize veryHigh"])
    #expect(registry.setPriority(.veryHigh, of: low).isEmpty)
    #expect(registry.cancel(low).map(words) == ["reprioritize high", "fail 1: cancelled"])
    #expect(registry.setPriority(.low, of: low).isEmpty)
    #expect(registry.cancel(high).map(words) == ["fail 1: cancelled", "cancel work"])
  }

  @Test func cancelAllFailsEachTaskAndCancelsRunningFetches() {
    var registry = LoadRegistry()
    for number in 0..<10 { _ = start(&registry, request("\(number)")) }

    let actions = registry.cancelAll()

    #expect(actions.map(words) == ["fail 10: cancelled"] + Array(repeating: "cancel fetch", count: 4))
    #expect(registry.loads.tree.isEmpty)
    #expect(registry.cancelAll().isEmpty)
  }

  /// A thousand random inputs: each task completes once, and no state is left.
  @Test(arguments: 0..<20) func randomInputsCompleteEachTaskOnce(seed: UInt64) {
    var chance = SplitMix(state: seed)
    var registry = LoadRegistry(undecodedBytesLimit: 7)
    var waiting: Set<TaskID> = []
    var work: [LoadAction] = []
    var responded = 0

    func run(_ actions: [LoadAction]) {
      for action in actions {
        guard case .deliver(let tasks, _) = action else {
          work.append(action)
          continue
        }
        for task in tasks {
          #expect(waiting.remove(task) != nil)
          responded += 1
        }
      }
    }
    func finishSome() {
      guard !work.isEmpty else { return }
      let isGood = chance.next(5) > 0
      switch work.remove(at: chance.next(work.count)) {
      case .startFetch(let id, _):
        run(registry.fetchEnded(id, isGood ? .success(bytes) : .failure(.status(500))))
      case .decode(let id, _, _, _):
        run(registry.decodeEnded(id, isGood ? .success(.solid(width: 1, height: 1)) : .failure(.emptyBody)))
      case .transform(let id, let image, _, _): run(registry.transformEnded(id, .success(image)))
      case .store(let id, _, _, _): run(registry.storeEnded(id))
      default: break
      }
    }

    for _ in 0..<1000 {
      switch chance.next(4) {
      case 0, 1:
        let request = request(
          "\(chance.next(6))", host: "\(chance.next(3)).test", priority: .allCases[chance.next(5)],
          target: chance.next(2) == 0 ? nil : Self.small, transforms: chance.next(3) == 0 ? [.circle()] : [])
        let (task, actions) = registry.start(Caller(request, chance.next(3) == 0 ? "x" : nil))
        waiting.insert(task)
        run(actions)
      case 2:
        if let task = waiting.randomElement(using: &chance) {
          run(chance.next(2) == 0 ? registry.cancel(task) : registry.setPriority(.high, of: task))
        }
      default: finishSome()
      }
      #expect(registry.queue.activeCount <= 6)
      #expect(registry.loads.tree.waiterCount == waiting.count)
    }
    while !work.isEmpty { finishSome() }

    #expect(waiting.isEmpty)
    #expect(responded > 400)
    #expect(registry.loads.tree.isEmpty)
    #expect(registry.queue.activeCount == 0)
    #expect(registry.queue.waitingCount == 0)
  }

  @Test func fetchForADamagedCopyPausesWhenOnlyPausedTasksRemain() throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let storedResponse = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"]),
      body: [1], requested: 0, received: 0)
    let copy = StoredCopy(storedResponse, body: [1], at: 0, rules: FreshnessRules())
    let small = request(target: DecodeTarget(width: 8, height: 8))
    var actions = registry.start(Caller(request())).actions
    let (paused, more) = registry.start(Caller(small))
    actions += more + registry.setPaused(true, paused)
    let lookup = try #require(
      actions.compactMap { if case .lookUp(let id, _, _) = $0 { id } else { nil } }.first)
    actions = registry.lookedUp(lookup, DiskFind(copy: copy))
    let decodes = actions.compactMap {
      if case .decode(let id, _, let key, _) = $0 { (id, key) } else { nil }
    }
    let fullSizeDecode = try #require(decodes.first { $0.1.target == nil }).0
    let smallDecode = try #require(decodes.first { $0.1.target != nil }).0

    // One size decodes and is being stored in memory. The other size fails to decode, so the URL is fetched again.
    actions = registry.decodeEnded(fullSizeDecode, .success(.solid(width: 1, height: 1)))
    let processedImage = try processedImageID(actions)
    actions = registry.decodeEnded(smallDecode, .failure(.emptyBody))
    #expect(actions.map(words).contains("fetch a.jpg"))
    actions = registry.storeEnded(processedImage)
    #expect(actions.map(words) == ["deliver to 1", "pause fetch"])

    actions = registry.setPaused(false, paused)
    #expect(actions.map(words) == ["fetch a.jpg"])
  }

  @Test func callerWithAnotherValueOfAVaryingHeaderSendsARequestOfItsOwn() throws {
    var registry = LoadRegistry()
    var requests: [TaskID: ImageRequest] = [:]
    func start(theme: String) -> TaskID {
      var request = request()
      request.headers["X-Theme"] = theme
      let task = registry.start(Caller(request)).task
      requests[task] = request
      return task
    }
    let light = start(theme: "light")
    let dark = start(theme: "dark")
    let alsoLight = start(theme: "light")
    let fetch = try #require(registry.loads.tree.fetch(of: light))
    #expect(
      registry.loads.tree.tasks(of: fetch) == [light, dark, alsoLight], "the header did not matter so far")

    let (identity, actions) = registry.responded(fetch, ["Vary": "X-Theme"]) { requests[$0] }

    let other = try #require(registry.loads.tree.fetch(of: dark))
    #expect(registry.loads.tree.tasks(of: fetch) == [light, alsoLight])
    #expect(other != fetch && registry.loads.tree.tasks(of: other) == [dark])
    #expect(identity == registry.loads.tree[fetch]?.request.identity && identity != request().identity)
    #expect(actions.contains(.moveTask(dark, from: fetch, to: other)))
    #expect(actions.map(words).sorted() == ["fetch a.jpg", "move task"])

    // The names are known from now on.
    let counted = try #require(requests[dark]).identity
    #expect(registry.loads.tree[other]?.request.identity == registry.varying.counting(counted))
  }

  @Test func responseWithoutVaryMovesNoCaller() throws {
    var registry = LoadRegistry()
    let task = registry.start(Caller(request())).task
    let fetch = try #require(registry.loads.tree.fetch(of: task))
    let (identity, actions) = registry.responded(fetch, ["Content-Type": "image/png"]) { _ in request() }
    #expect(identity == nil && actions.isEmpty)
  }

  @Test func actionsOfEqualStagesAndImagesAreEqual() {
    let image = Image.solid(width: 1, height: 1)
    let id = ProcessedImageID(number: 1)
    let stored = LoadAction.store(id, image, request(), additionalIdentifier: nil)
    #expect(stored == .store(id, image, request(), additionalIdentifier: nil))
    #expect(stored != .store(id, .solid(width: 1, height: 1), request(), additionalIdentifier: nil))
    let task = TaskID(number: 2)
    let response = ImageResponse(image: image, source: .network)
    #expect(LoadAction.deliver([task], .success(response)) == .deliver([task], .success(response)))
    #expect(LoadAction.deliver([task], .success(response)) != .deliver([task], .failure(.cancelled)))
  }

  @Test(arguments: [Prioritization.fifo, .lifo, .newestBatch])
  func downloadOrderIsIndependentOfTheOrderOfDiskLookups(order: Prioritization) throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    registry.queue.order = order
    registry.queue.maximumActive = 1
    var actions: [LoadAction] = []
    // One download occupies the network, so that all other downloads wait.
    actions += registry.start(Caller(request("running.jpg", policy: .reload))).actions
    for name in ["a.jpg", "b.jpg", "c.jpg"] {
      registry.now += 1_000_000_000
      actions += registry.start(Caller(request(name))).actions
    }
    var lookups: [FetchID] = []
    while let lookup = actions.compactMap({ if case .lookUp(let id, _, _) = $0 { id } else { nil } })
      .first(where: { !lookups.contains($0) })
    {
      lookups.append(lookup)
      // The later of two running lookups ends first.
      if lookups.count == 2 {
        actions += registry.lookedUp(lookups[1], DiskFind())
        actions += registry.lookedUp(lookups[0], DiskFind())
      } else if lookups.count > 2 {
        actions += registry.lookedUp(lookup, DiskFind())
      }
    }
    #expect(lookups.count == 3)
    for _ in 0..<3 {
      let running = try #require(
        actions.compactMap { if case .startFetch(let id, _) = $0 { id } else { nil } }.last)
      actions += registry.fetchEnded(running, FetchEnd(.failed(.status(404))))
    }
    let names = actions.compactMap { action -> String? in
      if case .startFetch(_, let request) = action { request.url.lastPathComponent } else { nil }
    }
    #expect(
      names.dropFirst() == (order == .fifo ? ["a.jpg", "b.jpg", "c.jpg"] : ["c.jpg", "b.jpg", "a.jpg"]))
  }

  @Test func callerThatFailsWhileOthersMoveDoesNotMove() throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    var requests: [TaskID: ImageRequest] = [:]
    var tasks: [TaskID] = []
    for theme in ["light", "dark", "blue"] {
      var request = request(policy: .cacheOnly)
      request.headers["X-Theme"] = theme
      let task = registry.start(Caller(request)).task
      requests[task] = request
      tasks.append(task)
    }
    let fetch = try #require(registry.loads.tree.fetch(of: tasks[0]))
    #expect(registry.loads.tree.tasks(of: fetch) == tasks)

    // The look-up has taken so long that the next input gives it up, and fails the callers that are left.
    registry.now += Int64(LookupLine.limit * 1e9)
    let actions = registry.responded(fetch, ["Vary": "X-Theme"]) { requests[$0] }.actions

    #expect(actions.contains(.deliver([tasks[0], tasks[2]], .failure(.notCached))))
    #expect(registry.loads.tree.tasks == [tasks[1]])
  }
}
