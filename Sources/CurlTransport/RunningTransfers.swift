/// The transfers of a loop. Lookups and removals are O(n) for n transfers. A loop usually has few transfers, and an array
/// then takes a tenth of the time of a dictionary by identifier and another one by easy handle.
struct RunningTransfers {
  private struct Entry {
    let id: TransferID
    /// The easy handle, which is the subject of libcurl's messages.
    let handle: UnsafeMutableRawPointer
    let transfer: Transfer
  }

  private var entries: ContiguousArray<Entry> = []

  var isEmpty: Bool { entries.isEmpty }

  /// All transfers in no particular order.
  var all: [Transfer] { entries.map(\.transfer) }

  subscript(id: TransferID) -> Transfer? { entries.first { $0.id == id }?.transfer }

  /// Returns the transfer of an easy handle.
  func transfer(on handle: UnsafeMutableRawPointer) -> Transfer? {
    entries.first { $0.handle == handle }?.transfer
  }

  mutating func insert(_ transfer: Transfer) {
    entries.append(Entry(id: transfer.id, handle: transfer.easy.pointer, transfer: transfer))
  }

  /// Removes and returns a transfer; `nil` if it has ended.
  mutating func remove(_ id: TransferID) -> Transfer? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    entries.swapAt(index, entries.endIndex - 1)
    return entries.removeLast().transfer
  }
}
