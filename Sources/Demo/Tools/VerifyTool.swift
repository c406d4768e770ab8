import Vitrine

/// `cache verify`: reads and checks each file, and all pixels.
nonisolated struct VerifyTool {
  let interruption: Interruption
  let repairs: Bool

  struct Report: Encodable, Equatable {
    var checked = 0
    /// The digests of the damaged files.
    var damaged: [String] = []
    /// The digests of the files that the system refused to read.
    var unreadable: [String] = []
    /// The number of damaged files that were removed.
    var removed = 0
    /// The numbers of images in the pixel cache that were checked, damaged, removed and unreadable. A damaged part of
    /// the index counts as one image, and so does a file of pixels that the index does not lead to.
    var pixelsChecked = 0, pixelsDamaged = 0, pixelsRemoved = 0, pixelsUnreadable = 0

    enum CodingKeys: String, CodingKey {
      case checked, damaged, unreadable, removed, pixelsChecked = "pixels_checked",
        pixelsDamaged = "pixels_damaged", pixelsRemoved = "pixels_removed",
        pixelsUnreadable = "pixels_unreadable"
    }

    mutating func add(_ pixels: DiskPixelCache.Verification) {
      pixelsChecked = pixels.entries + pixels.damaged + pixels.unreadable
      (pixelsDamaged, pixelsRemoved) = (pixels.damaged, pixels.removed)
      pixelsUnreadable = pixels.unreadable
    }

    var lines: [String] {
      [
        "\(ToolText.count(checked, "file")) checked"
          + Self.text(damaged.count, removed: removed, unreadable: unreadable.count),
        "pixels: \(ToolText.count(pixelsChecked, "image")) checked"
          + Self.text(pixelsDamaged, removed: pixelsRemoved, unreadable: pixelsUnreadable),
      ]
    }

    private static func text(_ damaged: Int, removed: Int, unreadable: Int) -> String {
      var text = ", \(damaged) damaged"
      if removed > 0 { text += ", \(removed) removed" }
      if unreadable > 0 { text += ", \(unreadable) unreadable" }
      return text
    }

    /// The damage that stays, in words; `nil` if there is none.
    var remainingDamage: String? {
      let (files, pixels) = (damaged.count - removed, pixelsDamaged - pixelsRemoved)
      var parts: [String] = []
      if files > 0 { parts.append(ToolText.count(files, "damaged file")) }
      if pixels > 0 { parts.append("damaged pixels of \(ToolText.count(pixels, "image"))") }
      return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }
  }

  func run(
    _ cache: DiskImageCache, _ pixels: DiskPixelCache, _ console: inout ToolConsole
  ) throws(Tools.Failure) {
    var (report, total, progress) = (Report(), 0, console)
    let walk = cache.forEachEntry(verifyingBodies: true, count: { total = $0 }) { entry in
      report.checked += 1
      switch entry.state {
      case .intact: break
      case .unreadable: report.unreadable.append(entry.name)
      case .damaged:
        report.damaged.append(entry.name)
        if repairs, cache.removeDamagedEntry(entry.name) { report.removed += 1 }
      }
      progress.report(report.checked, of: total)
      return !interruption.isRequested
    }
    var isStopped = interruption.isRequested
    if !isStopped {
      let found = pixels.verify(isRepairing: repairs) { done, total in
        progress.report(done, of: total)
        isStopped = interruption.isRequested && done < total
        return !isStopped
      }
      report.add(found)
    }
    progress.endProgress()
    if console.isJSON {
      console.json(report)
    } else {
      for name in report.damaged { console.line("damaged  digest:\(name)") }
      for name in report.unreadable { console.line("unreadable  digest:\(name)") }
      for line in report.lines { console.line(line) }
    }
    if walk != .incomplete { try Tools.check(walk, interruption) }
    if isStopped { throw Tools.Failure(message: "interrupted") }
    if let damage = report.remainingDamage {
      let remedy = repairs ? "cannot be removed" : "--repair removes them"
      let unreadable = ToolText.files(damaged: 0, unreadable: report.unreadable.count)
      throw Tools.Failure(message: "\(damage); \(remedy)" + (unreadable.map { "; \($0)" } ?? ""))
    }
    if let unreadable = ToolText.files(damaged: 0, unreadable: report.unreadable.count) {
      throw Tools.Failure(message: "\(unreadable): the permissions or the disk may be the reason")
    }
    try Tools.check(walk, interruption)
    if report.pixelsUnreadable > 0 { throw Tools.Failure(message: "some pixels cannot be read") }
  }
}
