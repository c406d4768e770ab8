import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Vitrine

/// A running prefetch, which an interruption may cancel from another thread.
nonisolated final class PrefetchRun: Sendable {
  let downloader: ImageDownloader
  let cache: DiskImageCache?
  let pixels: DiskPixelCache?
  private let isCancelled = Atomic(false)

  init(_ options: ToolOptions) {
    let pixels: DiskPixelCache?
    if let seed = options.into {
      // Programs of other users may show images of the seed meanwhile.
      cache = DiskImageCache(keepingReadersOf: seed, limits: .seed)
      pixels = DiskPixelCache(keepingReadersOf: seed, limits: .writableSeed)
    } else {
      cache = options.cache.map { DiskImageCache(directory: $0) } ?? DiskImageCache.shared
      pixels = options.cache.map { DiskPixelCache(directory: $0) } ?? DiskPixelCache.shared
    }
    self.pixels = pixels
    var configuration = ImageDownloader.Configuration()
    // A stale image is revalidated, however slow its server is.
    configuration.freshness.staleAfter = .infinity
    // Loads wait for a slow disk. `PrefetchTool.window(for:)` bounds their number.
    configuration.memory.keepsUnwritten = true
    // Nothing is shown, so that no image stays in memory.
    downloader = bootstrap(
      downloader: configuration, cache: nil, dataCache: cache, pixelCache: pixels)
  }

  var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

  /// Cancels all loads, on the main queue. That queue also ends the process, which thus waits for the cancellation.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    DispatchQueue.main.async { [downloader] in downloader.cancelAll() }
  }

  /// Cancels a load that was started while the run was cancelled: too late to be cancelled with the others. Called
  /// after each start of a load.
  func cancelAgain() { if wasCancelled { downloader.cancelAll() } }
}

/// `prefetch`: loads the images of a feed onto disk.
struct PrefetchTool {
  let options: ToolOptions
  let run: PrefetchRun

  /// Returns the number of loads that wait at a time, each until its image and its pixels are stored: 16, or fewer if
  /// the pixels of the largest size would take more than 128 MiB. The downloader decides how many run.
  nonisolated static func window(for sizes: [DecodeTarget]) -> Int {
    let largest = sizes.map { max(1, $0.width) * max(1, $0.height) * 4 }.max() ?? 1
    return min(16, max(2, (128 << 20) / largest))
  }

  /// Loads the images and returns the exit code.
  func run() async -> Int32 {
    var console = ToolConsole(isJSON: options.isJSON, activity: "loading")
    do throws(Tools.Failure) {
      guard let cache = run.cache else {
        throw Tools.Failure(message: "there is no cache folder, because HOME is not set; use --cache DIR")
      }
      if let fault = cache.checkAccess() { throw Tools.Failure(message: "\(fault)") }
      if let folder = options.into { Self.makeParents(of: folder) }
      let (items, problem) = try await items()
      var report = await load(items, &console)
      run.downloader.finishWriting(within: 60)
      report.pixelsMissing = run.downloader.lostPixelCount
      console.endProgress()
      if console.isJSON { console.json(report) } else { console.line(report.text) }
      if options.into != nil, !cache.isMissing {
        try publish(cache)
        // The folder may have the list alone.
        if report.stored > 0, !console.isJSON {
          console.line("show these images with: vitrine --seed \(cache.directory)")
        }
      } else if options.into != nil, !run.wasCancelled {
        let reason = cache.fault.map { "\($0)" }
        throw Tools.Failure(message: reason ?? "no image is stored in \(cache.directory)")
      }
      if run.wasCancelled { throw Tools.Failure(message: "interrupted") }
      if let fault = cache.fault { throw Tools.Failure(message: "\(fault)") }
      if let loss = await loss(of: items, report, cache) { throw Tools.Failure(message: loss) }
      if report.failed > 0 {
        throw Tools.Failure(message: "\(ToolText.count(report.failed, "image")) not stored or out of date")
      }
      if report.pixelsMissing > 0 {
        let reason = run.pixels?.fault.map { ": \($0)" } ?? ""
        let images = ToolText.count(report.pixelsMissing, "image")
        throw Tools.Failure(message: "the pixels of \(images) are not stored\(reason)")
      }
      if options.into != nil, report.stored == 0, report.local > 0 {
        throw Tools.Failure(message: "no image is stored in \(cache.directory)")
      }
      if let problem { throw Tools.Failure(message: problem) }
      try Tools.checkOutput(console)
      return 0
    } catch {
      console.message(error.message)
      return 1
    }
  }

  /// Creates the folders above a folder that all users may read, so that they may enter them. The cache would create
  /// them for this user only. A failure is reported by the first store.
  private static func makeParents(of folder: String) {
    let mask = umask(0o022)
    defer { umask(mask) }
    let parent = URL(filePath: folder).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
  }

  /// Lets all users read the folder.
  private func publish(_ cache: DiskImageCache) throws(Tools.Failure) {
    guard cache.openToAllReaders(with: run.pixels) else {
      throw Tools.Failure(message: "\(cache.directory): not all files can be made readable")
    }
  }

  // MARK: The list

  /// Returns the images of the list, and the reason why the stored list may be out of date; `nil` if it is not.
  private func items() async throws(Tools.Failure) -> (items: Feed.Items, problem: String?) {
    let feed: Feed
    do throws(FeedError) {
      feed = try Feed(options.feed, downloader: run.downloader)
    } catch {
      throw Tools.Failure(message: "\(error)")
    }
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      guard case .loading = feed.state else { return ended.resume() }
      var continuation: CheckedContinuation<Void, Never>? = ended
      // The stored list comes first, and may be an old one even if it is fresh by its headers. The handler keeps the
      // feed until its server has responded or failed.
      feed.onFinish = {
        feed.onFinish = nil
        continuation?.resume()
        continuation = nil
      }
      feed.reload()
      run.cancelAgain()
    }
    switch feed.state {
    case .waiting(let error), .failed(let error):
      throw Tools.Failure(message: run.wasCancelled ? "interrupted" : "\(error)")
    case .stale(let error?): return (feed.items, "\(error); the stored list was used")
    case .loading, .loaded, .stale: return (feed.items, nil)
    }
  }

  // MARK: The images

  /// Returns the message about images that were stored and removed again, because of the limits of the cache; `nil` if
  /// there are none.
  private func loss(
    of items: Feed.Items, _ report: PrefetchReport, _ cache: DiskImageCache
  ) async -> String? {
    guard cache.statistics.evictions > 0 else { return nil }
    var missing = 0
    for item in items where item.url.lowercased().hasPrefix("http") {
      if run.wasCancelled { return nil }
      guard let request = try? Self.request(item.url, nil) else { continue }
      if !(await run.downloader.containsCachedData(for: request)) { missing += 1 }
    }
    return report.loss(missing: missing, sizes: max(1, options.sizes.count))
  }

  private func load(_ items: Feed.Items, _ console: inout ToolConsole) async -> PrefetchReport {
    let targets = options.sizes.isEmpty ? [nil] : options.sizes.map { Optional($0) }
    let total = items.count * targets.count
    var report = PrefetchReport()
    var next = 0
    let prefetch: PrefetchRun = run
    await withTaskGroup(of: PrefetchReport.Result.self) { group in
      func start() {
        guard next < total, !run.wasCancelled else { return }
        let (url, target) = (items[next / targets.count].url, targets[next % targets.count])
        // One load after the other of an image in several sizes finds its bytes on disk or in the first transfer.
        next += 1
        group.addTask { await Self.load(url, target, prefetch) }
      }
      for _ in 0..<Self.window(for: options.sizes) { start() }
      while let result = await group.next() {
        report.add(result)
        if case .failed(let url, let reason) = result, !run.wasCancelled {
          console.message("\(url): \(reason)")
        }
        console.report(report.visited, of: total)
        start()
      }
    }
    return report
  }

  private nonisolated static func request(
    _ url: String, _ target: DecodeTarget?
  ) throws(ImageError) -> ImageRequest {
    var request = try ImageRequest(url)
    request.priority = .low
    request.cache = .diskOnly
    // Bytes that are not an image are not stored, so the image is decoded even if no size is wanted.
    request.targetSize = target ?? DecodeTarget(width: 1, height: 1)
    request.usesPixelCache = target != nil
    return request
  }

  private nonisolated static func response(
    to request: ImageRequest, _ run: PrefetchRun
  ) async throws(ImageError) -> ImageResponse {
    let task = run.downloader.load(request)
    run.cancelAgain()
    return try await task.response
  }

  private nonisolated static func load(
    _ url: String, _ target: DecodeTarget?, _ run: PrefetchRun
  ) async -> PrefetchReport.Result {
    let shown = url.withoutSecrets
    do throws(ImageError) {
      var request = try Self.request(url, target)
      var response = try await Self.response(to: request, run)
      if case .stale(_, nil) = response.freshness {
        // The server allows showing the stored image while it is asked. Here its answer is awaited.
        request.cachePolicy = .refresh
        response = try await Self.response(to: request, run)
      }
      if response.source == .file { return .local }
      if case .stale(_, let reason?) = response.freshness {
        return .failed(url: shown, reason: "\(reason); the stored image is out of date")
      }
      guard await response.isStored() else { return .failed(url: shown, reason: "not stored") }
      // The image stays in memory until then.
      if target != nil { await run.downloader.waitForPixels() }
      return response.source == .disk && response.metrics == nil ? .known : .loaded
    } catch ImageError.cancelled {
      return .cancelled
    } catch {
      return .failed(url: shown, reason: "\(error)")
    }
  }
}

/// The result of a prefetch.
nonisolated struct PrefetchReport: Encodable, Equatable {
  enum Result: Sendable {
    case loaded
    /// The image was on disk and fresh.
    case known
    /// The image is a file or a data URL, which is not stored.
    case local
    /// The prefetch was interrupted. The image is not counted.
    case cancelled
    case failed(url: String, reason: String)
  }

  var loaded = 0
  var known = 0
  var local = 0
  var failed = 0
  /// The number of images, in each size, whose pixels are worth storing and are not on disk.
  var pixelsMissing = 0

  enum CodingKeys: String, CodingKey {
    case loaded, known, local, failed, pixelsMissing = "pixels_missing"
  }

  /// The number of images that are on disk.
  var stored: Int { loaded + known }

  var visited: Int { loaded + known + local + failed }

  mutating func add(_ result: Result) {
    switch result {
    case .loaded: loaded += 1
    case .known: known += 1
    case .local: local += 1
    case .cancelled: break
    case .failed: failed += 1
    }
  }

  /// Returns the message about images that were stored and are not on disk any more; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - missing: The number of images that are not on disk, including those that could not be loaded.
  ///   - sizes: The number of loads of each image.
  func loss(missing: Int, sizes: Int) -> String? {
    guard missing * sizes > failed else { return nil }
    return "\(ToolText.count(missing, "image")) not on disk: all together exceed the limit of the cache"
  }

  var text: String {
    var parts = ["\(ToolText.count(loaded, "image")) loaded"]
    if known > 0 { parts.append("\(known) already stored") }
    if local > 0 { parts.append("\(local) local, not stored") }
    if failed > 0 { parts.append("\(failed) failed") }
    if pixelsMissing > 0 { parts.append("pixels of \(pixelsMissing) not stored") }
    return parts.joined(separator: ", ")
  }
}
