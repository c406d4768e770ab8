/// The pending requests of frame observers, at most one per observer, served in the order of the requests.
///
/// A screen of images that all fade in has hundreds of requests, each renewed in every frame. Not isolated, because
/// closures on the main actor check their executor at each call.
nonisolated struct FrameRequests {
  struct Request {
    let observer: any FrameObserver
    let time: Double
    let keepsBusy: Bool
    /// The frame after which the observer is called, if a frame comes before `time`; `nil` waits for `time`.
    fileprivate let frame: Double?
    fileprivate let number: Int

    fileprivate func isDue(at now: Double) -> Bool { time <= now || frame.map { $0 < now } == true }
  }

  private var requests: [ObjectIdentifier: Request] = [:]
  private var lastNumber = 0

  /// The number of requests made so far.
  var requestCount: Int { lastNumber }

  /// The earliest requested time; `nil` without requests. O(n).
  var nextDeadline: Double? { requests.values.lazy.map(\.time).min() }

  /// True if an observer performs work that ends, for example a fade. O(n).
  var isBusy: Bool { requests.values.contains { $0.keepsBusy } }

  /// Returns the observers that are due, in the order of their requests. O(n log n).
  func dueObservers(at now: Double) -> [any FrameObserver] {
    var due: [Request] = []
    due.reserveCapacity(requests.values.count { $0.isDue(at: now) })
    for request in requests.values where request.isDue(at: now) { due.append(request) }
    due.sort { $0.number < $1.number }
    return due.map(\.observer)
  }

  /// Returns the observers of a class that have requests. O(n).
  func observers<Observer: FrameObserver>(of type: Observer.Type) -> [Observer] {
    requests.values.compactMap { $0.observer as? Observer }
  }

  mutating func insert(
    _ observer: any FrameObserver, at time: Double, orAfter frame: Double? = nil, keepsBusy: Bool
  ) {
    lastNumber += 1
    requests[ObjectIdentifier(observer)] = Request(
      observer: observer, time: time, keepsBusy: keepsBusy, frame: frame, number: lastNumber)
  }

  /// Removes the request of an observer and returns it; `nil` if the observer has no request.
  @discardableResult
  mutating func remove(_ observer: any FrameObserver) -> Request? {
    requests.removeValue(forKey: ObjectIdentifier(observer))
  }
}
