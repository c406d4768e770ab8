import Testing

@testable import VitrineLoading

/// Decisions about prefetch lists, without loading images.
@Suite struct PrefetchPlanTests {
  @Test func eachFinishedLoadStartsTheNextWithinTheLimit() {
    var plan = PrefetchPlan()
    let (id, steps) = plan.add(count: 5)
    #expect(steps.loads.map(\.index) == [0, 1, 2])

    let next = plan.ended(item(id, 1), isLoaded: true)

    #expect(next.loads == [item(id, 3)])
    #expect(next.reports == [.progress(item(id, 1), isLoaded: true, progress(1, 0, 5))])
  }

  @Test func listsStartInOrderOfArrival() {
    var plan = PrefetchPlan()
    let (first, _) = plan.add(count: 4)
    let (second, steps) = plan.add(count: 2)

    #expect(steps.loads == [])
    #expect(plan.ended(item(first, 0), isLoaded: true).loads == [item(first, 3)])
    #expect(plan.ended(item(first, 1), isLoaded: true).loads == [item(second, 0)])
    #expect(plan.runningCount == 2)
  }

  @Test func emptyListEndsImmediately() {
    var plan = PrefetchPlan()

    let (id, steps) = plan.add(count: 0)

    #expect(steps.reports == [.allEnded(progress(0, 0, 0)), .end(id, progress(0, 0, 0))])
    #expect(plan.runningCount == 0)
  }

  @Test func limitBelowOneCountsAsOneAndRaisingItStartsLoads() {
    var plan = PrefetchPlan()
    plan.maximumActive = -3
    let (_, steps) = plan.add(count: 5)
    #expect(steps.loads.count == 1)

    plan.maximumActive = 3

    #expect(plan.resumed().loads.map(\.index) == [1, 2])
  }

  @Test func pausedPlanStartsNoLoads() {
    var plan = PrefetchPlan()
    let (id, _) = plan.add(count: 5)
    plan.isPaused = true
    #expect(plan.ended(item(id, 0), isLoaded: true).loads == [])
    #expect(plan.add(count: 1).1.loads == [])

    plan.isPaused = false

    #expect(plan.resumed().loads == [item(id, 3)])
  }

  @Test func cancelledListSkipsItsRemainingItemsAndStartsTheNextList() {
    var plan = PrefetchPlan()
    let (first, _) = plan.add(count: 5)
    let (second, _) = plan.add(count: 5)
    _ = plan.ended(item(first, 0), isLoaded: true)

    let steps = plan.cancel(first)

    #expect(steps.cancellations == [1, 2, 3].map { item(first, $0) })
    #expect(steps.reports == [.end(first, progress(5, 4, 5))])
    #expect(steps.loads == [0, 1, 2].map { item(second, $0) })
    #expect(plan.cancel(first) == PrefetchPlan.Steps())
    #expect(plan.ended(item(first, 1), isLoaded: true) == PrefetchPlan.Steps())
  }

  @Test func cancellingAllStartsNothingAndReportsTheTotal() {
    var plan = PrefetchPlan()
    let (first, _) = plan.add(count: 4)
    let (second, _) = plan.add(count: 2)
    _ = plan.ended(item(first, 0), isLoaded: false)

    let steps = plan.cancelAll()

    #expect(steps.loads == [])
    #expect(steps.cancellations == [1, 2, 3].map { item(first, $0) })
    #expect(
      steps.reports == [
        .end(first, progress(4, 4, 4)), .allEnded(progress(6, 6, 6)), .end(second, progress(2, 2, 2)),
      ])
    #expect(plan.cancelAll() == PrefetchPlan.Steps())
    #expect(plan.add(count: 1).1.loads.count == 1)
  }

  @Test func totalRestartsAfterTheLastListEnds() {
    var plan = PrefetchPlan()
    let (first, _) = plan.add(count: 2)
    _ = plan.ended(item(first, 0), isLoaded: true)
    let end = plan.ended(item(first, 1), isLoaded: false)
    #expect(end.reports.dropLast().last == .allEnded(progress(2, 1, 2)))

    let (second, _) = plan.add(count: 1)
    let next = plan.ended(item(second, 0), isLoaded: true)

    #expect(next.reports.suffix(2) == [.allEnded(progress(1, 0, 1)), .end(second, progress(1, 0, 1))])
  }

  @Test func repeatedEndOfAnItemCountsOnce() {
    var plan = PrefetchPlan()
    let (id, _) = plan.add(count: 2)
    _ = plan.ended(item(id, 0), isLoaded: true)

    #expect(plan.ended(item(id, 0), isLoaded: true) == PrefetchPlan.Steps())
    #expect(plan.runningCount == 1)
  }

  @Test func cancelledItemsAreSkippedAndTheListContinues() {
    var plan = PrefetchPlan()
    let (id, _) = plan.add(count: 6)
    _ = plan.ended(item(id, 0), isLoaded: true)

    let steps = plan.cancel([item(id, 0), item(id, 2), item(id, 4), item(id, 4)])

    #expect(steps.cancellations == [item(id, 2)])
    #expect(steps.loads == [item(id, 5)])
    #expect(
      steps.reports == [
        .progress(item(id, 2), isLoaded: false, progress(2, 1, 6)),
        .progress(item(id, 4), isLoaded: false, progress(3, 2, 6)),
      ])
    #expect(plan.remaining == [1, 3, 5].map { item(id, $0) })
  }

  @Test func cancellingTheLastItemsEndsTheList() {
    var plan = PrefetchPlan()
    plan.maximumActive = 1
    let (first, _) = plan.add(count: 3)
    let (second, _) = plan.add(count: 1)
    #expect(plan.cancel([item(first, 1), item(first, 2)]).loads == [])

    let steps = plan.cancel([item(first, 0)])

    #expect(steps.cancellations == [item(first, 0)])
    #expect(steps.loads == [item(second, 0)])
    #expect(steps.reports.last == .end(first, progress(3, 3, 3)))
    #expect(plan.cancel([item(first, 0)]) == PrefetchPlan.Steps())
    #expect(plan.remaining == [item(second, 0)])
  }

  @Test func cancellingAllItemsOfAWaitingListEndsItOnce() {
    var plan = PrefetchPlan()
    plan.isPaused = true
    let (first, _) = plan.add(count: 2)
    let (second, _) = plan.add(count: 1)

    let steps = plan.cancel(plan.remaining.filter { $0.list == first })
    plan.isPaused = false

    #expect(steps.reports.last == .end(first, progress(2, 2, 2)))
    #expect(plan.resumed().loads == [item(second, 0)])
    #expect(plan.runningCount == 1)
  }

  @Test func postponedImagesStartAgainBeforeTheRest() {
    var plan = PrefetchPlan()
    plan.maximumActive = 1
    let (first, _) = plan.add(count: 3)
    let (second, _) = plan.add(count: 1)
    #expect(plan.postpone(item(first, 0)).loads == [item(first, 1)], "a stored image may follow")
    #expect(plan.postpone(item(first, 1)).loads == [item(first, 2)])
    #expect(plan.remaining == [item(first, 0), item(first, 1), item(first, 2), item(second, 0)])

    #expect(plan.online().loads == [], "one at a time")
    #expect(plan.ended(item(first, 2), isLoaded: true).loads == [item(first, 0)])
    #expect(plan.ended(item(first, 0), isLoaded: true).loads == [item(first, 1)])
    let steps = plan.ended(item(first, 1), isLoaded: true)
    #expect(steps.loads == [item(second, 0)])
    #expect(steps.reports.last == .end(first, progress(3, 0, 3)))
  }

  @Test func listWithPostponedImagesDoesNotEnd() {
    var plan = PrefetchPlan()
    let (id, _) = plan.add(count: 1)
    #expect(plan.postpone(item(id, 0)).reports == [])
    #expect(plan.runningCount == 1)
    #expect(plan.postpone(item(id, 0)) == PrefetchPlan.Steps(), "not active")
    #expect(plan.online().loads == [item(id, 0)])
    #expect(plan.online().loads == [])
  }

  @Test func postponedImagesCanBeCancelled() {
    var plan = PrefetchPlan()
    plan.maximumActive = 1
    let (id, _) = plan.add(count: 3)
    _ = plan.postpone(item(id, 0))
    _ = plan.postpone(item(id, 1))
    #expect(plan.cancel([item(id, 0)]).reports.count == 1)
    _ = plan.online()
    #expect(plan.cancel([item(id, 1)]).reports.count == 1)
    let steps = plan.ended(item(id, 2), isLoaded: true)
    #expect(steps.loads == [])
    #expect(steps.reports.last == .end(id, progress(3, 2, 3)))
  }

  private func item(_ list: PrefetchPlan.ListID, _ index: Int) -> PrefetchPlan.Item {
    PrefetchPlan.Item(list: list, index: index)
  }

  private func progress(_ finished: Int, _ skipped: Int, _ total: Int) -> ImagePrefetch.Progress {
    var progress = ImagePrefetch.Progress(total: total)
    progress.finished = finished
    progress.skipped = skipped
    return progress
  }
}
