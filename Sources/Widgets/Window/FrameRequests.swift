/// Who wants to be called in a frame, and when; in the order they asked.
struct FrameRequests {
  struct Request {
    let observer: any FrameObserver
    let time: Double
    let keepsBusy: Bool
  }

  private var requests: [Request] = []

  /// The earliest time that somebody asked for; nil without requests. O(n), n being few.
  var nextDeadline: Double? { requests.lazy.map(\.time).min() }

  /// Whether somebody works at something that ends.
  var isBusy: Bool { requests.contains { $0.keepsBusy } }

  /// The observers whose time has come.
  func due(at now: Double) -> [any FrameObserver] {
    requests.filter { $0.time <= now }.map(\.observer)
  }

  mutating func insert(_ observer: any FrameObserver, at time: Double, keepsBusy: Bool) {
    remove(observer)
    requests.append(Request(observer: observer, time: time, keepsBusy: keepsBusy))
  }

  /// Removes the request of an observer and returns it; nil if it has none.
  @discardableResult
  mutating func remove(_ observer: any FrameObserver) -> Request? {
    guard let index = requests.firstIndex(where: { $0.observer === observer }) else { return nil }
    return requests.remove(at: index)
  }
}
