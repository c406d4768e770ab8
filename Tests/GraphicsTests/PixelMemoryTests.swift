import Glibc
import Synchronization
import Testing

@testable import VitrineGraphics

/// Pixel memory: allocating and freeing blocks of any size.
@Suite(.timeLimit(.minutes(5))) struct PixelMemoryTests {
  private static let sizes = [
    0, 1, 63, 64, 2047, 2048, 2049, 4096, 5000, 16_384, 16_385, 22_016, 131_072, 131_073, 300_000,
  ]

  private final class Failures: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  private func memory(spareLimit: Int = 0) -> PixelMemory {
    PixelMemory(spareLimit: spareLimit, usesHeapOnly: false)
  }

  private func residentPages(_ block: PixelMemory.Block) -> Int {
    let page = 4096
    guard let start = block.bytes.baseAddress.map({ UInt(bitPattern: $0) / 4096 * 4096 }) else { return 0 }
    let count = (Int(UInt(bitPattern: block.bytes.baseAddress) - start) + block.bytes.count + page - 1) / page
    var pages = [UInt8](repeating: 0, count: count)
    guard mincore(UnsafeMutableRawPointer(bitPattern: start), count * page, &pages) == 0 else { return 0 }
    return pages.count { $0 & 1 == 1 }
  }

  @Test(arguments: sizes, [false, true])
  func blocksAreAlignedZeroedAndDisjoint(size: Int, usesHeapOnly: Bool) {
    let memory = PixelMemory(spareLimit: 1 << 20, usesHeapOnly: usesHeapOnly)
    for round in 0..<3 {
      let blocks = (0..<(size > 8192 ? 4 : 20)).map { _ in memory.allocate(size) }
      for (index, block) in blocks.enumerated() {
        #expect(block.bytes.count == size)
        #expect(UInt(bitPattern: block.bytes.baseAddress) % 64 == 0)
        #expect(block.bytes.allSatisfy { $0 == 0 }, "round \(round)")
        block.bytes.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1))
      }
      for (index, block) in blocks.enumerated() {
        #expect(block.bytes.allSatisfy { $0 == UInt8(index + 1) })
        memory.free(block)
      }
    }
  }

  @Test func sizeClassesWasteAtMostASixteenth() {
    var last = -1
    for size in stride(from: PixelSizeClass.smallest, through: PixelSizeClass.largest, by: 32) {
      guard let sizeClass = PixelSizeClass(for: size) else {
        Issue.record("no size class for \(size)")
        return
      }
      #expect(sizeClass.byteCount >= size && sizeClass.byteCount * 16 <= size * 17)
      #expect(sizeClass.byteCount % 64 == 0)
      #expect(sizeClass.index == last || sizeClass.index == last + 1)
      #expect(PixelSizeClass(for: sizeClass.byteCount) == sizeClass)
      last = sizeClass.index
    }
    #expect(last == PixelSizeClass.count - 1)
    #expect(PixelSizeClass(for: 64 * 64 * 4)?.byteCount == 64 * 64 * 4)
    #expect(PixelSizeClass(for: PixelSizeClass.smallest - 1) == nil)
    #expect(PixelSizeClass(for: PixelSizeClass.largest + 1) == nil)
  }

  @Test func freedBlocksAreReturnedToTheSystem() {
    let memory = memory()
    let blocks = (0..<200).map { _ in memory.allocate(16_384, isZeroed: false) }
    for block in blocks { block.bytes.initializeMemory(as: UInt8.self, repeating: 7) }
    #expect(residentPages(blocks[10]) == 4)

    // Every second block stays allocated, so that no region becomes empty.
    for index in stride(from: 0, to: 200, by: 2) { memory.free(blocks[index]) }

    #expect(residentPages(blocks[10]) == 0)
    #expect(residentPages(blocks[11]) == 4)
    #expect(memory.usage.used == 100 * 16_384)
    #expect(memory.usage.spare == 0)
    for index in stride(from: 1, to: 200, by: 2) { memory.free(blocks[index]) }
    #expect(memory.usage.used == 0)
    #expect(memory.usage.regions == 1)
    memory.trim()
    #expect(memory.usage == PixelMemory.Usage())
  }

  @Test func pagesSharedByTwoSlotsStayUntilBothAreFree() {
    let memory = memory()
    // Each block takes five and a half pages.
    let blocks = (0..<4).map { _ in memory.allocate(22_528) }
    for block in blocks { block.bytes.initializeMemory(as: UInt8.self, repeating: 7) }

    memory.free(blocks[1])

    #expect(blocks[0].bytes.allSatisfy { $0 == 7 })
    #expect(blocks[2].bytes.allSatisfy { $0 == 7 })
    let again = memory.allocate(22_000)
    #expect(again.bytes.baseAddress == blocks[1].bytes.baseAddress)
    #expect(again.bytes.allSatisfy { $0 == 0 })
    for block in [blocks[0], again, blocks[2], blocks[3]] { memory.free(block) }
  }

  @Test(arguments: [30_000, 300_000])
  func spareMemoryIsReusedWithinItsLimit(size: Int) {
    let memory = memory(spareLimit: 1 << 20)
    let blocks = (0..<100).map { _ in memory.allocate(size) }
    let known = Set(blocks.map(\.bytes.baseAddress))
    for block in blocks.reversed() { memory.free(block) }

    #expect(memory.usage.used == 0)
    #expect(memory.usage.spare > 0 && memory.usage.spare <= 1 << 20)
    let again = memory.allocate(size)
    #expect(known.contains(again.bytes.baseAddress))
    #expect(again.bytes.allSatisfy { $0 == 0 })
    memory.free(again)
    memory.trim()
    #expect(memory.usage == PixelMemory.Usage())
  }

  @Test func blocksLargerThanTheSpareLimitAreReleasedAtOnce() {
    let memory = memory(spareLimit: 1 << 20)

    memory.free(memory.allocate((1 << 20) + 1))

    #expect(memory.usage == PixelMemory.Usage())
  }

  @Test func regionOfABlockThatComesAndGoesStays() {
    let memory = memory(spareLimit: 1 << 20)
    let blocks = (0..<64).map { _ in memory.allocate(16_384) }
    #expect(memory.usage.regions == 1, "full")

    for _ in 0..<3 {
      let block = memory.allocate(16_384)
      block.bytes.initializeMemory(as: UInt8.self, repeating: 7)
      memory.free(block)
      #expect(memory.usage.regions == 2 && memory.usage.spare == 16_384)
    }

    for block in blocks { memory.free(block) }
    #expect(memory.usage.regions == 1)
  }

  @Test func emptyRegionsAreReleased() {
    let memory = memory(spareLimit: 1 << 20)
    let blocks = (0..<1000).map { _ in memory.allocate(16_384) }
    #expect(memory.usage.regions == 16)

    for block in blocks { memory.free(block) }

    #expect(memory.usage.regions == 1)
    #expect(memory.usage.spare <= 1 << 20)
  }

  @Test func bitmapMemoryIsZeroedAndKeepsItsPixels() {
    // A size that no other test uses at the same time.
    let bitmap = Bitmap(width: 1013, height: 37, format: .bgra, isOpaque: true) { bytes, _ in
      #expect(bytes.allSatisfy { $0 == 0 })
      bytes.initializeMemory(as: UInt8.self, repeating: 9)
    }

    #expect(bitmap.withUnsafeBytes { $0.allSatisfy { $0 == 9 } })
    #expect(bitmap.withUnsafeBytes { $0.count } == 1013 * 37 * 4)
  }

  @Test func threadsNeverShareABlock() async {
    let memory = memory(spareLimit: 256 << 10)
    let failures = Failures()
    await withDiscardingTaskGroup { group in
      for task in 1...8 {
        group.addTask { [failures, memory] in
          var held: [PixelMemory.Block] = []
          for step in 0..<400 {
            let size = [3000, 9000, 22_016, 100_000, 140_000][(step * 7 + task) % 5]
            let block = memory.allocate(size)
            if block.bytes.contains(where: { $0 != 0 }) { failures.add() }
            block.bytes.initializeMemory(as: UInt8.self, repeating: UInt8(task))
            held.append(block)
            if step % 50 == 49 { memory.trim() }
            guard held.count > 6 else { continue }
            let removed = held.remove(at: step % held.count)
            if removed.bytes.contains(where: { $0 != UInt8(task) }) { failures.add() }
            memory.free(removed)
          }
          for block in held { memory.free(block) }
        }
      }
    }

    #expect(failures.count == 0)
    #expect(memory.usage.used == 0)
    memory.trim()
    #expect(memory.usage == PixelMemory.Usage())
  }
}
