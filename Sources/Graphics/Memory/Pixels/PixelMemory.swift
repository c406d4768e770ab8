import Glibc
import VitrineConcurrency

/// An allocator for pixels, separate from the heap. Freed blocks go back to the system or are reused for blocks of the
/// same size.
///
/// Images come and go in any order, and their sizes differ by a factor of a thousand. The C library's heap keeps free
/// memory between two blocks in use, and after a few minutes such gaps take as much memory as the images. This
/// allocator therefore treats blocks by size:
///
/// - Below 2 KiB, blocks come from the heap.
/// - Up to 128 KiB, blocks are slots in regions of 1 MiB. All slots of a region have one size. The pages of freed slots
///   go back to the system, except for `spareLimit` bytes, and so do empty regions, except for one of each size.
/// - Larger blocks have pages of their own. Up to `spareLimit` bytes of freed pages are kept for blocks of the same
///   number of pages.
///
/// May be used from any thread. A lock is held for a few hundred nanoseconds.
package final class PixelMemory: Sendable {
  /// The allocator of all bitmaps of the process.
  package static let shared = PixelMemory()

  /// The alignment of blocks in bytes, chosen for vector instructions.
  package static let alignment = 64
  private static let regionSize = 1 << 20

  /// A region and its address.
  ///
  /// `@unchecked Sendable` because `slots` is only accessed with the lock of its `PixelMemory` held.
  fileprivate final class Region: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let sizeClass: PixelSizeClass
    var slots: PixelRegion

    init(_ start: UnsafeMutableRawPointer, _ sizeClass: PixelSizeClass, pageSize: Int) {
      self.start = start
      self.sizeClass = sizeClass
      slots = PixelRegion(
        byteCount: PixelMemory.regionSize, slotSize: sizeClass.byteCount, pageSize: pageSize)
    }
  }

  /// A block in use. Must be freed once, by the `PixelMemory` that allocated it.
  ///
  /// `@unchecked Sendable` because a block only stores an address and a size.
  package struct Block: @unchecked Sendable {
    package let bytes: UnsafeMutableRawBufferPointer
    fileprivate let storage: Storage
  }

  fileprivate enum Storage {
    /// A block from the heap. The pointer is the start of the heap allocation, which may lie before the first aligned
    /// byte.
    case heap(UnsafeMutableRawPointer)
    case slot(Region, Int)
    case pages(Int)
  }

  /// The bytes taken from the system, without the heap.
  package struct Usage: Hashable, Sendable {
    /// The bytes of blocks in use, rounded up to their slots or pages.
    package var used = 0
    /// The bytes of free memory kept for later blocks.
    package var spare = 0
    /// The number of regions.
    package var regions = 0
  }

  private struct SparePages {
    let start: UnsafeMutableRawPointer
    let byteCount: Int
  }

  private struct State {
    /// The regions of each size class, oldest first. Slots are taken in this order, so that the newest regions become
    /// empty.
    var regions: [[Region]] = Array(repeating: [], count: PixelSizeClass.count)
    /// The bytes of spare pages in regions.
    var spareInRegions = 0
    /// Freed blocks that have pages of their own, oldest first.
    var sparePages: [SparePages] = []
    var spareInPages = 0
    var used = 0
  }

  private let state = Shared(State())
  private let pageSize = SystemPages.size
  private let spareLimit: Int
  private let usesHeapOnly: Bool

  /// - Parameters:
  ///   - spareLimit: The number of free bytes to keep for later blocks; applies once to slots and once to pages.
  ///   - usesHeapOnly: True to take all blocks from the heap; the default is true under AddressSanitizer.
  package init(spareLimit: Int = 4 << 20, usesHeapOnly: Bool = PixelMemory.isHeapWatched) {
    self.spareLimit = spareLimit
    self.usesHeapOnly = usesHeapOnly
  }

  deinit {
    for region in state.withLock({ $0.regions.joined() }) { munmap(region.start, Self.regionSize) }
    for spare in state.withLock({ $0.sparePages }) { munmap(spare.start, spare.byteCount) }
  }

  /// True under AddressSanitizer, which detects out-of-bounds accesses only in blocks of the heap.
  package static var isHeapWatched: Bool { dlsym(nil, "__asan_init") != nil }

  package var usage: Usage {
    state.withLock { state in
      Usage(
        used: state.used, spare: state.spareInRegions + state.spareInPages,
        regions: state.regions.reduce(0) { $0 + $1.count })
    }
  }

  // MARK: Blocks

  /// Returns a block that is aligned to `alignment`.
  ///
  /// - Parameters:
  ///   - byteCount: The size in bytes, 0 or more.
  ///   - isZeroed: False if the caller writes all bytes before it reads them.
  package func allocate(_ byteCount: Int, isZeroed: Bool = true) -> Block {
    if !usesHeapOnly {
      if let sizeClass = PixelSizeClass(for: byteCount) {
        if let block = slot(of: sizeClass, byteCount, isZeroed: isZeroed) { return block }
      } else if byteCount > PixelSizeClass.largest {
        if let block = pages(byteCount, isZeroed: isZeroed) { return block }
      }
    }
    return heapBlock(byteCount, isZeroed: isZeroed)
  }

  /// Frees a block of this allocator.
  package func free(_ block: Block) {
    switch block.storage {
    case .heap(let start): start.deallocate()
    case .slot(let region, let slot): free(slot, in: region)
    case .pages(let byteCount): freePages(block.bytes.baseAddress, byteCount)
    }
  }

  /// Returns all spare memory to the system.
  package func trim() {
    let spare = state.withLock { state in
      for region in state.regions.joined() {
        var page = 0
        while let run = region.slots.spareRun(from: page) {
          page = run.upperBound
          drop(run, of: region, &state)
        }
      }
      for index in state.regions.indices where state.regions[index].contains(where: \.slots.isEmpty) {
        for region in state.regions[index] where region.slots.isEmpty {
          munmap(region.start, Self.regionSize)
        }
        state.regions[index].removeAll(where: \.slots.isEmpty)
      }
      state.spareInPages = 0
      defer { state.sparePages = [] }
      return state.sparePages
    }
    for spare in spare { munmap(spare.start, spare.byteCount) }
  }

  /// Returns a heap block, aligned here and not by `aligned_alloc`. Before glibc 2.38, an aligned allocation asks the
  /// heap for more room than the block needs, so it never reuses a freed block of the same size and the heap grows
  /// without end (glibc bug 14581).
  private func heapBlock(_ byteCount: Int, isZeroed: Bool) -> Block {
    let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount + Self.alignment, alignment: 1)
    let misalignment = Int(bitPattern: start) % Self.alignment
    let bytes = UnsafeMutableRawBufferPointer(
      start: start + (misalignment == 0 ? 0 : Self.alignment - misalignment), count: byteCount)
    if isZeroed { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    return Block(bytes: bytes, storage: .heap(start))
  }

  // MARK: Slots

  private func slot(of sizeClass: PixelSizeClass, _ byteCount: Int, isZeroed: Bool) -> Block? {
    let allocation = state.withLock { state -> (Region, PixelRegion.Allocation)? in
      guard let region = regionWithFreeSlot(sizeClass, &state) else { return nil }
      let spare = region.slots.spareBytes
      guard let allocation = region.slots.allocate() else { return nil }
      state.spareInRegions += region.slots.spareBytes - spare
      state.used += sizeClass.byteCount
      return (region, allocation)
    }
    guard let (region, allocation) = allocation else { return nil }
    let start = region.start + allocation.slot * sizeClass.byteCount
    let bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    if isZeroed {
      let written = allocation.written.clamped(to: 0..<byteCount)
      UnsafeMutableRawBufferPointer(rebasing: bytes[written]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    return Block(bytes: bytes, storage: .slot(region, allocation.slot))
  }

  private func regionWithFreeSlot(_ sizeClass: PixelSizeClass, _ state: inout State) -> Region? {
    if let region = state.regions[sizeClass.index].first(where: { !$0.slots.isFull }) { return region }
    guard let start = map(Self.regionSize) else { return nil }
    // A huge page could not be returned to the system while one of its slots is in use.
    madvise(start, Self.regionSize, MADV_NOHUGEPAGE)
    let region = Region(start, sizeClass, pageSize: pageSize)
    state.regions[sizeClass.index].append(region)
    return region
  }

  private func free(_ slot: Int, in region: Region) {
    let index = region.sizeClass.index
    let isRemoved = state.withLock { state in
      let spare = region.slots.spareBytes
      let unused = region.slots.free(slot)
      state.spareInRegions += region.slots.spareBytes - spare
      state.used -= region.sizeClass.byteCount
      // One empty region stays: an image that comes and goes would otherwise map and unmap it each time.
      if region.slots.isEmpty, state.regions[index].contains(where: { $0 !== region && $0.slots.isEmpty }) {
        state.spareInRegions -= region.slots.spareBytes
        state.regions[index].removeAll { $0 === region }
        return true
      }
      // Done with the lock held: another thread must not reuse the slot before its pages have gone back to the system.
      if state.spareInRegions > spareLimit { drop(unused, of: region, &state) }
      return false
    }
    if isRemoved { munmap(region.start, Self.regionSize) }
  }

  private func drop(_ pages: Range<Int>, of region: Region, _ state: inout State) {
    guard !pages.isEmpty else { return }
    let start = region.start + pages.lowerBound * pageSize
    guard madvise(start, pages.count * pageSize, MADV_DONTNEED) == 0 else { return }
    let spare = region.slots.spareBytes
    region.slots.drop(pages)
    state.spareInRegions += region.slots.spareBytes - spare
  }

  // MARK: Pages

  private func pages(_ byteCount: Int, isZeroed: Bool) -> Block? {
    let (rounded, overflow) = byteCount.addingReportingOverflow(pageSize - 1)
    guard !overflow else { return nil }
    let pageBytes = rounded / pageSize * pageSize
    let spare = state.withLock { state -> UnsafeMutableRawPointer? in
      guard let index = state.sparePages.lastIndex(where: { $0.byteCount == pageBytes }) else { return nil }
      state.spareInPages -= pageBytes
      state.used += pageBytes
      return state.sparePages.remove(at: index).start
    }
    if let spare {
      let bytes = UnsafeMutableRawBufferPointer(start: spare, count: byteCount)
      if isZeroed { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
      return Block(bytes: bytes, storage: .pages(pageBytes))
    }
    guard let start = map(pageBytes) else { return nil }
    // All of the block is about to be written.
    if !isZeroed { SystemPages.take(from: start, byteCount: pageBytes) }
    state.withLock { $0.used += pageBytes }
    let bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    return Block(bytes: bytes, storage: .pages(pageBytes))
  }

  private func freePages(_ start: UnsafeMutableRawPointer?, _ byteCount: Int) {
    guard let start else { return }
    let evicted = state.withLock { state -> [SparePages] in
      state.used -= byteCount
      let freed = SparePages(start: start, byteCount: byteCount)
      guard byteCount <= spareLimit else { return [freed] }
      state.sparePages.append(freed)
      state.spareInPages += byteCount
      var evicted: [SparePages] = []
      while state.spareInPages > spareLimit {
        let oldest = state.sparePages.removeFirst()
        state.spareInPages -= oldest.byteCount
        evicted.append(oldest)
      }
      return evicted
    }
    for spare in evicted { munmap(spare.start, spare.byteCount) }
  }

  private func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return start == MAP_FAILED ? nil : start
  }
}
