/// Who wants to be called in a frame, and when; in the order they asked.
///
/// A screen of pictures that all fade in has hundreds of them, each of which asks anew in every frame.
/// Not isolated, because closures on the main actor check where they run at each call.
nonisolated struct FrameRequests {
  struct Request {
    let observer: any FrameObserver
    let time: Double
    let keepsBusy: Bool
    /// The frame after which it wants the next one, should that come before `time`; nil for one that wants `time`.
    fileprivate let frame: Double?
    fileprivate let number: Int

    fileprivate func isDue(at now: Double) -> Bool { time <= now || frame.map { $0 < now } == true }
  }

  private var requests: [ObjectIdentifier: Request] = [:]
  private var lastNumber = 0

  /// The number of requests made so far.
  var requestCount: Int { lastNumber }

  /// The earliest time that somebody asked for; nil without requests. O(n).
  var nextDeadline: Double? { requests.values.lazy.map(\.time).min() }

  /// Whether somebody works at something that ends. O(n).
  var isBusy: Bool { requests.values.contains { $0.keepsBusy } }

  /// The observers whose time has come. O(n), and sorts them.
  func due(at now: Double) -> [any FrameObserver] {
    requests.values.filter { $0.isDue(at: now) }.sorted { $0.number < $1.number }.map(\.observer)
  }

  mutating func insert(
    _ observer: any FrameObserver, at time: Double, orAfter frame: Double? = nil, keepsBusy: Bool
  ) {
    lastNumber += 1
    requests[ObjectIdentifier(observer)] = Request(
      observer: observer, time: time, keepsBusy: keepsBusy, frame: frame, number: lastNumber)
  }

  /// Removes the request of an observer and returns it; nil if it has none.
  @discardableResult
  mutating func remove(_ observer: any FrameObserver) -> Request? {
    requests.removeValue(forKey: ObjectIdentifier(observer))
  }
}
