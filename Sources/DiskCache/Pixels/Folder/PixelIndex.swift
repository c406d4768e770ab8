/// The open index of a pixel folder, which says where in which pack the pixels of a key are.
typealias PixelIndex = BucketFile<PixelBucket>

extension PixelIndex {
  /// Returns the packs that the entries lead to. O(entries). The entries of a damaged bucket lead nowhere.
  func packs() throws(SystemError) -> Set<UInt32> {
    var packs: Set<UInt32> = []
    for number in 0..<bucketCount {
      for entry in try bucket(number)?.entries ?? [] { packs.insert(entry.pack) }
    }
    return packs
  }
}
