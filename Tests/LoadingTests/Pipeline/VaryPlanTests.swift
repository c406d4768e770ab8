import Testing
import VitrineTesting

@testable import VitrineLoading

/// The callers of a fetch, split by the headers that the server names in `Vary`.
struct VaryPlanTests {
  private func themed(_ theme: String) -> ImageRequest {
    var request = request()
    request.headers["X-Theme"] = theme
    return request
  }

  @Test func responseWithoutVaryServesAllCallers() {
    var (plan, tree) = (VaryPlan(), StageTree())
    let place = tree.join(Caller(themed("light")), fetch: nil)
    let split = plan.split(place.fetch, ["Content-Type": "image/png"], AddedCredentials(), in: tree) { _ in
      themed("light")
    }
    #expect(split == nil)
    #expect(plan.counting(themed("light").identity) == plan.counting(themed("dark").identity))
  }

  @Test func callerWithAnotherValueSendsARequestOfItsOwn() throws {
    var (plan, tree) = (VaryPlan(), StageTree())
    let light = tree.join(Caller(themed("light")), fetch: nil)
    let dark = tree.join(Caller(themed("dark"), "name", isPaused: true), fetch: light.fetch)

    let result = plan.split(light.fetch, ["Vary": "X-Theme"], AddedCredentials(), in: tree) { task in
      themed(task == dark.task ? "dark" : "light")
    }

    let split = try #require(result)
    #expect(split.identity == plan.counting(themed("light").identity))
    #expect(split.others.map { $0.task } == [dark.task])
    let caller = try #require(split.others.first).caller
    #expect(caller.request.identity == plan.counting(themed("dark").identity))
    #expect(caller.additionalIdentifier == "name" && caller.isPaused)
  }

  @Test func callerStaysWhenTheCredentialsChangeBetweenAttempts() throws {
    var (plan, tree) = (VaryPlan(), StageTree())
    var first = request()
    first.identity = first.identity.sentWith(CredentialDigests(cookie: "1"))
    let given = first
    let place = tree.join(Caller(given), fetch: nil)

    for cookie in ["2", "3"] {
      let credentials = CredentialDigests(cookie: cookie)
      let result = plan.split(
        place.fetch, ["Vary": "Cookie"], AddedCredentials(sent: credentials, current: credentials), in: tree
      ) { _ in
        given
      }
      let split = try #require(result)
      #expect(split.others.map { $0.task } == [], "attempt with cookie \(cookie)")
      #expect(split.staying.map { $0.task } == [place.task])
      tree.setIdentity(split.identity, of: place.fetch)
      for (task, identity) in split.staying { tree.setIdentity(identity, of: task) }
    }
  }
}
