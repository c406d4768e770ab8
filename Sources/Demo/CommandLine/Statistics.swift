import FoundationEssentials
import Glibc
import Vitrine

/// The statistics of a run, which `--stats` writes as JSON at the end of the run.
final class Statistics: SlotObserver {
  private(set) var shown = 0
  private(set) var failed = 0
  /// The number of images shown from a stale response that has not been revalidated.
  private(set) var stale = 0
  private(set) var bySource: [ImageResponse.Source: Int] = [:]
  /// Called after each change of the counters above.
  var onChange: (() -> Void)?
  /// Called when a slot shows the response to a request that was sent again automatically.
  var onRecover: ((ImageResponse) -> Void)?
  /// Called when a slot keeps a stale image, with the reason.
  var onRefreshFailure: ((Image, ImageError) -> Void)?
  private var firstFrame, loadStart, loaded, idle: Double?
  /// The number of images that the slots had when the first frame was drawn.
  private var imagesInFirstFrame = 0
  private var baseline: Int?

  func slotWillLoad() {
    if loadStart == nil {
      loadStart = Process.milliseconds
      baseline = Process.memory("VmRSS")
    }
  }

  func slotDidSettle(_ result: Result<ImageResponse, ImageError>) {
    switch result {
    case .success(let response):
      shown += 1
      bySource[response.source, default: 0] += 1
      if case .stale = response.freshness { stale += 1 }
    case .failure: failed += 1
    }
    onChange?()
  }

  func slotDidRecover(_ response: ImageResponse, from failure: ImageError?) {
    if failure == nil {
      stale = max(0, stale - 1)
    } else {
      failed -= 1
      shown += 1
      bySource[response.source, default: 0] += 1
    }
    if case .stale = response.freshness { stale += 1 }
    onRecover?(response)
    onChange?()
  }

  func slotDidFailToRefresh(_ image: Image, because error: ImageError) {
    onRefreshFailure?(image, error)
    onChange?()
  }

  /// Records the times of the first frame and of the first moments at which the window is loaded and idle. Walks the
  /// view tree only until the window has been idle.
  func observe(_ host: SDLHost) {
    // The process's clock is used, because a script may control the host's clock.
    if firstFrame == nil, host.frameStatistics.presented > 0 {
      firstFrame = Process.milliseconds
      imagesInFirstFrame = shown
    }
    let window = host.window
    guard idle == nil, window.isLoaded else { return }
    let isIdle = window.isIdle
    // Before the first layout no view waits for an image. A window without any image counts as loaded once it is idle.
    guard loadStart != nil || isIdle else { return }
    if loaded == nil { loaded = Process.milliseconds }
    if isIdle { idle = Process.milliseconds }
  }

  /// Returns the document that `--stats` writes.
  func report(of application: Application) -> Report {
    let counters = application.downloader.statistics
    let frames = application.host.frameStatistics
    return Report(
      images: .init(
        shown: shown, failed: failed, memory: bySource[.memory] ?? 0, disk: bySource[.disk] ?? 0,
        network: bySource[.network] ?? 0, file: bySource[.file] ?? 0, stale: stale),
      network: .init(requests: counters.requests, bytes: counters.bytes, connections: counters.connections),
      time_ms: .init(first_frame: firstFrame, load_start: loadStart, loaded: loaded, idle: idle),
      frames: .init(
        presented: frames.presented, p50_ms: frames.p50Milliseconds, p99_ms: frames.p99Milliseconds,
        max_ms: frames.maxMilliseconds,
        late: frames.late, images_in_first_frame: imagesInFirstFrame),
      cpu_s: Process.cpuSeconds,
      memory: .init(
        peak_rss_bytes: Process.memory("VmHWM"), baseline_rss_bytes: baseline ?? Process.memory("VmRSS"),
        budget_bytes: application.ledger.budget, cache_bytes: application.ledger.usage.cache,
        texture_bytes: application.ledger.usage.textures),
      video: application.host.videoDriver, renderer: application.host.rendererName)
  }

  struct Report: Encodable {
    struct Images: Encodable { var shown, failed, memory, disk, network, file, stale: Int }
    struct Network: Encodable { var requests, bytes, connections: Int }
    /// Times in milliseconds. A time that was not reached is encoded as null, so that every key is present.
    struct Times: Encodable {
      var first_frame, load_start, loaded, idle: Double?

      enum CodingKeys: CodingKey { case first_frame, load_start, loaded, idle }

      func encode(to encoder: any Encoder) throws {
        var times = encoder.container(keyedBy: CodingKeys.self)
        try times.encode(first_frame, forKey: .first_frame)
        try times.encode(load_start, forKey: .load_start)
        try times.encode(loaded, forKey: .loaded)
        try times.encode(idle, forKey: .idle)
      }
    }
    struct Frames: Encodable {
      var presented: Int
      var p50_ms, p99_ms, max_ms: Double
      var late: Int
      var images_in_first_frame: Int
    }
    struct Memory: Encodable {
      var peak_rss_bytes, baseline_rss_bytes, budget_bytes, cache_bytes, texture_bytes: Int
    }

    var images: Images
    var network: Network
    var time_ms: Times
    var frames: Frames
    var cpu_s: Double
    var memory: Memory
    var video: String
    var renderer: String

    func write(to file: String) throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(self).write(to: URL(filePath: file))
    }
  }
}

/// Information from the kernel about this process.
nonisolated enum Process {
  /// The time since the start of the process in milliseconds.
  static var milliseconds: Double { now(CLOCK_BOOTTIME) - start }

  /// The processor time of the process in seconds, user and system.
  static var cpuSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// Returns the value of a line of /proc/self/status in bytes; 0 if there is no such line.
  static func memory(_ name: String) -> Int {
    guard let status = text("/proc/self/status"),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
      let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return 0 }
    return (Int(kilobytes) ?? 0) * 1024
  }

  /// The time at which the program was started, in milliseconds of the boot clock. `run.sh`, which may build the
  /// program first, becomes the program (`exec`), and says in `VITRINE_STARTED_AT` when that was, in seconds since
  /// boot.
  private static let start: Double = max(processStart, min(now(CLOCK_BOOTTIME), (startOfProgram ?? 0) * 1000))

  private static var startOfProgram: Double? {
    getenv("VITRINE_STARTED_AT").flatMap { Double(String(cString: $0)) }
  }

  /// The time at which the process was started, in milliseconds of the boot clock. Read from field 22 of
  /// /proc/self/stat, in clock ticks. Fields are counted after the program's name, which may contain spaces and
  /// brackets.
  private static let processStart: Double = {
    guard let stat = text("/proc/self/stat"), let bracket = stat.lastIndex(of: ")") else {
      return now(CLOCK_BOOTTIME)
    }
    let fields = stat[bracket...].split(separator: " ")
    guard fields.count > 20, let ticks = Double(fields[20]) else { return now(CLOCK_BOOTTIME) }
    return ticks * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }()

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
  }
}

extension ProcessCost {
  /// The cost of this process up to now. Reads a file of the kernel.
  static var current: ProcessCost {
    ProcessCost(
      time: Process.milliseconds / 1000, processorTime: Process.cpuSeconds,
      memoryBytes: Process.memory("VmRSS"))
  }
}
