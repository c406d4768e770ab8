import Testing
import Vitrine

/// Conformances in a module without a default isolation, as most users have it: the protocols isolate the type, so that
/// it can use views and its own state without annotations.
@MainActor @Suite(.timeLimit(.minutes(5)))
struct ProtocolIsolationTests {
  class Rows: ListViewDataSource, ListViewPrefetching {
    var titles = ["a", "b"]
    var prefetched: [Int] = []

    func numberOfRows(in listView: ListView) -> Int { titles.count }
    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      let cell = listView.dequeueCell(ListCell.self)
      cell.accessibilityLabel = titles[row]
      return cell
    }
    func listView(_ listView: ListView, prefetchRows rows: [Int]) { prefetched += rows }
  }

  class Counter: SlotObserver {
    var count = 0

    func slotWillLoad() { count += 1 }
    func slotDidSettle(_ result: Result<ImageResponse, ImageError>) {}
  }

  class Work: ActivitySource {
    let observers = ActivityObservers()
    var activity = Activity.paused { didSet { observers.notify() } }

    func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
      observers.add(change)
    }
  }

  @Test func conformancesOnTheMainActorUseTheirStateAndViews() {
    let rows = Rows()
    let list = ListView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    list.dataSource = rows
    list.prefetchDataSource = rows
    list.layoutIfNeeded()
    let work = Work()
    var changes = 0
    let observation = work.observeActivity { changes += 1 }
    let counter = Counter()

    work.activity = .running(progress: nil)
    counter.slotWillLoad()

    #expect(list.cell(at: 1)?.accessibilityLabel == "b")
    #expect((changes, counter.count) == (1, 1))
    withExtendedLifetime(observation) {}
  }
}
