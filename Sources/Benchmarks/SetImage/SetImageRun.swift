import CAllocations
import FoundationEssentials
import Vitrine

/// The child process of `SetImage`: changes slots between two cached images, and measures a change.
@MainActor
struct SetImageRun {
  /// A kind of call that sets an image.
  struct Call: Hashable, Sendable {
    enum Slot: String, CaseIterable { case contents, image, button }
    enum Source: String, CaseIterable { case request, url, text }

    let slot: Slot
    let source: Source
    let hasCompletion: Bool

    static let all = Slot.allCases.flatMap { slot in
      Source.allCases.flatMap { source in
        [false, true].map { Call(slot: slot, source: source, hasCompletion: $0) }
      }
    }.filter { $0.source == .request || !$0.hasCompletion }

    var key: String { "\(slot)_\(source)" + (hasCompletion ? "_completion" : "") }

    var label: String {
      let slotName =
        switch slot {
        case .contents: "contents of a view"
        case .image: "image of an image view"
        case .button: "image of a button"
        }
      let words =
        switch source {
        case .request: "an existing request"
        case .url: "a URL"
        case .text: "a text"
        }
      return "\(slotName), \(words)" + (hasCompletion ? ", completion" : "")
    }
  }

  private static let columns = 8
  private static let rows = 5
  private static let tile = Size(width: 160, height: 160)
  private static let rounds = 250

  private let application: Application
  private let time = ManualTime()
  private let requests: [[ImageRequest]]
  private let urls: [[URL]]
  private let texts: [[String]]

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The number of periods.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    let periods = arguments.first.flatMap(Int.init) ?? 1
    let run = try SetImageRun()
    var figures: [String: Double] = [:]
    for call in Call.all {
      let screen = run.screen(of: call.slot)
      for period in 0..<periods {
        let (seconds, allocations) = try run.change(screen, by: call)
        figures["\(call.key)_us_\(period)"] = seconds * 1e6
        figures["\(call.key)_allocations_\(period)"] = allocations
      }
    }
    return figures
  }

  private init() throws {
    application = try .offscreen()
    let time = time
    application.host.clock = .manual { time.now }
    texts = (0..<Self.columns * Self.rows).map { index in
      (0..<2).map { "https://pictures.example.com/albums/2024/summer/\(index)/\($0).jpg" }
    }
    requests = try texts.map { try $0.map { try ImageRequest($0) } }
    urls = requests.map { $0.map(\.url) }
    for (index, pair) in requests.enumerated() {
      for (side, request) in pair.enumerated() {
        application.cache.insert(
          .colored(2 * index + side, size: Self.tile), for: request, additionalIdentifier: nil)
      }
    }
  }

  /// Replaces the contents of the window by tiles that fill the window. Returns the tiles.
  private func screen(of slot: Call.Slot) -> [View] {
    let root = View()
    application.window.rootView = root
    return (0..<Self.columns * Self.rows).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: Self.columns)
      let view: View =
        switch slot {
        case .contents: View()
        case .image: ImageView()
        case .button: Button()
        }
      view.frame = Rect(
        origin: Point(x: Double(column) * Self.tile.width, y: Double(row) * Self.tile.height), size: Self.tile
      )
      root.addSubview(view)
      return view
    }
  }

  /// Returns the processor time in seconds and the allocations of the main thread, both per call. A frame is drawn
  /// after each round, and not counted.
  private func change(_ views: [View], by call: Call) throws -> (seconds: Double, allocations: Double) {
    var seconds = 0.0
    var allocations: UInt = 0
    let completions = Count()
    let completion: SlotCompletion? = call.hasCompletion ? { _ in completions.number += 1 } : nil
    for round in 0..<Self.rounds {
      let side = round % 2
      let cpu = SystemCounters.threadCPU
      let before = allocations_of_this_thread()
      for (index, view) in views.enumerated() {
        switch call.source {
        case .request: set(requests[index][side], on: view, completion)
        case .url: set(urls[index][side], on: view, completion)
        case .text: set(texts[index][side], on: view, completion)
        }
      }
      allocations += allocations_of_this_thread() - before
      seconds += SystemCounters.threadCPU - cpu
      frame()
    }
    let hits = application.cache.statistics
    guard hits.misses == 0, !call.hasCompletion || completions.number == Self.rounds * views.count else {
      throw BenchmarkError("images are missing in the memory cache")
    }
    let count = Double(Self.rounds * views.count)
    return (seconds / count, Double(allocations) / count)
  }

  /// Sets an image as the code of a cell would.
  @inline(__always)
  private func set(_ source: some ImageRequestConvertible, on view: View, _ completion: SlotCompletion?) {
    if let button = view as? Button {
      button.setImage(from: source, for: .normal, completion: completion)
    } else {
      view.setImage(from: source, completion: completion)
    }
  }

  private func frame() {
    time.now += 1.0 / 60
    application.host.turn(waitUpTo: 0)
  }

  private final class ManualTime { var now = 0.0 }
  private final class Count { var number = 0 }
}
