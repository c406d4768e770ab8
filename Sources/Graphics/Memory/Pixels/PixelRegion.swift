/// Slots of one size in a piece of address space, and the pages that they use. Decides only: `PixelMemory` calls the
/// system.
///
/// A page that no slot in use touches can go back to the system; it comes back zeroed. Slots may share the pages at their
/// ends.
struct PixelRegion {
  /// Bytes from one slot to the next.
  let slotSize: Int
  let slotCount: Int
  private let pageSize: Int
  /// One bit for each slot that is free, in words of 64.
  private var freeSlots: [UInt64]
  /// The number of slots in use that touch each page.
  private var users: [UInt16]
  /// True for each page that may hold something else than zeros.
  private var isWritten: [Bool]
  private(set) var usedCount = 0

  init(byteCount: Int, slotSize: Int, pageSize: Int) {
    self.slotSize = slotSize
    self.pageSize = pageSize
    let count = byteCount / slotSize
    slotCount = count
    freeSlots = (0..<(count + 63) / 64).map { word in
      let left = count - word * 64
      return left >= 64 ? .max : 1 << UInt64(left) - 1
    }
    users = Array(repeating: 0, count: byteCount / pageSize)
    isWritten = Array(repeating: false, count: byteCount / pageSize)
  }

  var isEmpty: Bool { usedCount == 0 }
  var isFull: Bool { usedCount == slotCount }
  /// Bytes in pages that no slot uses but that have not gone back to the system.
  private(set) var spareBytes = 0

  /// A slot that has come into use.
  struct Taken {
    let slot: Int
    /// The part of the slot, in bytes from its start, that may hold something else than zeros; empty if there is none.
    /// Bytes inside it may be zero.
    let written: Range<Int>
  }

  /// Takes the first free slot; `nil` if there is none.
  mutating func take() -> Taken? {
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
    return Taken(slot: slot, written: written ?? 0..<0)
  }

  /// Frees a slot. Returns the pages that no slot uses now; they are spare until `drop(_:)`.
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

  /// Notes that spare pages have gone back to the system.
  mutating func drop(_ pages: Range<Int>) {
    for page in pages where isWritten[page] && users[page] == 0 {
      isWritten[page] = false
      spareBytes -= pageSize
    }
  }

  /// The next run of spare pages at or after `page`; `nil` if there is none.
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
