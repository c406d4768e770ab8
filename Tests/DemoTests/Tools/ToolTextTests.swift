import Testing
import Vitrine

@testable import VitrineDemo

/// The words and the progress of the tools.
struct ToolTextTests {
  @Test(arguments: [
    (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12.3 kB"), (999_949, "999.9 kB"),
    (999_950, "1.0 MB"), (150 << 20, "157.3 MB"), (2_500_000_000, "2.5 GB"), (.max, "9223372.0 TB"),
  ])
  func sizes(bytes: Int, text: String) { #expect(ToolText.size(bytes) == text) }

  @Test(
    arguments: [
      (nil, "?"), (.nan, "?"), (.infinity, "?"), (-5, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"),
      (3600, "1 h"), (86399, "23 h"), (86400 * 3, "3 days"),
    ] as [(Double?, String)])
  func ages(seconds: Double?, text: String) { #expect(ToolText.age(seconds) == text) }

  @Test func timesAreBounded() {
    #expect(ToolText.time(1_800_000_000) == "2027-01-15T08:00:00Z")
    #expect(ToolText.time(.min) == "1970-01-01T00:00:00Z")
    #expect(ToolText.time(.max) == "9999-12-31T23:59:59Z")
  }

  @Test func countsHaveAPlural() {
    #expect(ToolText.count(1, "image") == "1 image" && ToolText.count(0, "image") == "0 images")
  }

  @Test func barIsDrawnAgainInItsLine() {
    var progress = ProgressLine(activity: "checking", isTerminal: true)

    #expect(progress.update(0, of: 4, at: 0) == "\r\u{1B}[Kchecking [........................] 0 % 0 of 4")
    #expect(progress.update(1, of: 4, at: ProgressLine.barInterval - 1) == nil)
    #expect(
      progress.update(2, of: 4, at: ProgressLine.barInterval)
        == "\r\u{1B}[Kchecking [############............] 50 % 2 of 4")
    #expect(progress.update(9, of: 4, at: 2 * ProgressLine.barInterval)?.contains("100 % 9 of 4") == true)
    #expect(progress.update(9, of: nil, at: 3 * ProgressLine.barInterval) == "\r\u{1B}[Kchecking 9")
    #expect(progress.end() == "\r\u{1B}[K" && progress.end().isEmpty)
  }

  @Test func plainLinesAreWrittenFromTimeToTime() {
    var progress = ProgressLine(activity: "checking", isTerminal: false)

    #expect(progress.update(0, of: 4, at: 0) == nil, "a short run has none")
    #expect(progress.update(1, of: 4, at: ProgressLine.lineInterval - 1) == nil)
    #expect(progress.update(2, of: 4, at: ProgressLine.lineInterval) == "checking 2 of 4\n")
    #expect(progress.update(3, of: nil, at: 2 * ProgressLine.lineInterval) == "checking 3\n")
    #expect(progress.end().isEmpty)
  }

  @Test(
    arguments: [
      (0, 0, 1, nil), (2, 2, 1, nil), (1, 2, 2, nil),
      (3, 2, 1, "3 images not on disk: all together exceed the limit of the cache"),
      (1, 1, 2, "1 image not on disk: all together exceed the limit of the cache"),
    ] as [(Int, Int, Int, String?)])
  func imagesThatWereRemovedAgainAreReported(missing: Int, failed: Int, sizes: Int, text: String?) {
    #expect(PrefetchReport(failed: failed).loss(missing: missing, sizes: sizes) == text)
  }

  @Test func limitsOfASeedAreThoseOfTheFreeSpace() {
    let limits = DiskImageCache.Limits.seed
    #expect(limits.bytes == .max && limits.guaranteedBytes == .max && limits.freeBytes > 0)
    let pixels = DiskPixelCache.Limits.writableSeed
    #expect(pixels.bytes == .max && pixels.freeBytes > 0)
  }

  @Test func reportsNameImagesAndPixels() {
    #expect(
      PrefetchReport(loaded: 1, known: 2, local: 3, failed: 4).text
        == "1 image loaded, 2 already stored, 3 local, not stored, 4 failed")
    #expect(PrefetchReport(loaded: 2, pixelsMissing: 1).text == "2 images loaded, pixels of 1 not stored")
    var interrupted = PrefetchReport(loaded: 1)
    interrupted.add(.cancelled)
    #expect(interrupted == PrefetchReport(loaded: 1))
    var removal = RemovalReport()
    removal.add(images: .init(count: 3, bytes: 12_288), .init(count: 1, bytes: 4096))
    removal.add(pixels: .init(count: 1, bytes: 20_000), .init(count: 4, bytes: 16_000))
    #expect(
      removal.lines == [
        "2 images removed (8.2 kB), 1 left (4.1 kB)", "pixels: 0 images removed (4.0 kB), 4 left (16.0 kB)",
      ])
    let verification = VerifyTool.Report(
      checked: 3, damaged: ["a", "b"], unreadable: ["c"], removed: 1, pixelsChecked: 1, pixelsDamaged: 1,
      pixelsRemoved: 1, pixelsUnreadable: 0)
    #expect(
      verification.lines == [
        "3 files checked, 2 damaged, 1 removed, 1 unreadable",
        "pixels: 1 image checked, 1 damaged, 1 removed",
      ])
  }

  @Test(
    arguments: [
      (0, 0, 0, nil), (1, 1, 0, nil), (2, 1, 0, "1 damaged file"), (0, 0, 2, "damaged pixels of 2 images"),
      (2, 0, 1, "2 damaged files and damaged pixels of 1 image"),
    ] as [(Int, Int, Int, String?)])
  func damageThatStaysIsNamed(damaged: Int, removed: Int, pixels: Int, text: String?) {
    let report = VerifyTool.Report(
      damaged: Array(repeating: "a", count: damaged), removed: removed, pixelsDamaged: pixels + 3,
      pixelsRemoved: 3)

    #expect(report.remainingDamage == text)
  }

  @Test(
    arguments: [
      (0, 0, nil), (1, 0, "1 damaged file"), (0, 2, "2 unreadable files"),
      (2, 1, "2 damaged files and 1 unreadable file"),
    ] as [(Int, Int, String?)])
  func damagedAndUnreadableFilesAreToldApart(damaged: Int, unreadable: Int, text: String?) {
    #expect(ToolText.files(damaged: damaged, unreadable: unreadable) == text)
    let report = ExportTool.Report(exported: 1, bytes: 1, damaged: damaged, unreadable: unreadable)
    #expect(report.loss == text.map { "\($0) left out; see cache verify" })
    var figures = CacheFigures(directory: "/images")
    for _ in 0..<damaged { figures.add(.init(name: "a", state: .damaged), at: 0) }
    for _ in 0..<unreadable { figures.add(.init(name: "a", state: .unreadable(code: 13)), at: 0) }
    #expect(figures.damaged == damaged && figures.unreadable == unreadable && figures.images == 0)
  }

  @Test(
    arguments: [
      ("a", ".", "a"), ("/a", "/", "a"), ("b/a", "b/", "a"), ("/c/b/a.x", "/c/b/", "a.x"),
    ])
  func archiveIsSoughtInItsFolder(path: String, folder: String, name: String) {
    #expect(ArchiveFile.parts(of: path) == (folder, name))
    #expect(ArchiveFile.isTemporary("\(name).new-00ffeeddccbbaa99", of: name))
    for other in [name, "\(name).new-", "\(name).new-1", "\(name).new-00ffeeddccbbaa9g", "x\(name).new-00"] {
      #expect(!ArchiveFile.isTemporary(other, of: name), "\(other)")
    }
  }

  @Test(
    arguments: [
      ([], 16), ([(64, 64)], 16), ([(1920, 1080)], 16), ([(64, 64), (3840, 2160)], 4),
      ([(16_384, 16_384)], 2),
    ] as [([(Int, Int)], Int)])
  func largePixelsWaitInSmallNumbers(sizes: [(Int, Int)], count: Int) {
    #expect(PrefetchTool.window(for: sizes.map { DecodeTarget(width: $0.0, height: $0.1) }) == count)
  }

  @Test func figuresHaveLinesForPixelsAndIncompleteDownloads() {
    var figures = CacheFigures(directory: "/images")
    figures.add(pixels: .init(count: 4, bytes: 65_536), incomplete: .init(count: 1, bytes: 131_072))

    #expect(figures.lines.first == "directory   /images")
    #expect(figures.lines.suffix(2) == ["pixels      4 (65.5 kB)", "incomplete  1 (131.1 kB)"])
  }

  @Test(
    arguments: [
      ("cahce", ["cache", "prefetch"], "cache"), ("ls", ["ls", "stat"], "ls"), ("zebra", ["cache"], nil),
    ] as [(String, [String], String?)])
  func nearestWordIsFound(typed: String, words: [String], expected: String?) {
    #expect(Typo.nearest(to: typed, among: words, within: 2) == expected)
  }
}
