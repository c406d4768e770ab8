import CAllocations
import Synchronization
import Vitrine

/// The child process of `ReuseStorm`: changes its slots all the time, and measures late frames and leaked loads.
@MainActor
final class ReuseStormRun: FrameObserver {
  nonisolated static let imageCount = 16
  nonisolated static let imageWidth = 240
  nonisolated static let imageHeight = 180

  private static let changesPerSecond = 10_000.0
  /// The number of URLs: more than slots, so that loads seldom join each other.
  private static let addressCount = 64
  private static let columns = 6
  private static let pitch = Size(width: 212, height: 160)
  private static let tile = Size(width: 204, height: 152)

  private let application: Application
  private var slots: [Slot] = []
  private let cachedRequests: [ImageRequest]
  private let networkRequests: [ImageRequest]
  private let placeholder: Image
  private var random = RandomNumbers(seed: 11)

  /// The window time of the first frame of the storm.
  private var begin: Double?
  /// The time since the first frame in seconds.
  private var time = 0.0
  private let seconds: Double
  private var changes = 0
  private let completionCalls = CompletionCalls()
  private var mainTimes: [Double] = []
  private var lastCPU = 0.0
  private var memory: [(time: Double, resident: Int, inUse: UInt)] = []

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The server's URL, and the duration in seconds, which must be more than 7.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 2, let seconds = Double(arguments[1]), seconds > 7 else {
      throw BenchmarkError("a URL, more than 7 seconds")
    }
    return try ReuseStormRun(server: arguments[0], seconds: seconds).figures()
  }

  private init(server: String, seconds: Double) throws {
    self.seconds = seconds
    application = try .offscreen()
    networkRequests = try (0..<Self.addressCount).map { index in
      var request = try ImageRequest("\(server)/\(index % Self.imageCount).jpg?number=\(index)")
      request.cachePolicy = .reload
      return request
    }
    cachedRequests = try (0..<Self.addressCount).map {
      try ImageRequest("https://pictures.example.com/\($0).jpg")
    }
    placeholder = .colored(0, size: Self.tile)
    for (index, request) in cachedRequests.enumerated() {
      application.cache.insert(
        .colored(index + 1, size: Self.tile), for: request, additionalIdentifier: nil)
    }
    // Twenty image views with one slot each, and ten buttons with two.
    for index in 0..<30 {
      let (row, column) = index.quotientAndRemainder(dividingBy: Self.columns)
      let view: View = index % 3 == 2 ? Button() : ImageView()
      view.frame = Rect(
        origin: Point(x: 4 + Double(column) * Self.pitch.width, y: 4 + Double(row) * Self.pitch.height),
        size: Self.tile)
      application.window.addSubview(view)
      if let button = view as? Button {
        slots += [.image(button), .background(button)]
      } else {
        slots.append(.contents(view))
      }
    }
  }

  private func figures() throws -> [String: Double] {
    let host = application.host
    while host.frameStatistics.presented == 0 { host.turn() }
    // Memory for the records is reserved beforehand, so that the measured growth excludes it. One change in twenty
    // makes two requests.
    completionCalls.reserve(Int(seconds * Self.changesPerSecond * 1.1))
    mainTimes.reserveCapacity(Int(seconds * 100))
    memory.reserveCapacity(Int(seconds * 100))

    let before = (frames: host.frameStatistics, cpu: SystemCounters.processCPU)
    lastCPU = SystemCounters.threadCPU
    host.window.requestFrames(for: self, at: host.window.now)
    while !isOver {
      host.turn()
      recordMemory()
    }
    let after = (frames: host.frameStatistics, cpu: SystemCounters.processCPU)
    let statistics = application.downloader.statistics
    while !host.window.isIdle { host.turn(waitUpTo: 0.1) }
    // Rejected requests are completed in a later turn of the loop.
    for _ in 0..<10 { host.turn(waitUpTo: 0.01) }

    let pendingSlots = slots.map(\.view.pendingSlots).reduce(0, +) + slots.count { $0.view.isLoadingImage }
    let times = Samples(Array(mainTimes.dropFirst()))
    return [
      "changes_per_s": Double(changes) / seconds,
      "frames_per_s": Double(after.frames.presented - before.frames.presented) / seconds,
      "late": Double(after.frames.late - before.frames.late),
      "main_p50_ms": times.median * 1000, "main_p99_ms": times.quantile(0.99) * 1000,
      "main_max_ms": times.max * 1000,
      "process_percent": (after.cpu - before.cpu) / seconds * 100,
      "shown_per_s": Double(statistics.loads[.network] ?? 0) / seconds,
      "resident_growth_mb": growth { Double($0.resident) } / 1e6,
      "heap_growth_mb": growth { Double($0.inUse) } / 1e6,
      "wrong_endings": Double(completionCalls.wrongCallCount),
      "left_over": Double(completionCalls.retainedCount + pendingSlots),
    ]
  }

  /// Returns the growth from the sixth second, when all images have been loaded and cached, to the last second.
  private func growth(_ bytes: ((time: Double, resident: Int, inUse: UInt)) -> Double) -> Double {
    func median(_ times: ClosedRange<Double>) -> Double {
      Samples(memory.filter { times.contains($0.time) }.map(bytes)).median
    }
    return median(seconds - 1...seconds) - median(5...6)
  }

  /// Records the memory use a few times per second. Called between frames and excluded from the main thread's time,
  /// because walking the heap takes milliseconds.
  private func recordMemory() {
    guard time - (memory.last?.time ?? 0) > 0.15 else { return }
    let cpu = SystemCounters.threadCPU
    memory.append((time, SystemCounters.residentBytes, bytes_in_use()))
    lastCPU += SystemCounters.threadCPU - cpu
  }

  // MARK: The storm

  private var isOver = false

  func frame(at now: Double) -> NextFrame {
    let cpu = SystemCounters.threadCPU
    mainTimes.append(cpu - lastCPU)
    lastCPU = cpu
    time = now - (begin ?? now)
    begin = begin ?? now
    // The changes missed by a late frame are made up for.
    let requiredChanges = Int(min(time, seconds) * Self.changesPerSecond)
    while changes < requiredChanges {
      change(randomElement(of: slots))
      changes += 1
    }
    isOver = time >= seconds
    return isOver ? .never : .soon
  }

  /// Makes a random change. Of a hundred changes, 40 are images from memory, 30 are loads, 5 are loads requested twice,
  /// 10 have no URL, 5 have an invalid URL, and 10 cancel.
  private func change(_ slot: Slot) {
    func load(_ source: (any ImageRequestConvertible)?, placeholder: Image? = nil) {
      slot.setImage(from: source, placeholder: placeholder, completion: completionCalls.expect())
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: load(randomElement(of: cachedRequests))
    case 40..<55: load(randomElement(of: networkRequests))
    case 55..<70: load(randomElement(of: networkRequests), placeholder: placeholder)
    case 70..<75:
      let request = randomElement(of: networkRequests)
      load(request)
      load(request)
    case 75..<85: load(nil, placeholder: placeholder)
    case 85..<90: load("no address at all")
    default: slot.cancel()
    }
  }

  private func randomElement<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  // MARK: Slots

  private enum Slot {
    case contents(View)
    case image(Button)
    case background(Button)

    var view: View {
      switch self {
      case .contents(let view): view
      case .image(let button), .background(let button): button
      }
    }

    @MainActor
    func setImage(
      from source: (any ImageRequestConvertible)?, placeholder: Image?, completion: @escaping SlotCompletion
    ) {
      switch self {
      case .contents(let view):
        view.setImage(from: source, placeholder: placeholder, completion: completion)
      case .image(let button):
        button.setImage(from: source, for: .normal, placeholder: placeholder, completion: completion)
      case .background(let button):
        button.setBackgroundImage(
          from: source, for: .normal, placeholder: placeholder, completion: completion)
      }
    }

    @MainActor
    func cancel() {
      switch self {
      case .contents(let view): view.cancelImageLoad()
      case .image(let button): button.cancelImageLoad(for: .normal)
      case .background(let button): button.cancelBackgroundImageLoad(for: .normal)
      }
    }
  }

  // MARK: Completions

  /// The number of calls of each completion handler.
  private final class CompletionCalls {
    private var calls: [UInt8] = []
    private let retained = RetainedCompletions()

    /// Allocates and touches the memory for `count` completion handlers.
    func reserve(_ count: Int) {
      calls = Array(repeating: 1, count: count)
      calls.removeAll(keepingCapacity: true)
    }

    /// Returns a completion handler that must be called exactly once.
    func expect() -> SlotCompletion {
      let number = calls.count
      calls.append(0)
      let token = retained.token()
      return { [self] _ in withExtendedLifetime(token) { calls[number] &+= 1 } }
    }

    var wrongCallCount: Int { calls.count { $0 != 1 } }
    /// The number of completion handlers that are still retained, by loads that have leaked.
    var retainedCount: Int { retained.count.load(ordering: .relaxed) }
  }
}

/// Counts the completion handlers in memory. The last reference to a handler may be released on any thread.
private final class RetainedCompletions: Sendable {
  let count = Atomic(0)

  func token() -> Token { Token(self) }

  final class Token: Sendable {
    private let owner: RetainedCompletions

    init(_ owner: RetainedCompletions) {
      self.owner = owner
      owner.count.add(1, ordering: .relaxed)
    }

    deinit { owner.count.subtract(1, ordering: .relaxed) }
  }
}
