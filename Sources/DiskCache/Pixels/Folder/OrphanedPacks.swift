import VitrineLoading

/// Packs with pixels to which no entry of the index leads, as after the index lost its end. Their pixels cannot be found
/// again.
enum OrphanedPacks {
  private static let chunkBytes = 64 << 10

  /// Returns those of `packs` to which no entry leads. O(entries), and O(bytes) of packs without entries.
  ///
  /// A pack that a process adds to is not included: its next entry is still to come. Neither is a pack of zeros, which
  /// is what removed pixels leave.
  ///
  /// - Parameter known: The packs to which entries lead that were read before. A bucket that the disk has failed to
  ///   return once must not cost a pack.
  static func find(
    among packs: [PackUsage.Pack], apartFrom known: Set<UInt32>, in files: PixelFiles
  ) throws(SystemError) -> [UInt32] {
    let candidates = packs.map(\.number).filter { !known.contains($0) }
    guard !candidates.isEmpty else { return [] }
    let used = try files.index.packs()
    var orphaned: [UInt32] = []
    for number in candidates where !used.contains(number) {
      if try isUnused(number, in: files.folder) { orphaned.append(number) }
    }
    // Another index has led to these packs.
    return try files.index.isCurrent() ? orphaned : []
  }

  /// Returns true if a pack has bytes other than 0, and no process is adding to it.
  private static func isUnused(
    _ number: UInt32, in folder: borrowing Descriptor
  ) throws(SystemError) -> Bool {
    guard let pack = try PackFile.open(number, in: folder) else { return false }
    if case .heldByAnother = pack.file.lock() { return false }
    var offset = 0
    while offset < pack.status.size {
      let bytes = try ResponseReader.bytes(of: pack.file, at: offset, count: chunkBytes)
      if bytes.contains(where: { $0 != 0 }) { return true }
      guard !bytes.isEmpty else { return false }
      offset += bytes.count
    }
    return false
  }
}
