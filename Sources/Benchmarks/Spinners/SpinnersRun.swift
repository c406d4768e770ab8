import Vitrine

/// The child process of `Spinners`: shows indicators for images that never arrive, and measures their cost.
@MainActor
enum SpinnersRun {
  enum Kind: String {
    case activity, bar, ring
    /// Spinners that are scrolled out of sight.
    case hidden
  }

  private static let seconds = 2.0
  private static let columns = 10
  private static let tile = Size(width: 112, height: 144)
  private static let pitch = Size(width: 128, height: 160)

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The number of slots, the kind of indicator, and the number of periods.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 3, let count = Int(arguments[0]), let kind = Kind(rawValue: arguments[1]),
      let periods = Int(arguments[2])
    else { throw BenchmarkError("count, kind, periods") }
    let application = try Application.offscreen()
    let host = application.host
    let scroll = ScrollView(frame: host.window.bounds)
    scroll.contentSize = Size(width: scroll.frame.width, height: 3 * scroll.frame.height)
    scroll.backgroundColor = Color(hex: 0x12_141A)
    host.window.rootView = scroll
    let downloader = ImageDownloader(transports: [SilentTransport()], decoder: ImageCodecs(), cache: nil)
    for index in 0..<count { scroll.addSubview(try slot(index, kind, downloader)) }

    // Time for the indicators to appear.
    wait(0.5, in: host)
    if kind == .hidden {
      scroll.contentOffset.y = scroll.frame.height
      wait(0.5, in: host)
    }
    var figures: [String: Double] = [:]
    for period in 0..<periods {
      let frames = host.frameStatistics.presented
      let cpu = SystemCounters.processCPU
      wait(seconds, in: host)
      figures["percent_\(period)"] = (SystemCounters.processCPU - cpu) / seconds * 100
      figures["frames_\(period)"] = Double(host.frameStatistics.presented - frames) / seconds
    }
    return figures
  }

  private static func slot(_ index: Int, _ kind: Kind, _ downloader: ImageDownloader) throws -> View {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    let view = ImageView(
      frame: Rect(
        origin: Point(x: 8 + Double(column) * pitch.width, y: 8 + Double(row) * pitch.height), size: tile))
    view.backgroundColor = Color(hex: 0x23_2833)
    view.cornerRadius = 8
    var options = SlotOptions()
    options.downloader = downloader
    options.indicator =
      switch kind {
      case .activity, .hidden: .activity
      case .bar: .bar
      case .ring: .ring
      }
    view.setImage(from: try ImageRequest("https://pictures.example.com/\(index).jpg"), options: options)
    return view
  }

  private static func wait(_ seconds: Double, in host: SDLHost) {
    let end = SystemCounters.time + seconds
    while case let remaining = end - SystemCounters.time, remaining > 0 { host.turn(waitUpTo: remaining) }
  }
}

/// A transport whose transfers never receive anything.
private struct SilentTransport: DataTransport {
  let schemes: Set<String> = ["https"]

  func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    Silence()
  }

  private final class Silence: Cancellable {
    func cancel() {}
  }
}
