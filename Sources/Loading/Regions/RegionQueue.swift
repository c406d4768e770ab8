import VitrineGraphics

/// The order of regions of an image whose rows must be decompressed in sequence. One band is decoded at a time, from top
/// to bottom, so that each goes on where the last has ended. A band has the waiting regions with equal rows, up to
/// `bandBytes`.
struct RegionQueue {
  /// The maximum number of bytes of a band of several regions: 15 tiles.
  static let bandBytes = 4 << 20

  private struct Request {
    let number: Int
    let region: ImageRegion
    let rows: Range<Int>
    let priority: ImageRequest.Priority
    /// True if the region is decoded without others.
    var isAlone = false
  }

  /// A band to decode.
  struct Job: Equatable {
    /// The number of the job.
    let number: Int
    let band: RegionBand
    let priority: ImageRequest.Priority
  }

  /// The requests that have not begun, in order of arrival.
  private var waiting: [Request] = []
  /// The job that runs, and the requests of its regions; `nil` for one that was cancelled.
  private var running: (number: Int, requests: [Request?])?
  private var lastNumber = 0

  /// True if no region waits or is decoded.
  var isEmpty: Bool { waiting.isEmpty && running == nil }

  /// Adds a region, and returns its number.
  ///
  /// - Parameter rows: The rows that are decompressed for the region.
  mutating func add(_ region: ImageRegion, rows: Range<Int>, priority: ImageRequest.Priority) -> Int {
    lastNumber += 1
    waiting.append(Request(number: lastNumber, region: region, rows: rows, priority: priority))
    return lastNumber
  }

  /// Removes a region. Returns true if the running job has no regions left. The caller should cancel that job; the next
  /// one may begin.
  mutating func cancel(_ number: Int) -> Bool {
    waiting.removeAll { $0.number == number }
    guard let index = running?.requests.firstIndex(where: { $0?.number == number }) else { return false }
    running?.requests[index] = nil
    guard let requests = running?.requests, requests.allSatisfy({ $0 == nil }) else { return false }
    running = nil
    return true
  }

  /// Begins the next job; `nil` if there is none, or if one runs.
  mutating func next() -> Job? {
    guard running == nil, let first = waiting.min(by: { $0.rows.lowerBound < $1.rows.lowerBound }) else {
      return nil
    }
    var band = RegionBand(first.region)
    var requests = [first]
    for request in neighbors(of: first) where band.add(request.region, byteLimit: Self.bandBytes) {
      requests.append(request)
    }
    let taken = Set(requests.map(\.number))
    waiting.removeAll { taken.contains($0.number) }
    lastNumber += 1
    running = (lastNumber, requests)
    return Job(number: lastNumber, band: band, priority: requests.map(\.priority).max() ?? first.priority)
  }

  /// Returns the other regions that may be in a band with a region, the nearest first, so that the band grows without
  /// gaps.
  private func neighbors(of first: Request) -> [Request] {
    func distance(_ request: Request) -> Int {
      abs(request.region.x - first.region.x) + abs(request.region.y - first.region.y)
    }
    return waiting.filter {
      $0.number != first.number && !first.isAlone && !$0.isAlone && $0.rows == first.rows
        && $0.region.reduction == first.region.reduction
    }.sorted { (distance($0), $0.number) < (distance($1), $1.number) }
  }

  /// Ends a job. Returns the numbers of its regions, in order, `nil` for those that were cancelled; no numbers for a job
  /// that was cancelled.
  mutating func end(_ job: Int) -> [Int?] {
    guard let requests = running?.requests, running?.number == job else { return [] }
    running = nil
    return requests.map { $0?.number }
  }

  /// Ends a job that was too large: its regions wait again, and each is decoded alone. Returns false, and leaves the job
  /// as it is, if it has only one region or was cancelled.
  mutating func split(_ job: Int) -> Bool {
    guard let requests = running?.requests, running?.number == job, requests.count > 1 else { return false }
    running = nil
    for var request in requests.compactMap(\.self) {
      request.isAlone = true
      waiting.append(request)
    }
    return true
  }
}
