import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The choice of entries to evict on a file system with few free files or bytes.
struct DiskFloorTests {
  /// Twenty entries of 4 KiB, used one second after the other.
  private let entries = (0..<20).map { number in
    DiskTrim.Entry(
      name: ContentHash([UInt8(number)]), bytes: 4096, stored: 1_000_000, used: 1_000_000 + Int64(number))
  }

  private func outcome(
    freeFiles: Int?, totalFiles: Int, guaranteed: Int, freeBytes: Int = 1 << 30,
    growth: DiskTrim.Growth = DiskTrim.Growth(bytes: 4096, files: 1)
  ) -> DiskTrim.Outcome {
    var limits = DiskImageCache.Limits()
    (limits.freeBytes, limits.freeFiles, limits.guaranteedBytes) = (0, 1000, guaranteed)
    let trim = DiskTrim(limits: limits, time: 1_000_100, uses: [:], now: 0)
    let space = DiskSpace(
      freeBytes: freeBytes, totalBytes: 1 << 40, freeFiles: freeFiles, totalFiles: totalFiles)
    return trim.outcome(of: entries, space: space, growth: growth)
  }

  @Test func evictionRemovesAsManyFilesAsAreMissing() {
    let outcome = outcome(freeFiles: 998, totalFiles: 1 << 20, guaranteed: 0)

    // Two files are missing below the floor, and the new response needs one more.
    #expect(outcome.victims == Array(entries[..<3]))
    #expect(outcome.hasSpace)
  }

  @Test func storingMayUseTheLastFileAboveTheFloor() {
    #expect(outcome(freeFiles: 1001, totalFiles: 1 << 20, guaranteed: 0) == DiskTrim.Outcome())
    #expect(outcome(freeFiles: 1000, totalFiles: 1 << 20, guaranteed: 0).victims == Array(entries[..<1]))
  }

  @Test func aSmallFileSystemLeavesATenthOfItsFilesFree() {
    #expect(outcome(freeFiles: 21, totalFiles: 200, guaranteed: 0) == DiskTrim.Outcome())
    #expect(outcome(freeFiles: 20, totalFiles: 200, guaranteed: 0).victims == Array(entries[..<1]))
  }

  @Test(arguments: [1, 64, 100, 128, 1024])
  func aSmallFileSystemLeavesHalfOfItsBytesFree(totalMegabytes: Int) {
    let totalBytes = totalMegabytes << 20
    func isMissing(free: Int) -> Bool {
      let space = DiskSpace(freeBytes: free, totalBytes: totalBytes)
      return DiskFloor(limits: DiskImageCache.Limits(), space: space)
        .missing(after: DiskTrim.Growth(bytes: 4096, files: 1)).isAny
    }
    let floor = min(64 << 20, totalBytes / 2)
    #expect(!isMissing(free: floor + 4096) && isMissing(free: floor + 4095))
  }

  @Test(arguments: [(0, 40), (64, 20), (1_000_000, 20)])
  func theGuaranteeOnASmallFileSystemIsWhatFitsThere(freeMegabytes: Int, allowed: Int) {
    var limits = DiskImageCache.Limits()
    limits.freeBytes = freeMegabytes << 20
    let floor = DiskFloor(limits: limits, space: DiskSpace(freeBytes: 0, totalBytes: 40 << 20))
    let guaranteedBytes = limits.purgeTarget(for: allowed << 20)
    #expect(floor.guaranteedBytes == guaranteedBytes)
  }

  @Test func guaranteedEntriesStayWhenFilesAreMissing() {
    let outcome = outcome(freeFiles: 0, totalFiles: 1 << 20, guaranteed: 1 << 20)

    #expect(outcome.victims.isEmpty && !outcome.hasSpace)
  }

  @Test func guaranteedEntriesStayWhenALargeResponseFindsNoSpace() {
    let outcome = outcome(
      freeFiles: 0, totalFiles: 1 << 20, guaranteed: 16 * 4096,
      growth: DiskTrim.Growth(bytes: 16 * 4096, files: 1))

    #expect(outcome.victims == Array(entries[..<4]), "the bytes that are not stored do not count as kept")
    #expect(!outcome.hasSpace)
  }

  @Test func nothingIsEvictedForAResponseThatFindsNoSpace() {
    let outcome = outcome(
      freeFiles: nil, totalFiles: .max, guaranteed: 4 * 4096, freeBytes: 4096,
      growth: DiskTrim.Growth(bytes: 30 * 4096, files: 1))

    #expect(outcome.victims.isEmpty && !outcome.hasSpace)
  }

  @Test func replacementNeedsNoFreeFile() {
    let replaced = DiskTrim.Growth(bytes: 0, files: 0, replaces: entries[3].name)

    #expect(outcome(freeFiles: 1000, totalFiles: 1 << 20, guaranteed: 1 << 20, growth: replaced).hasSpace)
  }

  @Test func fileSystemWithoutAFileCountHasEnoughFiles() {
    #expect(outcome(freeFiles: nil, totalFiles: .max, guaranteed: 0) == DiskTrim.Outcome())
  }
}
