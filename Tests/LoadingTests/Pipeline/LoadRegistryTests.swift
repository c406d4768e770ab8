import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The decisions of the load registry, without effects: inputs in, actions out.
@Suite struct LoadRegistryTests: RegistrySteps {
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
}
