import Vitrine

/// The child process of `Fling`: scrolls a grid of images from the beginning to the end within five seconds, and
/// computes from the trace how much was loaded and how much of that was shown.
@MainActor
final class FlingRun: FrameObserver {
  nonisolated static let count = 2000
  private static let seconds = 5.0

  private let application: Application
  private let list = ListView()
  private let requests: [ImageRequest]
  private let trace = Trace(capacity: 100_000)
  /// The window time of the first frame of the fling.
  private var begin: Double?
  private var isOver = false

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The server's URL, the query items that simulate the network, and the order of the queue.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 3 else { throw BenchmarkError("a URL, a network, an order") }
    let orders: [String: Prioritization] = ["newest": .newestBatch, "lifo": .lifo, "fifo": .fifo]
    guard let order = orders[arguments[2]] else { throw BenchmarkError("no order \(arguments[2])") }
    return try FlingRun(server: arguments[0], network: arguments[1], order: order).figures()
  }

  private init(server: String, network: String, order: Prioritization) throws {
    let trace = trace
    application = try .offscreen {
      $0.downloader.environment.trace = trace
      $0.downloader.queue.prioritization = order
    }
    requests = try (0..<Self.count).map {
      try ImageRequest("\(server)/\($0 % 16).jpg?\(network)&number=\($0)")
    }
    list.layout = .tiles(Size(width: 160, height: 120), gap: 8)
    list.dataSource = self
    application.window.rootView = list
  }

  private func figures() throws -> [String: Double] {
    let host = application.host
    while host.frameStatistics.presented == 0 { host.turn() }
    while !application.window.isLoaded { host.turn() }

    let late = host.frameStatistics.late
    host.window.requestFrames(for: self, at: host.window.now)
    while !isOver { host.turn() }
    let lateFrames = host.frameStatistics.late - late
    let end = SystemCounters.time
    while !application.window.isLoaded { host.turn() }
    let settleTime = SystemCounters.time - end
    while !application.window.isIdle { host.turn() }

    guard trace.lostEvents == 0 else { throw BenchmarkError("the trace has lost events") }
    return FlingCosts(trace.events).figures.merging([
      "late": Double(lateFrames), "settle_ms": settleTime * 1000,
    ]) { first, _ in first }
  }

  func frame(at now: Double) -> NextFrame {
    begin = begin ?? now
    let fraction = min(1, (now - (begin ?? now)) / Self.seconds)
    let range = list.verticalRange
    list.contentOffset.y = range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    isOver = fraction == 1
    return isOver ? .never : .soon
  }
}

extension FlingRun: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { Self.count }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(FlingCell.self)
    cell.image.setImage(from: requests[row])
    return cell
  }
}

/// A cell with one image: as high as the row in a list, as large as the cell in a grid.
final class FlingCell: ListCell {
  let image = ImageView()
  var isRow = false

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    addSubview(image)
  }

  override func layoutSubviews() {
    image.frame =
      isRow ? Rect(x: 8, y: 8, width: (bounds.height - 16) * 4 / 3, height: bounds.height - 16) : bounds
  }
}

/// The bytes and pixels that each URL cost, and whether the image was shown.
private struct FlingCosts {
  private struct Cost {
    var bytes = 0
    var pixels = 0
    var isShown = false
  }

  private var costs: [String: Cost] = [:]
  private var requests = 0

  init(_ events: [TraceEvent]) {
    var urls:
      (fetch: [UInt64: String], decode: [UInt64: String], request: [UInt64: String], image: [UInt64: String])
    urls = ([:], [:], [:], [:])
    for event in events {
      switch event.kind {
      case .requested(let request):
        urls.fetch[request.fetch] = request.url
        urls.decode[request.decode] = request.url
        urls.request[request.number] = request.url
      case .served(_, let url, let image): urls.image[image] = url
      case .fetchEnded(let fetch, let transfer):
        requests += Int(transfer.requests)
        if let url = urls.fetch[fetch] { costs[url, default: Cost()].bytes += transfer.bytes }
      case .decodeEnded(let decode, let width, let height):
        if let url = urls.decode[decode] { costs[url, default: Cost()].pixels += Int(width) * Int(height) }
      case .responded(let request, .image(let image, _)): urls.image[image] = urls.request[request]
      case .shown(let image):
        if let url = urls.image[image] { costs[url, default: Cost()].isShown = true }
      default: break
      }
    }
  }

  var figures: [String: Double] {
    let notShown = costs.values.filter { !$0.isShown }
    func sum(_ costs: some Sequence<Cost>, _ amount: (Cost) -> Int) -> Double {
      Double(costs.map(amount).reduce(0, +))
    }
    return [
      "bytes": sum(costs.values, \.bytes), "requests": Double(requests),
      "shown": Double(costs.values.count(where: \.isShown)),
      "unseen_bytes": sum(notShown, \.bytes) / max(1, sum(costs.values, \.bytes)),
      "unseen_pixels": sum(notShown, \.pixels) / max(1, sum(costs.values, \.pixels)),
    ]
  }
}
