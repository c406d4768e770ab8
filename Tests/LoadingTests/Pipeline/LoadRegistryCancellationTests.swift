import Testing
import VitrineConcurrency
import VitrineGraphics

@testable import VitrineLoading

/// The actions of the load registry when tasks are cancelled.
@Suite struct LoadRegistryCancellationTests: RegistrySteps {
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

  @Test func secondCancellationAndLateFetchEndDoNothing() throws {
    var registry = LoadRegistry()
    let (task, _) = start(&registry, request())
    let fetch = try #require(registry.loads.tree.fetch(of: task))

    #expect(registry.cancel(task).map(words) == ["fail 1: cancelled", "cancel fetch"])
    #expect(registry.cancel(task).isEmpty)
    #expect(registry.fetchEnded(fetch, .success(bytes)).isEmpty, "AF-D27")
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func cancelAllFailsEachTaskAndCancelsRunningFetches() {
    var registry = LoadRegistry()
    for number in 0..<10 { _ = start(&registry, request("\(number)")) }

    let actions = registry.cancelAll()

    #expect(actions.map(words) == ["fail 10: cancelled"] + Array(repeating: "cancel fetch", count: 4))
    #expect(registry.loads.tree.isEmpty)
    #expect(registry.cancelAll().isEmpty)
  }
}
