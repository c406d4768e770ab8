import Testing
import VitrineTesting

@testable import VitrineLoading

/// The decisions about stored responses.
struct DiskPlanTests {
  private let second: Int64 = 1_000_000_000
  private let id = FetchID(number: 1)

  private func copy(age: Double, _ control: String = "max-age=60", bytes: Int = 1) -> StoredCopy {
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": control])
    let stored = StoredResponse(
      response: response, body: Array(repeating: 1, count: bytes), requested: 1000 - age,
      received: 1000 - age)
    return StoredCopy(stored, body: stored.body, at: 1000, rules: FreshnessRules())
  }

  private func plan(
    _ policy: ImageRequest.CachePolicy = .useCache, staleAfter: Double = .infinity, copyLimit: Int = .max
  ) -> DiskPlan {
    var plan = DiskPlan(isEnabled: true, staleAfter: staleAfter, copyLimit: copyLimit)
    #expect(plan.join(id, request(policy: policy)) == true)
    return plan
  }

  @Test func freshResponseIsShown() {
    var plan = plan()
    #expect(plan.beginsWithLookup(id) == true)
    let copy = copy(age: 0)
    #expect(plan.lookedUp(id, DiskFind(copy: copy), isCacheOnly: false) == .show(copy.freshBytes))
  }

  @Test func staleResponseWaitsForTheServer() {
    var plan = plan()
    let copy = copy(age: 100, "max-age=60")
    #expect(plan.lookedUp(id, DiskFind(copy: copy), isCacheOnly: false) == .askServer)
    #expect(plan[id].copy === copy)

    #expect(plan.takeCopy(of: id, because: .status(404)) == nil, "the server has responded")
    #expect(plan.takeCopy(of: id, because: .status(500)) === copy)
    #expect(plan.takeCopy(of: id, because: .status(500)) == nil)
  }

  @Test func staleWhileRevalidateIsShownAndRevalidated() {
    var plan = plan()
    let copy = copy(age: 100, "max-age=60, stale-while-revalidate=60")
    #expect(
      plan.lookedUp(id, DiskFind(copy: copy), isCacheOnly: false) == .showAndRevalidate(copy.staleBytes()))
    let failed = DiskFind(copy: copy, failure: .status(503))
    #expect(
      plan.lookedUp(id, failed, isCacheOnly: false) == .show(copy.staleBytes(because: .status(503))),
      "a server that failed a short time ago is not asked")
  }

  @Test func missingResponse() {
    var plan = plan()
    #expect(plan.lookedUp(id, DiskFind(), isCacheOnly: false) == .askServer)
    #expect(plan.lookedUp(id, DiskFind(), isCacheOnly: true) == .fail(.notCached))
    #expect(
      plan.lookedUp(id, DiskFind(failure: .status(503)), isCacheOnly: false) == .fail(.status(503)))
  }

  @Test func refreshAsksTheServerWithTheStoredResponse() {
    var plan = plan(.refresh)
    let copy = copy(age: 0)
    #expect(plan.lookedUp(id, DiskFind(copy: copy), isCacheOnly: false) == .askServer)
    #expect(plan[id].copy === copy)
  }

  @Test func reloadDoesNotLookUp() {
    var plan = plan(.reload)
    #expect(plan.beginsWithLookup(id) == false)
  }

  @Test func strictestCachePolicyAppliesToTheFetch() {
    var plan = plan()
    #expect(plan.join(id, request(policy: .refresh)) == false, "the fetch is stored already")
    #expect(plan.join(id, request()) == false)
    #expect(plan[id].use == .conditional)
  }

  @Test func oneRequestThatKeepsTheStoredResponseIsEnough() {
    var plan = plan()
    #expect(!plan[id].keepsStoredResponse)
    var keeping = request()
    keeping.keepsStoredResponse = true
    #expect(plan.join(id, keeping) == false)
    #expect(plan.join(id, request()) == false)
    #expect(plan[id].keepsStoredResponse)
  }

  @Test func fetchWithoutADiskCacheIsUnknown() {
    var plan = DiskPlan()
    #expect(plan.join(id, request()) == false)
    #expect(plan.beginsWithLookup(id) == false)
    #expect(plan.settle(id) == false)
  }

  @Test func responseIsStoredOnce() {
    var plan = plan()
    #expect(plan.settle(id) == true)
    #expect(plan.settle(id) == false)
    plan.received(id)
    #expect(plan.settle(id) == true, "other bytes")
    plan.received(id)
    plan.outdate(id)
    #expect(plan.settle(id) == false, "a newer fetch has brought newer bytes")
  }

  @Test func lateLookupServesAFailedServer() {
    var plan = plan()
    plan.goAhead(id)
    #expect(plan.waitsForLookup(id, because: .status(404)) == false)
    #expect(plan.waitsForLookup(id, because: .status(500)) == true)
    #expect(plan[id].serverError == .status(500))

    let copy = copy(age: 100)
    #expect(
      plan.lookedUp(id, DiskFind(copy: copy), isCacheOnly: false) == .showCopy(because: .status(500)))
  }

  @Test func lateLookupIsUsedOnce() {
    var plan = plan()
    let find = DiskFind(copy: copy(age: 0))
    #expect(plan.foundLate(id, find) == nil, "the lookup is in time")
    plan.goAhead(id)
    let foundFresh = plan.foundLate(id, find)?.isFresh
    #expect(foundFresh == true)
    #expect(plan.foundLate(id, find) == nil)
  }

  @Test func storedResponsesInMemoryAreBounded() {
    var plan = plan(copyLimit: 10)
    plan.setCopy(copy(age: 0, bytes: 9), of: id)
    #expect(!plan.isFull)
    plan.setCopy(copy(age: 0, bytes: 10), of: id)
    #expect(plan.isFull)
    #expect(plan.takeCandidates() == [id])
    #expect(plan.takeCandidates() == [], "nothing has changed since")

    plan.releaseHeldCopy(of: id)
    #expect(!plan.isFull)
    #expect(plan.takeIsReleased(id) == true)
    #expect(plan.takeIsReleased(id) == false)
  }

  @Test func removedFetchReleasesItsResponse() {
    var plan = plan(copyLimit: 1)
    plan.setCopy(copy(age: 0), of: id)
    plan.remove(id)
    #expect(!plan.isFull)
    plan.setCopy(copy(age: 0), of: id)
    #expect(!plan.isFull, "an unknown fetch")
  }

  @Test func deadlineForTheStoredResponseDoesNotMove() {
    var plan = plan(staleAfter: 2)
    #expect(plan.limitWaiting(id, at: 0) == 2 * second)
    #expect(plan.limitWaiting(id, at: second) == nil, "a call is scheduled")
    #expect(plan.takeOverdue(at: second).due == [])
    #expect(plan.takeOverdue(at: 2 * second).due == [id])
    #expect(plan.limitWaiting(id, at: 3 * second) == 3 * second, "a late caller does not wait again")
  }

  @Test func callAtADeadlineIsScheduledOnce() {
    let other = FetchID(number: 2)
    var plan = plan(staleAfter: 2)
    #expect(plan.limitWaiting(id, at: 0) == 2 * second)
    #expect(plan.limitWaiting(other, at: second) == nil)

    // Calls for other reasons than a deadline.
    for _ in 0..<3 { #expect(plan.takeOverdue(at: second).next == nil) }

    #expect(plan.takeOverdue(at: 2 * second).next == 3 * second)
    #expect(plan.takeOverdue(at: 2 * second).next == nil)
    #expect(plan.takeOverdue(at: 3 * second).due == [other])
    #expect(plan.takeOverdue(at: 3 * second).next == nil)
  }

  @Test func damagedStoredResponseIsFetchedAgainOnce() {
    var plan = plan()
    func finds(_ source: ImageResponse.Source, _ error: ImageError, isProbe: Bool = false) -> Bool {
      plan.findsOtherBytes(for: id, from: source, after: error, isProbe: isProbe)
    }
    #expect(finds(.disk, .tooLarge(.body(bytes: 1))) == false, "the bytes are not damaged")
    #expect(finds(.disk, .emptyBody) == true)
    #expect(plan.takeDamage(id) == .emptyBody)
    #expect(plan.takeDamage(id) == nil)
    plan.heal(id)
    #expect(finds(.disk, .emptyBody) == false)

    #expect(finds(.network, .emptyBody) == false, "there is no stored response")
    plan.setCopy(copy(age: 100), of: id)
    #expect(finds(.network, .emptyBody, isProbe: true) == false)
    #expect(finds(.network, .emptyBody) == true)
  }
}
