/// Decides which images of which lists are loaded now, and counts the progress of each list. Makes no calls.
///
/// Lists are loaded in the order in which they were added, and each list from its start.
struct PrefetchPlan {
  /// The number of a list, in the order of arrival.
  struct ListID: Hashable, Comparable {
    let number: Int

    static func < (a: ListID, b: ListID) -> Bool { a.number < b.number }
  }

  /// An image of a list, by its index there.
  struct Item: Hashable {
    let list: ListID
    let index: Int
  }

  /// The steps to carry out.
  struct Steps: Equatable {
    var loads: [Item] = []
    var cancellations: [Item] = []
    var reports: [Report] = []
  }

  /// A report to the handlers and the delegate.
  enum Report: Equatable {
    /// An image of a list has ended.
    case progress(Item, isLoaded: Bool, ImagePrefetch.Progress)
    /// A list has ended.
    case end(ListID, ImagePrefetch.Progress)
    /// No list is left. The progress is the sum of all lists since the last such report.
    case allEnded(ImagePrefetch.Progress)
  }

  private struct List {
    var progress: ImagePrefetch.Progress
    /// The index of the image to start next.
    var nextIndex = 0
    var active: Set<Int> = []
    /// The indices of images that were cancelled before they were started.
    var dropped: Set<Int> = []
    /// The indices of images that were started while the downloader was offline, and are not stored.
    var postponed: Set<Int> = []
    /// The indices of postponed images to start again, the last one first.
    var repeated: [Int] = []

    var hasImagesToStart: Bool { !repeated.isEmpty || nextIndex < progress.total }

    /// The indices of the images that have not ended.
    var remaining: [Int] {
      (active.union(postponed).union(repeated)).sorted()
        + (nextIndex..<progress.total).filter { !dropped.contains($0) }
    }

    mutating func takeNext() -> Int {
      if let index = repeated.popLast() { return index }
      defer { nextIndex += 1 }
      return nextIndex
    }

    /// Removes an image that waits to be started again. Returns false if it does not.
    mutating func removePostponed(_ index: Int) -> Bool {
      if postponed.remove(index) != nil { return true }
      guard let position = repeated.firstIndex(of: index) else { return false }
      repeated.remove(at: position)
      return true
    }
  }

  /// The maximum number of concurrent loads; below 1 counts as 1.
  var maximumActive = 3
  var isPaused = false

  private var lists: [ListID: List] = [:]
  /// The lists that have images to start; the first list is next.
  private var waiting: [ListID] = []
  private var activeCount = 0
  private var lastNumber = 0
  private var sum = ImagePrefetch.Progress()

  /// The number of lists that have not ended.
  var runningCount: Int { lists.count }

  /// The images that have not ended, list after list. O(n) in the number of images in these lists.
  var remaining: [Item] {
    lists.sorted { $0.key < $1.key }.flatMap { id, list in
      list.remaining.map { Item(list: id, index: $0) }
    }
  }

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

  /// Returns the loads that may start after the limit or the pause has changed.
  mutating func resumed() -> Steps {
    var steps = Steps()
    start(&steps)
    return steps
  }

  /// Records the end of a load. Returns no steps for a list that was cancelled.
  mutating func ended(_ item: Item, isLoaded: Bool) -> Steps {
    var steps = Steps()
    guard lists[item.list]?.active.remove(item.index) != nil else { return steps }
    activeCount -= 1
    finish(item, isLoaded: isLoaded, &steps)
    start(&steps)
    return steps
  }

  /// Records that an image could not be loaded because the downloader is offline. The image waits for `online()`.
  mutating func postpone(_ item: Item) -> Steps {
    var steps = Steps()
    guard lists[item.list]?.active.remove(item.index) != nil else { return steps }
    activeCount -= 1
    lists[item.list]?.postponed.insert(item.index)
    start(&steps)
    return steps
  }

  /// Starts postponed images again, because the downloader is no longer offline.
  mutating func online() -> Steps {
    var steps = Steps()
    for (id, list) in lists where !list.postponed.isEmpty {
      lists[id]?.repeated = list.postponed.union(list.repeated).sorted(by: >)
      lists[id]?.postponed = []
    }
    waiting = lists.filter(\.value.hasImagesToStart).keys.sorted()
    start(&steps)
    return steps
  }

  /// Cancels a list. Its remaining images count as skipped.
  mutating func cancel(_ id: ListID) -> Steps {
    var steps = Steps()
    guard let list = lists[id] else { return steps }
    let remaining = list.progress.total - list.progress.finished
    steps.cancellations = list.active.sorted().map { Item(list: id, index: $0) }
    activeCount -= list.active.count
    count(remaining, skipped: remaining, of: id)
    end(id, &steps)
    start(&steps)
    return steps
  }

  /// Cancels single images, which count as skipped. Images that have ended are ignored.
  mutating func cancel(_ items: [Item]) -> Steps {
    var steps = Steps()
    for item in items {
      guard let list = lists[item.list] else { continue }
      if lists[item.list]?.active.remove(item.index) != nil {
        activeCount -= 1
        steps.cancellations.append(item)
      } else if lists[item.list]?.removePostponed(item.index) == true {
        // No load is under way.
      } else if item.index < list.nextIndex || lists[item.list]?.dropped.insert(item.index).inserted != true {
        continue
      }
      finish(item, isLoaded: false, &steps)
    }
    start(&steps)
    return steps
  }

  mutating func cancelAll() -> Steps {
    var steps = Steps()
    // Cleared first, so that the end of one list starts no image of another.
    waiting = []
    for id in lists.keys.sorted() {
      let cancelled = cancel(id)
      steps.cancellations += cancelled.cancellations
      steps.reports += cancelled.reports
    }
    return steps
  }

  private mutating func count(_ finished: Int, skipped: Int, of id: ListID) {
    lists[id]?.progress.finished += finished
    lists[id]?.progress.skipped += skipped
    sum.finished += finished
    sum.skipped += skipped
  }

  /// Counts and reports the end of an image, and the end of the list after the last image.
  private mutating func finish(_ item: Item, isLoaded: Bool, _ steps: inout Steps) {
    count(1, skipped: isLoaded ? 0 : 1, of: item.list)
    guard let progress = lists[item.list]?.progress else { return }
    steps.reports.append(.progress(item, isLoaded: isLoaded, progress))
    if progress.isOver { end(item.list, &steps) }
  }

  private mutating func end(_ id: ListID, _ steps: inout Steps) {
    guard let list = lists.removeValue(forKey: id) else { return }
    waiting.removeAll { $0 == id }
    // The delegate learns that all lists have ended before the completion handlers of the last list are called.
    if lists.isEmpty {
      steps.reports.append(.allEnded(sum))
      sum = .init()
    }
    steps.reports.append(.end(id, list.progress))
  }

  private mutating func start(_ steps: inout Steps) {
    while !isPaused, activeCount < max(1, maximumActive), let id = waiting.first, let list = lists[id] {
      guard list.hasImagesToStart, let index = lists[id]?.takeNext() else {
        waiting.removeFirst()
        continue
      }
      if lists[id]?.hasImagesToStart != true { waiting.removeFirst() }
      if lists[id]?.dropped.remove(index) != nil { continue }
      steps.loads.append(Item(list: id, index: index))
      lists[id]?.active.insert(index)
      activeCount += 1
    }
  }
}
