import CAllocations
import Glibc
import Vitrine

/// The child process of `FlingMemory`: flings through screens of images of all sizes at 60 frames per second. The
/// host's clock runs about ten times too fast; decoding and memory are real.
@MainActor
final class FlingMemoryRun {
  /// The number of frames in four minutes.
  private static let frameCount = 4 * 60 * 60
  private static let framesPerScreen = 400
  /// The number of seconds that a frame waits for images; a frame in real time has 16 ms.
  private static let wait = 0.0015
  /// The number of bytes that the process may take in addition to the ledger's count.
  private static let allowance = 16e6

  private struct Screen {
    let name: String
    let layout: ListLayout
    /// The speed in points per frame.
    let speed: Double
    let rows: Int
  }

  private static let screens = [
    Screen(name: "small", layout: .rows(height: 88), speed: 60, rows: 6000),
    Screen(name: "middle", layout: .tiles(Size(width: 160, height: 120), gap: 8), speed: 40, rows: 6000),
    Screen(name: "large", layout: .tiles(Size(width: 64, height: 64), gap: 4), speed: 25, rows: 6000),
    Screen(name: "large", layout: .rows(height: 720), speed: 12, rows: 200),
    Screen(name: "middle", layout: .tiles(Size(width: 333, height: 251), gap: 10), speed: 50, rows: 3000),
  ]

  private let application: Application
  private let server: String
  private var time = 0.0
  private var screen = FlingMemoryRun.screens[0]

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The URL of the server.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 1 else { throw BenchmarkError("a URL") }
    return try FlingMemoryRun(server: arguments[0]).figures()
  }

  private init(server: String) throws {
    self.server = server
    application = try .offscreen()
    application.host.clock = .manual { [unowned self] in time }
  }

  private func figures() throws -> [String: Double] {
    let began = SystemCounters.time
    frame(waitingFor: 0)
    let baseline = Double(SystemCounters.residentBytes)
    let flingCount = Self.frameCount / Self.framesPerScreen
    for index in 0..<flingCount { fling(Self.screens[index % Self.screens.count]) }
    while !application.window.isIdle { frame(waitingFor: 0.01) }

    let growth = Double(SystemCounters.residentBytes) - baseline
    let ledger = Double(application.ledger.usage.total)
    var (heapUsed, heapFree) = (0, 0)
    vitrine_heap_usage(&heapUsed, &heapFree)
    return [
      "ratio": max(0, growth - Self.allowance) / max(1, ledger), "above": growth, "ledger": ledger,
      "peak": Double(SystemCounters.peakResidentBytes) - baseline,
      "heap_used": Double(heapUsed), "heap_free": Double(heapFree),
      "images": Double(application.downloader.statistics.loads[.network] ?? 0),
      "seconds": SystemCounters.time - began,
    ]
  }

  /// Scrolls through a screen. The direction reverses after three quarters of the frames, and at the ends of the list.
  private func fling(_ screen: Screen) {
    self.screen = screen
    let list = ListView()
    list.layout = screen.layout
    list.dataSource = self
    application.window.rootView = list
    frame(waitingFor: Self.wait)
    var step = screen.speed
    for index in 0..<Self.framesPerScreen {
      let range = list.verticalRange
      let next = list.contentOffset.y + step
      if !range.contains(next) || index == Self.framesPerScreen * 3 / 4 { step = -step }
      list.contentOffset.y = min(max(list.contentOffset.y + step, range.lowerBound), range.upperBound)
      frame(waitingFor: Self.wait)
    }
  }

  private func frame(waitingFor seconds: Double) {
    time += 1.0 / 60
    application.host.turn(waitUpTo: 0)
    guard seconds > 0 else { return }
    usleep(UInt32(seconds * 1e6))
    application.host.turn(waitUpTo: 0)
  }
}

extension FlingMemoryRun: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { screen.rows }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(FlingCell.self)
    cell.isRow = screen.layout.tileWidth == nil
    cell.image.setImage(from: "\(server)/\(screen.name)\(row % 8).jpg?number=\(row)")
    return cell
  }
}
