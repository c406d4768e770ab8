/// Which pictures of which lists are loaded now, and how far each list is. Decides only; whoever asks does the work.
///
/// List by list in the order in which they came, and each from its beginning.
struct PrefetchPlan {
  /// A list, in the order of arrival.
  struct ListID: Hashable, Comparable {
    let number: Int

    static func < (a: ListID, b: ListID) -> Bool { a.number < b.number }
  }

  /// A picture of a list, by its place in it.
  struct Item: Hashable {
    let list: ListID
    let index: Int
  }

  /// What is to be done.
  struct Steps: Equatable {
    var loads: [Item] = []
    var cancellations: [Item] = []
    var reports: [Report] = []
  }

  /// What somebody hears.
  enum Report: Equatable {
    /// A picture of a list is over.
    case progress(Item, isLoaded: Bool, ImagePrefetch.Progress)
    /// A list is over.
    case end(ListID, ImagePrefetch.Progress)
    /// No list is left; the sum of all since the last time that none was.
    case allEnded(ImagePrefetch.Progress)
  }

  private struct List {
    var progress: ImagePrefetch.Progress
    /// Begun, ended or not.
    var begun = 0
    var active: Set<Int> = []
  }

  /// Below 1 counts as 1.
  var maximumActive = 3
  var isPaused = false

  private var lists: [ListID: List] = [:]
  /// Those that have pictures which have not begun; the first of them is next.
  private var waiting: [ListID] = []
  private var activeCount = 0
  private var lastNumber = 0
  private var sum = ImagePrefetch.Progress()

  /// Lists that are not over.
  var runningCount: Int { lists.count }

  func isActive(_ item: Item) -> Bool { lists[item.list]?.active.contains(item.index) == true }

  mutating func add(count: Int) -> (ListID, Steps) {
    lastNumber += 1
    let id = ListID(number: lastNumber)
    lists[id] = List(progress: .init(total: count))
    sum.total += count
    var steps = Steps()
    if count > 0 {
      waiting.append(id)
      start(&steps)
    } else {
      end(id, &steps)
    }
    return (id, steps)
  }

  /// What may begin by now, after a bound or the pause has changed.
  mutating func resumed() -> Steps {
    var steps = Steps()
    start(&steps)
    return steps
  }

  /// A load is over; nothing for one of a list that was given up.
  mutating func ended(_ item: Item, isLoaded: Bool) -> Steps {
    var steps = Steps()
    guard lists[item.list]?.active.remove(item.index) != nil else { return steps }
    activeCount -= 1
    count(1, skipped: isLoaded ? 0 : 1, of: item.list)
    if let list = lists[item.list] {
      steps.reports.append(.progress(item, isLoaded: isLoaded, list.progress))
      if list.progress.isOver { end(item.list, &steps) }
    }
    start(&steps)
    return steps
  }

  /// Gives a list up: what is left of it counts as skipped.
  mutating func cancel(_ id: ListID) -> Steps {
    var steps = Steps()
    guard let list = lists[id] else { return steps }
    let rest = list.progress.total - list.progress.finished
    steps.cancellations = list.active.sorted().map { Item(list: id, index: $0) }
    activeCount -= list.active.count
    waiting.removeAll { $0 == id }
    count(rest, skipped: rest, of: id)
    end(id, &steps)
    start(&steps)
    return steps
  }

  mutating func cancelAll() -> Steps {
    var steps = Steps()
    // First of all nothing may begin.
    waiting = []
    for id in lists.keys.sorted() {
      let more = cancel(id)
      steps.cancellations += more.cancellations
      steps.reports += more.reports
    }
    return steps
  }

  private mutating func count(_ finished: Int, skipped: Int, of id: ListID) {
    lists[id]?.progress.finished += finished
    lists[id]?.progress.skipped += skipped
    sum.finished += finished
    sum.skipped += skipped
  }

  private mutating func end(_ id: ListID, _ steps: inout Steps) {
    guard let list = lists.removeValue(forKey: id) else { return }
    // The delegate learns that all lists have ended before the completion handlers of the last list are called.
    if lists.isEmpty {
      steps.reports.append(.allEnded(sum))
      sum = .init()
    }
    steps.reports.append(.end(id, list.progress))
  }

  private mutating func start(_ steps: inout Steps) {
    while !isPaused, activeCount < max(1, maximumActive), let id = waiting.first, let list = lists[id] {
      steps.loads.append(Item(list: id, index: list.begun))
      lists[id]?.active.insert(list.begun)
      lists[id]?.begun += 1
      activeCount += 1
      if list.begun + 1 == list.progress.total { waiting.removeFirst() }
    }
  }
}
