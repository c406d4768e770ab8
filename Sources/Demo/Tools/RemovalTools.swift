import Vitrine

/// `cache trim`: removes what exceeds the limits.
nonisolated struct TrimTool {
  /// The number of bytes to leave; `nil` for the limit of the cache.
  let limit: Int?

  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
    if let limit {
      cache.limits.bytes = limit
      // Exactly this much may stay.
      cache.limits.purgeLevel = 1
      cache.limits.guaranteedBytes = min(limit, cache.limits.guaranteedBytes)
    }
    let before = cache.measured()
    cache.trim()
    let after = cache.measured()
    let report = RemovalReport(
      removed: max(0, before.entries - after.entries), removedBytes: max(0, before.bytes - after.bytes),
      left: after.entries, leftBytes: after.bytes)
    report.write(to: console)
    if let limit, after.bytes > limit {
      throw Tools.Failure(message: "another process trims the folder, or files cannot be removed")
    }
  }
}

/// `cache clear`: removes all images.
nonisolated struct ClearTool {
  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
    let before = cache.measured()
    var progress = console
    let isComplete = cache.removeAllResponses { progress.report($0, of: $1) }
    progress.endProgress()
    let after = cache.measured()
    RemovalReport(
      removed: max(0, before.entries - after.entries), removedBytes: max(0, before.bytes - after.bytes),
      left: after.entries, leftBytes: after.bytes
    ).write(to: console)
    guard isComplete else { throw Tools.Failure(message: "some images cannot be removed") }
  }
}

/// The result of a removal.
nonisolated struct RemovalReport: Encodable, Equatable {
  var removed, removedBytes: Int
  var left, leftBytes: Int

  enum CodingKeys: String, CodingKey {
    case removed, removedBytes = "removed_bytes", left, leftBytes = "left_bytes"
  }

  var text: String {
    "\(ToolText.count(removed, "image")) removed (\(ToolText.size(removedBytes))), "
      + "\(left) left (\(ToolText.size(leftBytes)))"
  }

  func write(to console: ToolConsole) {
    if console.isJSON { console.json(self) } else { console.line(text) }
  }
}
