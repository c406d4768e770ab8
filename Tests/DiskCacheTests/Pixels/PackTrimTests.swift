import Testing
import VitrineConcurrency

@testable import VitrineDiskCache

/// The choice of packs to remove, the quota of evictions, and time stamps, without a disk.
struct PackTrimTests {
  private static let day: Int64 = 86400
  private static let time: Int64 = 1_800_000_000

  private func pack(_ number: UInt32, bytes: Int = 100, used: Int64 = time) -> PackUsage.Pack {
    PackUsage.Pack(number: number, size: bytes, bytes: bytes, used: used)
  }

  private func usage(_ packs: [PackUsage.Pack]) -> PackUsage {
    var usage = PackUsage()
    usage.scanned(PixelSweep.Contents(packs: packs), at: 0)
    return usage
  }

  private let trim = PackTrim(time: time)

  @Test func leastRecentlyUsedPacksAreRemovedFirst() {
    let packs = [
      pack(1, used: Self.time - 50), pack(2, used: Self.time - 500), pack(3, used: Self.time),
      pack(4, used: Self.time + 2 * Self.day), pack(5, used: .min / 4), pack(6, used: 0),
    ]
    #expect(trim.order(packs).map(\.number) == [4, 5, 6, 2, 1, 3])
    // This process has used packs 5 and 4, in this order.
    let order = trim.order(packs) { [5: 10, 4: 20][$0] }
    #expect(order.map(\.number) == [6, 2, 1, 3, 5, 4])
  }

  @Test(arguments: [
    (600, []), (599, [1]), (300, [1, 2, 3]), (0, [1, 2, 3, 4, 5, 6]), (-1, [1, 2, 3, 4, 5, 6]),
  ])
  func victimsMeetTheLimit(limit: Int, expected: [UInt32]) {
    let usage = usage((1...6).map { pack($0, used: Int64($0)) })
    #expect(trim.victims(usage, limit: limit).map(\.number) == expected)
  }

  @Test func packsInRecentUseAreNotRemovedForANewImage() {
    var usage = usage((1...3).map { pack($0, used: Int64($0)) })
    #expect(trim.victims(usage, limit: 300, for: 50, at: 0)?.map(\.number) == [1])
    #expect(trim.victims(usage, limit: 400, for: 50, at: 0)?.isEmpty == true)
    #expect(trim.victims(usage, limit: 300, for: 50, locked: [1, 3], at: 0)?.map(\.number) == [2])
    #expect(trim.victims(usage, limit: 300, for: 50, locked: [1, 2, 3], at: 0) == nil)
    usage.used(1, at: 0)
    #expect(trim.victims(usage, limit: 300, for: 50, at: 0)?.map(\.number) == [2])
    for number in 1...3 { usage.used(UInt32(number), at: 0) }
    #expect(trim.victims(usage, limit: 300, for: 50, at: 0) == nil)
    let later = Int64(nanosecondsIn: PackTrim.protectedSeconds)
    #expect(trim.victims(usage, limit: 300, for: 50, at: later - 1) == nil)
    #expect(trim.victims(usage, limit: 300, for: 50, at: later)?.map(\.number) == [1])
    // A limit that was lowered applies to all packs.
    #expect(trim.victims(usage, limit: 100).count == 2)
    #expect(trim.victims(usage, limit: 40, for: 50, at: later) == nil)
  }

  @Test func hugeSizesDoNotOverflow() {
    let usage = usage((1...3).map { pack($0, bytes: .max / 2) })
    #expect(usage.bytes == .max)
    #expect(trim.victims(usage, limit: .max).isEmpty)
    #expect(trim.victims(usage, limit: 0, for: .max, at: .max) == nil)
    #expect(trim.victims(usage, limit: .min).count == 3)
  }

  @Test func quotaIsOneLimitADay() {
    var quota = EvictionQuota()
    let day = Int64(nanosecondsIn: EvictionQuota.seconds)
    func takes(_ bytes: Int, at now: Int64) -> Bool { quota.take(bytes, limit: 100, at: now) }
    #expect(takes(60, at: 5))
    #expect(!takes(60, at: 6))
    #expect(takes(40, at: 7))
    #expect(!takes(1, at: day + 4))
    #expect(takes(100, at: day + 5))
    #expect(!takes(.max, at: day + 6))
  }

  @Test func packGetsOneTimeStampADay() {
    var usage = usage([pack(1)])
    let hour = Int64(nanosecondsIn: 3600)
    func isStamped(_ number: UInt32 = 1, recorded: Int64 = Self.time, time: Int64, at now: Int64 = 0) -> Bool
    {
      usage.takeStamp(number, recorded: recorded, time: time, at: now)
    }
    #expect(!isStamped(time: Self.time + Self.day - 1))
    #expect(isStamped(time: Self.time + Self.day))
    // The wall clock jumps, but no day has passed.
    for time in [0, Self.time + 10 * 365 * Self.day, Int64(0x1p33)] {
      #expect(!isStamped(time: time, at: 23 * hour))
    }
    #expect(isStamped(time: 0, at: 24 * hour))
    #expect(isStamped(2, recorded: FileStatus.latestTime, time: 0))
    #expect(isStamped(3, recorded: -FileStatus.latestTime, time: Int64(0x1p33)))
  }

  @Test func folderIsScannedWhenOthersMayHaveWritten() {
    var usage = PackUsage()
    let limit = 16 * 8192
    #expect(usage.needsScan(forLimit: limit))
    usage.grew(7, by: 5000, time: Self.time, at: 0)
    #expect(usage.needsScan(forLimit: limit) && usage.packs.isEmpty)
    usage.scanned(PixelSweep.Contents(packs: [pack(1)], indexBytes: 30), at: 0)
    #expect(!usage.needsScan(forLimit: limit) && usage.bytes == 130)
    #expect(usage.lastUse(of: 7) == nil, "the pack does not exist")
    // A file takes whole blocks of 4 KiB.
    usage.grew(1, by: 3900, time: Self.time, at: 5)
    #expect(usage.bytes == 130)
    usage.grew(1, by: 8192, time: Self.time, at: 5)
    #expect(!usage.needsScan(forLimit: limit) && usage.bytes == 130 + 8192)
    usage.grew(2, by: 1, time: Self.time, at: 6)
    #expect(usage.needsScan(forLimit: limit) && usage.packs.count == 2)
    usage.removed(1)
    #expect(usage.bytes == 30 + 4096 && usage.lastUse(of: 1) == nil && usage.lastUse(of: 2) == 6)
    // An incomplete scan does not count.
    usage.scanned(PixelSweep.Contents(packs: [], isComplete: false), at: 0)
    #expect(usage.packs.count == 1)
    usage.removedAll()
    #expect(usage.bytes == 0 && usage.needsScan(forLimit: limit))
  }
}
