import Vitrine

/// `cache export`: writes all images to one file. Fails after that if some could not be read.
nonisolated struct ExportTool {
  let file: String
  let interruption: Interruption

  struct Report: Encodable, Equatable {
    var exported, bytes, damaged, unreadable: Int

    /// The files that the archive lacks, in words; `nil` if there are none.
    var loss: String? {
      let lost = ToolText.files(damaged: damaged, unreadable: unreadable)
      return lost.map { "\($0) left out; see cache verify" }
    }
  }

  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
    let output = try ArchiveOutput(file, interruption)
    var progress = console
    let summary: DiskImageCache.ExportSummary
    do throws(ArchiveError) {
      summary = try cache.exportArchive(
        to: { (bytes) throws(ArchiveError) in try output.write(bytes) },
        progress: { visited, total in
          progress.report(visited, of: total)
          return !interruption.isRequested
        })
      try output.finish()
      progress.endProgress()
    } catch {
      progress.endProgress()
      let consequence = output.isNewFile ? "\(file) is not written" : "the archive is not complete"
      throw Tools.Failure(message: "\(error): \(consequence)")
    }
    let report = Report(
      exported: summary.exported, bytes: summary.bytes, damaged: summary.damaged,
      unreadable: summary.unreadable)
    let text = "\(ToolText.count(report.exported, "image")) exported (\(ToolText.size(report.bytes)))"
    // Standard output has the archive.
    if output.isStandardOutput {
      console.message(text)
    } else if console.isJSON {
      console.json(report)
    } else {
      console.line(text)
    }
    if let loss = report.loss { throw Tools.Failure(message: loss) }
  }
}

/// `cache import`: stores the images of such a file.
nonisolated struct ImportTool {
  let file: String
  let interruption: Interruption

  struct Report: Encodable, Equatable {
    var imported, bytes, known: Int
    var isPrivate, damaged, tooLarge, noRoom: Int
    var isComplete: Bool

    enum CodingKeys: String, CodingKey {
      case imported, bytes, known, isPrivate = "private", damaged, tooLarge = "too_large",
        noRoom = "no_room", isComplete = "complete"
    }

    init(_ summary: DiskImageCache.ImportSummary) {
      (imported, bytes, known) = (summary.imported, summary.bytes, summary.known)
      (isPrivate, damaged, tooLarge) = (summary.isPrivate, summary.damaged, summary.tooLarge)
      noRoom = summary.noRoom
      isComplete = summary.isComplete
    }

    var text: String {
      var parts = ["\(ToolText.count(imported, "image")) imported (\(ToolText.size(bytes)))"]
      if known > 0 { parts.append("\(known) already there") }
      if isPrivate > 0 { parts.append("\(isPrivate) private to another folder left out") }
      if tooLarge > 0 { parts.append("\(tooLarge) too large") }
      if damaged > 0 { parts.append("\(damaged) damaged") }
      if noRoom > 0 { parts.append("no room for \(noRoom)") }
      return parts.joined(separator: ", ")
    }
  }

  func run(_ cache: DiskImageCache, _ console: inout ToolConsole) throws(Tools.Failure) {
    let input = try ArchiveInput(file, interruption)
    let isSeed = cache.isOpenToAllReaders
    var progress = console
    let summary = cache.importArchive(
      from: { (count) throws(ArchiveError) in try input.read(count) },
      progress: { summary in
        progress.report(summary.visited, of: summary.total)
        return !interruption.isRequested
      })
    progress.endProgress()
    // New images of a seed can be read by all users as well.
    let isReadableByAll = !isSeed || cache.openToAllReaders()
    let unreadable = "\(cache.directory): not all files can be made readable for all users"
    if summary.failure == .notAnArchive {
      throw Tools.Failure(message: "\(file) is \(ArchiveError.notAnArchive)")
    }
    let report = Report(summary)
    if console.isJSON { console.json(report) } else { console.line(report.text) }
    if !isReadableByAll, summary.failure != nil || !summary.isIntact { console.message(unreadable) }
    if let failure = summary.failure {
      throw Tools.Failure(message: "\(failure): the import is not complete")
    }
    guard summary.isIntact else {
      let problem = summary.isComplete ? "is damaged" : "is damaged or not complete"
      throw Tools.Failure(message: "\(file) \(problem); everything intact was imported")
    }
    if !isReadableByAll { throw Tools.Failure(message: unreadable) }
    let missing = summary.tooLarge + summary.noRoom
    if missing > 0 {
      throw Tools.Failure(
        message: "\(ToolText.count(missing, "image")) left out: "
          + "the limit of the cache is \(ToolText.size(cache.limits.bytes))")
    }
  }
}
