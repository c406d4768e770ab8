import VitrineGraphics

/// The resumable data of broken transfers, by request. The oldest entries are evicted first.
struct ResumableDataStore {
  /// The maximum number of bytes in total; 0 keeps no resumable data.
  var limit: Int
  private var bodies = RecentMap<RequestIdentity, ResumableData>()
  /// The number of bytes kept now.
  private(set) var bytes = 0

  init(limit: Int) { self.limit = limit }

  /// Keeps resumable data as the newest entry, in place of earlier data of the request. Data larger than `limit` are
  /// not kept.
  mutating func keep(_ body: ResumableData, for request: RequestIdentity) {
    _ = take(request)
    guard body.bytes.count <= limit else { return }
    while bytes > limit - body.bytes.count, takeOldest() != nil {}
    bodies.insert(body, for: request)
    bytes += body.bytes.count
  }

  /// Removes and returns the resumable data of a request.
  mutating func take(_ request: RequestIdentity) -> ResumableData? {
    let body = bodies.remove(request)
    bytes -= body?.bytes.count ?? 0
    return body
  }

  /// Returns true if there are resumable data of a request.
  func contains(_ request: RequestIdentity) -> Bool { bodies[request] != nil }

  /// Returns the data that may be stored on disk and were not written yet, the newest first. Notes that all data are
  /// written.
  mutating func takeUnwritten() -> [(identity: RequestIdentity, response: StoredResponse)] {
    let unwritten = bodies.oldestFirst.compactMap { request, body in
      body.unwrittenResponse.map { (request, $0) }
    }
    // In this order, so that the order of the entries does not change.
    for request in bodies.oldestFirst.map({ $0.key }) { _ = bodies.use(request) { $0.isWritten = true } }
    return unwritten.reversed()
  }

  /// Notes that the data of a request were written to disk. Does nothing if there are none.
  mutating func noteWritten(_ request: RequestIdentity) { _ = bodies.use(request) { $0.isWritten = true } }

  private mutating func takeOldest() -> ResumableData? {
    let body = bodies.removeOldest()?.value
    bytes -= body?.bytes.count ?? 0
    return body
  }

  /// Removes and returns the oldest entries with at least `bytes` bytes in total, or all entries if there are fewer.
  mutating func takeOldest(bytes requestedBytes: Int) -> [ResumableData] {
    var removed: [ResumableData] = []
    var takenBytes = 0
    while takenBytes < requestedBytes, let body = takeOldest() {
      takenBytes += body.bytes.count
      removed.append(body)
    }
    return removed
  }

  mutating func removeAll() { self = ResumableDataStore(limit: limit) }
}
