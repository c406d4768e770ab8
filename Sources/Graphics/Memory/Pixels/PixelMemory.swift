import Glibc

/// Memory for pixels, apart from the heap: a block that is freed goes back to the system, or is reused exactly.
///
/// The heap of the C library keeps what lies between two blocks that are still in use. Images come and go in any order and
/// differ in size by a factor of a thousand, so that after a few minutes such gaps take as much as the images. Here:
///
/// - Blocks below 2 KiB come from the heap.
/// - Blocks up to 128 KiB lie in regions of 1 MiB, each of slots of one size. The pages of freed slots go back to the
///   system, but for `spareLimit` bytes.
/// - Larger blocks have pages of their own. Freed ones, up to `spareLimit` bytes, are kept for the next block of as many
///   pages.
///
/// May be used from any thread: a lock is held for some hundred nanoseconds.
package final class PixelMemory: Sendable {
  /// The memory of all bitmaps of the process.
  package static let shared = PixelMemory()

  /// Where vector instructions like pixels to begin.
  package static let alignment = 64
  private static let regionSize = 1 << 20

  /// A region and where it lies.
  ///
  /// `@unchecked Sendable` because `slots` is touched with the lock of its `PixelMemory` held only.
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

  /// A block in use. To be freed once, by the `PixelMemory` that made it.
  ///
  /// `@unchecked Sendable` because it only says where the block lies.
  package struct Block: @unchecked Sendable {
    package let bytes: UnsafeMutableRawBufferPointer
    fileprivate let home: Home
  }

  fileprivate enum Home {
    /// The start of the heap's block, which may lie before the first byte.
    case heap(UnsafeMutableRawPointer)
    case slot(Region, Int)
    case pages(Int)
  }

  /// Bytes taken from the system, besides the heap.
  package struct Usage: Hashable, Sendable {
    /// Bytes of blocks in use, rounded up to their slots or pages.
    package var used = 0
    /// Bytes kept for blocks to come.
    package var spare = 0
    /// The number of regions.
    package var regions = 0
  }

  private struct SparePages {
    let start: UnsafeMutableRawPointer
    let byteCount: Int
  }

  private struct State {
    /// The regions of each size class, oldest first: filled in this order, so that the newest become empty.
    var regions: [[Region]] = Array(repeating: [], count: PixelSizeClass.count)
    /// Bytes of spare pages in regions.
    var spareInRegions = 0
    /// Freed blocks with pages of their own, oldest first.
    var sparePages: [SparePages] = []
    var spareInPages = 0
    var used = 0
  }

  private let state = Shared(State())
  private let pageSize = max(4096, Int(sysconf(Int32(_SC_PAGESIZE))))
  private let spareLimit: Int
  private let usesHeapOnly: Bool

  /// - Parameters:
  ///   - spareLimit: bytes that are kept for blocks to come, once for slots and once for pages.
  ///   - usesHeapOnly: true to take all blocks from the heap; by default where AddressSanitizer watches it.
  package init(spareLimit: Int = 4 << 20, usesHeapOnly: Bool = PixelMemory.isHeapWatched) {
    self.spareLimit = spareLimit
    self.usesHeapOnly = usesHeapOnly
  }

  deinit {
    for region in state.withLock({ $0.regions.joined() }) { munmap(region.start, Self.regionSize) }
    for spare in state.withLock({ $0.sparePages }) { munmap(spare.start, spare.byteCount) }
  }

  /// True under AddressSanitizer, which sees accesses beyond blocks of the heap only.
  package static var isHeapWatched: Bool { dlsym(nil, "__asan_init") != nil }

  package var usage: Usage {
    state.withLock { state in
      Usage(
        used: state.used, spare: state.spareInRegions + state.spareInPages,
        regions: state.regions.reduce(0) { $0 + $1.count })
    }
  }

  // MARK: Blocks

  /// A block that begins at a multiple of `alignment`.
  ///
  /// - Parameters:
  ///   - byteCount: 0 or more.
  ///   - isZeroed: false if all bytes will be written before they are read.
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

  /// Frees a block that was allocated here.
  package func free(_ block: Block) {
    switch block.home {
    case .heap(let start): start.deallocate()
    case .slot(let region, let slot): free(slot, in: region)
    case .pages(let byteCount): freePages(block.bytes.baseAddress, byteCount)
    }
  }

  /// Gives the system all that is kept for blocks to come.
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

  /// The beginning is moved by hand: asked for such a place, glibc before 2.38 looks for room that is larger than the
  /// block, never finds that of a block just freed large enough, and the heap grows for ever (its bug 14581).
  private func heapBlock(_ byteCount: Int, isZeroed: Bool) -> Block {
    let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount + Self.alignment, alignment: 1)
    let misplaced = Int(bitPattern: start) % Self.alignment
    let bytes = UnsafeMutableRawBufferPointer(
      start: start + (misplaced == 0 ? 0 : Self.alignment - misplaced), count: byteCount)
    if isZeroed { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    return Block(bytes: bytes, home: .heap(start))
  }

  // MARK: Slots

  private func slot(of sizeClass: PixelSizeClass, _ byteCount: Int, isZeroed: Bool) -> Block? {
    let taken = state.withLock { state -> (Region, PixelRegion.Taken)? in
      guard let region = regionWithRoom(sizeClass, &state) else { return nil }
      let spare = region.slots.spareBytes
      guard let taken = region.slots.take() else { return nil }
      state.spareInRegions += region.slots.spareBytes - spare
      state.used += sizeClass.byteCount
      return (region, taken)
    }
    guard let (region, taken) = taken else { return nil }
    let start = region.start + taken.slot * sizeClass.byteCount
    let bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    if isZeroed {
      let written = taken.written.clamped(to: 0..<byteCount)
      UnsafeMutableRawBufferPointer(rebasing: bytes[written]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    return Block(bytes: bytes, home: .slot(region, taken.slot))
  }

  private func regionWithRoom(_ sizeClass: PixelSizeClass, _ state: inout State) -> Region? {
    if let region = state.regions[sizeClass.index].first(where: { !$0.slots.isFull }) { return region }
    guard let start = map(Self.regionSize) else { return nil }
    // A huge page would stay whole for one slot of it.
    madvise(start, Self.regionSize, MADV_NOHUGEPAGE)
    let region = Region(start, sizeClass, pageSize: pageSize)
    state.regions[sizeClass.index].append(region)
    return region
  }

  private func free(_ slot: Int, in region: Region) {
    let index = region.sizeClass.index
    let isOver = state.withLock { state in
      let spare = region.slots.spareBytes
      let unused = region.slots.free(slot)
      state.spareInRegions += region.slots.spareBytes - spare
      state.used -= region.sizeClass.byteCount
      if region.slots.isEmpty, state.regions[index].count > 1 {
        state.spareInRegions -= region.slots.spareBytes
        state.regions[index].removeAll { $0 === region }
        return true
      }
      // With the lock held: the slot must not be in use again before its pages have gone.
      if state.spareInRegions > spareLimit { drop(unused, of: region, &state) }
      return false
    }
    if isOver { munmap(region.start, Self.regionSize) }
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
    let whole = rounded / pageSize * pageSize
    let spare = state.withLock { state -> UnsafeMutableRawPointer? in
      guard let index = state.sparePages.lastIndex(where: { $0.byteCount == whole }) else { return nil }
      state.spareInPages -= whole
      state.used += whole
      return state.sparePages.remove(at: index).start
    }
    if let spare {
      let bytes = UnsafeMutableRawBufferPointer(start: spare, count: byteCount)
      if isZeroed { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
      return Block(bytes: bytes, home: .pages(whole))
    }
    guard let start = map(whole) else { return nil }
    state.withLock { $0.used += whole }
    return Block(bytes: UnsafeMutableRawBufferPointer(start: start, count: byteCount), home: .pages(whole))
  }

  private func freePages(_ start: UnsafeMutableRawPointer?, _ byteCount: Int) {
    guard let start else { return }
    let gone = state.withLock { state -> [SparePages] in
      state.used -= byteCount
      let freed = SparePages(start: start, byteCount: byteCount)
      guard byteCount <= spareLimit else { return [freed] }
      state.sparePages.append(freed)
      state.spareInPages += byteCount
      var gone: [SparePages] = []
      while state.spareInPages > spareLimit {
        let oldest = state.sparePages.removeFirst()
        state.spareInPages -= oldest.byteCount
        gone.append(oldest)
      }
      return gone
    }
    for spare in gone { munmap(spare.start, spare.byteCount) }
  }

  private func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return start == MAP_FAILED ? nil : start
  }
}
