import Foundation
import Glibc
import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Sizes and times of files that no cache has written, such as those of sparse files.
@Suite(.timeLimit(.minutes(5))) struct DiskNumberTests {
  let fixture = DiskFixture()

  private static let sizes: [Int] = [.max, .max - 4095, 1 << 62, 1 << 61, 0, -1, .min]
  private static let times: [Int] = [.min, .min + 1, -1, 0, .max]

  @Test(arguments: sizes, times)
  func extremeSizesAndTimesOfFilesCauseNoCrash(size: Int, time: Int) throws {
    let system = FaultySystem()
    fixture.cache().store(storedResponse(), for: identity(0))
    // Temporary files of writers have sizes and times too.
    let folder = try #require(fixture.files.first).split(separator: "/").dropLast().joined(separator: "/")
    for number in 0..<4 {
      fixture.cache().store(storedResponse(seed: UInt8(number)), for: identity(number))
      try Data(count: 1).write(to: URL(filePath: "/\(folder)/\(TemporaryFile.prefix)\(number)"))
    }
    system.changeStatus { status in
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      status.st_size = size
      status.st_mtim.tv_sec = time
      status.st_atim.tv_sec = time
    }
    let cache = fixture.cache(on: system) { $0.timeToLive = 1e12 }

    #expect(cache.measured().entries == 4)
    #expect(cache.measured().bytes >= 0)
    _ = cache.response(for: identity(0))
    _ = cache.containsResponse(for: identity(0))
    cache.store(storedResponse(), for: identity(1))
    cache.store(storedResponse(5000), for: identity(5))
    for limits in [(1 << 20, 0), (.max, .max), (.max - 1, 1 << 20), (1 << 20, .max)] {
      cache.limits.bytes = limits.0
      cache.limits.freeBytes = limits.1
      cache.limits.guaranteedBytes = limits.1
      cache.trim()
      cache.store(storedResponse(5000), for: identity(6))
    }
    cache.limits.timeToLive = 1
    cache.trim()
    cache.removeResponse(for: identity(2))
    cache.removeAllResponses { _, _ in }

    #expect(system.openCount == 0)
  }

  @Test func fileLargerThanTheLimitIsEvictedFirst() throws {
    let system = FaultySystem()
    let cache = fixture.cache(on: system) { $0.bytes = 1 << 20 }
    for number in 0..<4 { cache.store(storedResponse(), for: identity(number)) }
    // A file of another process, whose use times are unknown.
    let foreign = "\(fixture.root)/0/" + String(repeating: "0", count: 32)
    try? FileManager.default.createDirectory(atPath: "\(fixture.root)/0", withIntermediateDirectories: true)
    try Data(count: 1).write(to: URL(filePath: foreign))
    #expect(truncate(foreign, 1 << 40) == 0)

    cache.trim()

    #expect(access(foreign, F_OK) != 0)
    #expect((0..<4).allSatisfy { cache.containsResponse(for: identity($0)) })
  }

  @Test(arguments: [1 << 40, 200 << 20])
  func bodyLongerThanTheLimitCountsAsDamage(length: Int) throws {
    let cache = fixture.cache { $0.bytes = 150 << 20 }
    #expect(cache.store(storedResponse(60), for: identity(1)))
    let path = try #require(fixture.files.first)
    // A header with a correct hash, before a body without disk blocks.
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    var writer = ByteWriter()
    writer.append(UInt64(length))
    bytes.replaceSubrange(28..<36, with: writer.bytes)
    var hash = ByteWriter()
    hash.append(ContentHash(Array(bytes[24..<(bytes.count - 60)])))
    bytes.replaceSubrange(8..<24, with: hash.bytes)
    try Data(bytes).write(to: URL(filePath: path))
    #expect(truncate(path, off_t(length + 4096)) == 0)

    #expect(!cache.containsResponse(for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.statistics.damaged == 1)
    #expect(access(path, F_OK) != 0)
  }

  @Test func extremeByteLimitsDoNotOverflow() {
    var limits = DiskImageCache.Limits()
    limits.bytes = .max
    #expect(limits.maximumBodyBytes == ResponseFile.maximumBodyBytes)
    #expect(limits.purgeTarget(for: .max - 1) > 0)
    #expect(FileStatus.allocatedBytes(for: .max) > 0 && FileStatus.allocatedBytes(for: .min) == 0)
  }
}
