/// The slots of one size in a region of address space, and the pages that they use. Makes decisions only: `PixelMemory`
/// makes the system calls.
///
/// A page can go back to the system when no slot in use overlaps it. The system zeroes it before its next use.
/// Neighboring slots may share a page.
struct PixelRegion {
  /// The distance in bytes from one slot to the next.
  let slotSize: Int
  let slotCount: Int
  private let pageSize: Int
  /// A bit set with one bit for each slot, set while the slot is free.
  private var freeSlots: [UInt64]
  /// The number of slots in use that overlap each page.
  private var users: [UInt16]
  /// True for each page that may contain nonzero bytes.
  private var isWritten: [Bool]
  private(set) var usedCount = 0

  init(byteCount: Int, slotSize: Int, pageSize: Int) {
    self.slotSize = slotSize
    self.pageSize = pageSize
    let count = byteCount / slotSize
    slotCount = count
    freeSlots = (0..<(count + 63) / 64).map { word in
      let remaining = count - word * 64
      return remaining >= 64 ? .max : 1 << UInt64(remaining) - 1
    }
    users = Array(repeating: 0, count: byteCount / pageSize)
    isWritten = Array(repeating: false, count: byteCount / pageSize)
  }

  var isEmpty: Bool { usedCount == 0 }
  var isFull: Bool { usedCount == slotCount }
  /// The bytes of pages that no slot uses and that have not gone back to the system.
  private(set) var spareBytes = 0

  /// A slot that has just been taken.
  struct Allocation {
    let slot: Int
    /// The part of the slot, in bytes from its start, that may contain nonzero bytes; empty if the slot is all zeros.
    let written: Range<Int>
  }

  /// Takes the first free slot. Returns `nil` if the region is full.
  mutating func allocate() -> Allocation? {
    guard let word = freeSlots.firstIndex(where: { $0 != 0 }) else { return nil }
    let bit = freeSlots[word].trailingZeroBitCount
    freeSlots[word] &= ~(1 << UInt64(bit))
    usedCount += 1
    let slot = word * 64 + bit
    let start = slot * slotSize
    var written: Range<Int>?
    for page in pages(of: slot) {
      if isWritten[page] {
        let lower = max(0, page * pageSize - start)
        let upper = min(slotSize, (page + 1) * pageSize - start)
        written = (written?.lowerBound ?? lower)..<upper
        if users[page] == 0 { spareBytes -= pageSize }
      }
      users[page] += 1
      isWritten[page] = true
    }
    return Allocation(slot: slot, written: written ?? 0..<0)
  }

  /// Frees a slot. Returns the pages that no slot uses now. They are spare until `drop(_:)` is called.
  mutating func free(_ slot: Int) -> Range<Int> {
    freeSlots[slot / 64] |= 1 << UInt64(slot % 64)
    usedCount -= 1
    var unused = 0..<0
    for page in pages(of: slot) {
      users[page] -= 1
      guard users[page] == 0 else { continue }
      unused = (unused.isEmpty ? page : unused.lowerBound)..<(page + 1)
      spareBytes += pageSize
    }
    return unused
  }

  /// Marks spare pages as returned to the system.
  mutating func drop(_ pages: Range<Int>) {
    for page in pages where isWritten[page] && users[page] == 0 {
      isWritten[page] = false
      spareBytes -= pageSize
    }
  }

  /// Returns the next run of spare pages at or after `page`; `nil` if there is none.
  func spareRun(from page: Int) -> Range<Int>? {
    guard spareBytes > 0,
      let start = (page..<users.count).first(where: { isWritten[$0] && users[$0] == 0 })
    else { return nil }
    let end = (start..<users.count).first { !isWritten[$0] || users[$0] > 0 }
    return start..<(end ?? users.count)
  }

  private func pages(of slot: Int) -> Range<Int> {
    let start = slot * slotSize
    return (start / pageSize)..<((start + slotSize - 1) / pageSize + 1)
  }
}
