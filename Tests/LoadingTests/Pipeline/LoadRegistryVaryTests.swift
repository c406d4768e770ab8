import Testing
import VitrineConcurrency

@testable import VitrineLoading

/// Loads that part when a response varies with a header of their requests.
@Suite struct LoadRegistryVaryTests: RegistrySteps {
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
