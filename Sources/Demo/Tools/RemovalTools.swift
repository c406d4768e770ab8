import Vitrine

/// `cache trim`: removes what exceeds the limits.
nonisolated struct TrimTool {
  /// The number of bytes to leave of responses and pixels together; `nil` for the limits of the caches.
  let limit: Int?

  func run(
    _ cache: DiskImageCache, _ pixels: DiskPixelCache, _ console: inout ToolConsole
  ) throws(Tools.Failure) {
    if let limit {
      cache.limits.bytes = limit
      // Exactly this much may stay.
      cache.limits.purgeLevel = 1
      cache.limits.guaranteedBytes = min(limit, cache.limits.guaranteedBytes)
    }
    var report = RemovalReport()
    // The pixels of images that are removed are removed with them.
    let pixelsBefore = pixels.usage()
    let before = cache.measured()
    var progress = console
    cache.trim { progress.report($0, of: $1) }
    progress.endProgress()
    let after = cache.measured()
    report.add(
      images: .init(count: before.entries, bytes: before.bytes),
      .init(count: after.entries, bytes: after.bytes))
    // Pixels can be made from responses again, so they have the rest of the limit.
    if let limit { pixels.limits.bytes = max(0, limit - after.bytes) }
    pixels.trim()
    let pixelsAfter = pixels.usage()
    report.add(pixels: pixelsBefore, pixelsAfter)
    report.write(to: console)
    if after.bytes > cache.limits.bytes {
      throw Tools.Failure(message: "another process trims the folder, or files cannot be removed")
    }
    if let fault = pixels.fault { throw Tools.Failure(message: "\(fault)") }
    // Without pixels, a small index stays.
    if limit != nil, pixelsAfter.count > 0, pixelsAfter.bytes > pixels.limits.bytes {
      throw Tools.Failure(message: "another process adds pixels to the folder, or files cannot be removed")
    }
  }
}

/// `cache clear`: removes all images and pixels.
nonisolated struct ClearTool {
  func run(
    _ cache: DiskImageCache, _ pixels: DiskPixelCache, _ console: inout ToolConsole
  ) throws(Tools.Failure) {
    var report = RemovalReport()
    let pixelsBefore = pixels.usage()
    let fault = pixels.removeAll()
    report.add(pixels: pixelsBefore, pixels.usage())
    let before = cache.measured()
    var progress = console
    let isComplete = cache.removeAllResponses { progress.report($0, of: $1) }
    progress.endProgress()
    let after = cache.measured()
    report.add(
      images: .init(count: before.entries, bytes: before.bytes),
      .init(count: after.entries, bytes: after.bytes))
    report.write(to: console)
    if let fault { throw Tools.Failure(message: "\(fault)") }
    guard isComplete else {
      throw Tools.Failure(message: "some images or broken downloads cannot be removed")
    }
  }
}

/// The result of a removal.
nonisolated struct RemovalReport: Encodable, Equatable {
  var removed = 0, removedBytes = 0
  var left = 0, leftBytes = 0
  var pixelsRemoved = 0, pixelBytesRemoved = 0
  var pixelsLeft = 0, pixelBytesLeft = 0

  enum CodingKeys: String, CodingKey {
    case removed, removedBytes = "removed_bytes", left, leftBytes = "left_bytes",
      pixelsRemoved = "pixels_removed", pixelBytesRemoved = "pixel_bytes_removed",
      pixelsLeft = "pixels_left", pixelBytesLeft = "pixel_bytes_left"
  }

  /// Records the contents before and after the removal.
  mutating func add(images before: ImageCache.DiskUsage, _ after: ImageCache.DiskUsage) {
    (removed, removedBytes) = (max(0, before.count - after.count), max(0, before.bytes - after.bytes))
    (left, leftBytes) = (after.count, after.bytes)
  }

  /// Records the pixels before and after the removal.
  mutating func add(pixels before: ImageCache.DiskUsage, _ after: ImageCache.DiskUsage) {
    pixelsRemoved = max(0, before.count - after.count)
    pixelBytesRemoved = max(0, before.bytes - after.bytes)
    (pixelsLeft, pixelBytesLeft) = (after.count, after.bytes)
  }

  var lines: [String] {
    [
      "\(ToolText.count(removed, "image")) removed (\(ToolText.size(removedBytes))), "
        + "\(left) left (\(ToolText.size(leftBytes)))",
      "pixels: \(ToolText.count(pixelsRemoved, "image")) removed (\(ToolText.size(pixelBytesRemoved))), "
        + "\(pixelsLeft) left (\(ToolText.size(pixelBytesLeft)))",
    ]
  }

  func write(to console: ToolConsole) {
    guard !console.isJSON else {
      console.json(self)
      return
    }
    for line in lines { console.line(line) }
  }
}
