import FoundationEssentials
import Vitrine

/// `cache stat`: counts and sizes.
nonisolated struct StatTool {
  let interruption: Interruption

  func run(
    _ cache: DiskImageCache, _ pixels: DiskPixelCache, _ console: inout ToolConsole
  ) throws(Tools.Failure) {
    let now = Date().timeIntervalSince1970
    var figures = CacheFigures(directory: cache.directory)
    var (total, visited, progress) = (0, 0, console)
    let walk = cache.forEachEntry(count: { total = $0 }) { entry in
      figures.add(entry, at: now)
      visited += 1
      progress.report(visited, of: total)
      return !interruption.isRequested
    }
    progress.endProgress()
    // Files that cannot be read are counted. The failure follows the figures.
    if walk != .incomplete { try Tools.check(walk, interruption) }
    figures.add(pixels: pixels.usage(), incomplete: cache.incompleteUsage())
    if let fault = pixels.fault ?? cache.fault { throw Tools.Failure(message: "\(fault)") }
    if console.isJSON {
      console.json(figures)
    } else {
      for line in figures.lines { console.line(line) }
    }
    try Tools.check(walk, interruption)
  }
}

/// The counts and sizes of a cache.
nonisolated struct CacheFigures: Encodable, Equatable {
  var directory: String
  var images = 0
  /// The number of bytes of the images.
  var bytes = 0
  /// The number of bytes of the files.
  var fileBytes = 0
  var privateImages = 0
  var fresh = 0
  var stale = 0
  var mustRevalidate = 0
  var damaged = 0
  /// The number of files that the system refused to read.
  var unreadable = 0
  /// The number of images whose decoded pixels are stored, in each size, and the bytes of their files.
  var pixels = 0, pixelBytes = 0
  /// The number of incomplete responses, and the bytes of their files.
  var incomplete = 0, incompleteBytes = 0
  /// The times of the oldest and the newest store in seconds since 1970.
  var oldest, newest: Int64?

  enum CodingKeys: String, CodingKey {
    case directory, images, bytes, fileBytes = "file_bytes", privateImages = "private", fresh, stale,
      mustRevalidate = "revalidate", damaged, unreadable, pixels, pixelBytes = "pixel_bytes", incomplete,
      incompleteBytes = "incomplete_bytes", oldest, newest
  }

  init(directory: String) { self.directory = directory }

  mutating func add(_ entry: DiskImageCache.Entry, at now: Double) {
    let content: DiskImageCache.Entry.Content
    switch entry.state {
    case .intact(let intact): content = intact
    case .damaged:
      damaged += 1
      return
    case .unreadable:
      unreadable += 1
      return
    }
    images += 1
    bytes += content.bodyBytes
    fileBytes += content.fileBytes
    if content.isPrivate { privateImages += 1 }
    switch content.response.condition(at: now, isRedirected: content.isRedirected) {
    case .fresh: fresh += 1
    case .stale: stale += 1
    case .mustRevalidate: mustRevalidate += 1
    }
    oldest = min(oldest ?? content.stored, content.stored)
    newest = max(newest ?? content.stored, content.stored)
  }

  mutating func add(pixels usage: ImageCache.DiskUsage, incomplete: ImageCache.DiskUsage) {
    (pixels, pixelBytes) = (usage.count, usage.bytes)
    (self.incomplete, incompleteBytes) = (incomplete.count, incomplete.bytes)
  }

  var lines: [String] {
    var rows = [
      ("directory", directory), ("images", "\(images)"), ("size", ToolText.size(bytes)),
      ("on disk", ToolText.size(fileBytes)), ("fresh", "\(fresh)"), ("stale", "\(stale)"),
      ("revalidate", "\(mustRevalidate)"), ("private", "\(privateImages)"), ("damaged", "\(damaged)"),
      ("unreadable", "\(unreadable)"),
    ]
    if let oldest, let newest {
      rows += [("oldest", ToolText.time(oldest)), ("newest", ToolText.time(newest))]
    }
    rows += [
      ("pixels", "\(pixels) (\(ToolText.size(pixelBytes)))"),
      ("incomplete", "\(incomplete) (\(ToolText.size(incompleteBytes)))"),
    ]
    return rows.map { name, value in name + String(repeating: " ", count: max(1, 12 - name.count)) + value }
  }

  func encode(to encoder: any Encoder) throws {
    var figures = encoder.container(keyedBy: CodingKeys.self)
    try figures.encode(directory, forKey: .directory)
    for (key, number) in [
      (CodingKeys.images, images), (.bytes, bytes), (.fileBytes, fileBytes), (.privateImages, privateImages),
      (.fresh, fresh), (.stale, stale), (.mustRevalidate, mustRevalidate), (.damaged, damaged),
      (.unreadable, unreadable),
      (.pixels, pixels), (.pixelBytes, pixelBytes), (.incomplete, incomplete),
      (.incompleteBytes, incompleteBytes),
    ] { try figures.encode(number, forKey: key) }
    try figures.encodeIfPresent(oldest.map(ToolText.time), forKey: .oldest)
    try figures.encodeIfPresent(newest.map(ToolText.time), forKey: .newest)
  }
}
