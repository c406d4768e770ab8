import Vitrine

/// `cache verify`: reads and checks each file.
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

    var text: String {
      var parts = ["\(ToolText.count(checked, "file")) checked", "\(damaged.count) damaged"]
      if removed > 0 { parts.append("\(removed) removed") }
      if !unreadable.isEmpty { parts.append("\(unreadable.count) unreadable") }
      return parts.joined(separator: ", ")
    }
  }

  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
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
    progress.endProgress()
    if console.isJSON {
      console.json(report)
    } else {
      for name in report.damaged { console.line("damaged  digest:\(name)") }
      for name in report.unreadable { console.line("unreadable  digest:\(name)") }
      console.line(report.text)
    }
    try Tools.check(walk, interruption)
    let left = report.damaged.count - report.removed
    guard left == 0 else {
      let hint = repairs ? "cannot be removed" : "--repair removes them"
      throw Tools.Failure(message: "\(ToolText.count(left, "damaged file")); \(hint)")
    }
  }
}
