import CAllocations
import Synchronization
import Vitrine

/// A process whose slots are given something else all the time, and which says whether a frame was late and whether
/// anything is left of it.
@MainActor
final class ReuseStormRun: FrameObserver {
  nonisolated static let pictureCount = 16
  nonisolated static let pictureWidth = 240
  nonisolated static let pictureHeight = 180

  private static let changesPerSecond = 10_000.0
  /// Addresses of the pictures: more than slots, so that they seldom join one another.
  private static let addressCount = 64
  private static let columns = 6
  private static let pitch = Size(width: 212, height: 160)
  private static let tile = Size(width: 204, height: 152)

  private let application: Application
  private var slots: [Slot] = []
  private let known: [ImageRequest]
  private let loaded: [ImageRequest]
  private let placeholder: Image
  private var random = RandomNumbers(seed: 11)

  /// Window time of its first frame.
  private var begin: Double?
  /// Seconds since then.
  private var time = 0.0
  private let seconds: Double
  private var changes = 0
  private let endings = Endings()
  private var mainTimes: [Double] = []
  private var lastCPU = 0.0
  private var memory: [(time: Double, resident: Int, inUse: UInt)] = []

  /// Arguments: the server's URL, seconds.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 2, let seconds = Double(arguments[1]), seconds > 7 else {
      throw BenchmarkError("a URL, more than 7 seconds")
    }
    return try ReuseStormRun(server: arguments[0], seconds: seconds).figures()
  }

  private init(server: String, seconds: Double) throws {
    self.seconds = seconds
    var configuration = Application.Configuration(dataCache: nil)
    configuration.host.videoDriver = "offscreen"
    configuration.host.renderer = .software
    application = try Application(configuration: configuration)
    loaded = try (0..<Self.addressCount).map { index in
      var request = try ImageRequest("\(server)/\(index % Self.pictureCount).jpg?number=\(index)")
      request.cachePolicy = .reload
      return request
    }
    known = try (0..<Self.addressCount).map { try ImageRequest("https://pictures.example.com/\($0).jpg") }
    placeholder = Self.picture(0)
    for (index, request) in known.enumerated() {
      application.cache.insert(Self.picture(index + 1), for: request, additionalIdentifier: nil)
    }
    // Twenty image views with a slot each, ten buttons with two.
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
    // What is counted takes no memory while it is. One change in twenty asks twice.
    endings.reserve(Int(seconds * Self.changesPerSecond * 1.1))
    mainTimes.reserveCapacity(Int(seconds * 100))
    memory.reserveCapacity(Int(seconds * 100))

    let before = (frames: host.frameStatistics, cpu: SystemCounters.processCPU)
    lastCPU = SystemCounters.threadCPU
    host.window.requestFrames(for: self, at: host.window.now)
    while !isOver {
      host.turn()
      lookAtMemory()
    }
    let after = (frames: host.frameStatistics, cpu: SystemCounters.processCPU)
    let statistics = application.downloader.statistics
    while !host.window.isIdle { host.turn(waitUpTo: 0.1) }
    // Those who were refused are told in a turn of their own.
    for _ in 0..<10 { host.turn(waitUpTo: 0.01) }

    let waiting = slots.map(\.view.pendingSlots).reduce(0, +) + slots.count { $0.view.isLoadingImage }
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
      "wrong_endings": Double(endings.wrong), "left_over": Double(endings.alive + waiting),
    ]
  }

  /// From the sixth second, when all pictures have been loaded once and are in memory, to the last.
  private func growth(_ bytes: ((time: Double, resident: Int, inUse: UInt)) -> Double) -> Double {
    func median(_ times: ClosedRange<Double>) -> Double {
      Samples(memory.filter { times.contains($0.time) }.map(bytes)).median
    }
    return median(seconds - 1...seconds) - median(5...6)
  }

  /// A few times a second between frames, none of which has to wait for it: to add up the heap takes milliseconds.
  private func lookAtMemory() {
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
    // Also after a frame that was late.
    let due = Int(min(time, seconds) * Self.changesPerSecond)
    while changes < due {
      change(any(slots))
      changes += 1
    }
    isOver = time >= seconds
    return isOver ? .never : .soon
  }

  /// Of a hundred: 40 pictures from memory, 30 loads, 5 asked for twice, 10 without an address, 5 with a bad one, 10
  /// cancelled.
  private func change(_ slot: Slot) {
    func ask(_ source: (any ImageRequestConvertible)?, placeholder: Image? = nil) {
      slot.setImage(from: source, placeholder: placeholder, completion: endings.expect())
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: ask(any(known))
    case 40..<55: ask(any(loaded))
    case 55..<70: ask(any(loaded), placeholder: placeholder)
    case 70..<75:
      let request = any(loaded)
      ask(request)
      ask(request)
    case 75..<85: ask(nil, placeholder: placeholder)
    case 85..<90: ask("no address at all")
    default: slot.cancel()
    }
  }

  private func any<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  private static func picture(_ index: Int) -> Image {
    var random = RandomNumbers(seed: index)
    let color = UInt32(truncatingIfNeeded: random.next()) | 0xFF00_0000
    let (width, height) = (Int(tile.width), Int(tile.height))
    let bitmap = Bitmap(width: width, height: height, format: .bgra, isOpaque: true) { pixels, _ in
      for pixel in stride(from: 0, to: pixels.count, by: 4) {
        pixels.storeBytes(of: color, toByteOffset: pixel, as: UInt32.self)
      }
    }
    return Image(bitmap, format: .jpeg)
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

  /// How often each completion was called.
  private final class Endings {
    private var calls: [UInt8] = []
    private let held = HeldCompletions()

    /// Takes the memory for so many, and touches it.
    func reserve(_ count: Int) {
      calls = Array(repeating: 1, count: count)
      calls.removeAll(keepingCapacity: true)
    }

    /// A completion that has to be called once.
    func expect() -> SlotCompletion {
      let number = calls.count
      calls.append(0)
      let mark = held.mark()
      return { [self] _ in withExtendedLifetime(mark) { calls[number] &+= 1 } }
    }

    var wrong: Int { calls.count { $0 != 1 } }
    /// Completions that somebody holds still: a load that is over and has not gone.
    var alive: Int { held.count.load(ordering: .relaxed) }
  }
}

/// Counts completions that are in memory. The last to let one go may be on any thread.
private final class HeldCompletions: Sendable {
  let count = Atomic(0)

  func mark() -> Mark { Mark(self) }

  final class Mark: Sendable {
    private let all: HeldCompletions

    init(_ all: HeldCompletions) {
      self.all = all
      all.count.add(1, ordering: .relaxed)
    }

    deinit { all.count.subtract(1, ordering: .relaxed) }
  }
}
