/// The stages by key, so that equal requests share stages. Has the newest fetch of each key, and the decodes and images that
/// their parents do not keep in place (`LoadIDSet.inPlace`): comparing the key of one stage takes less time than hashing it.
struct StageIndex {
  /// The key of a child stage of one parent stage. Two fetches with equal keys therefore share no decodes.
  private struct Branch<Parent, Key: Hashable>: Hashable {
    let parent: LoadID<Parent>
    let key: Key
  }

  private var fetches: [FetchKey: FetchID] = [:]
  private var decodes: [Branch<FetchKind, DecodeKey>: DecodeID] = [:]
  private var processedImages: [Branch<DecodeKind, ProcessedImageKey>: ProcessedImageID] = [:]

  /// The newest fetch with this key.
  subscript(key: FetchKey) -> FetchID? { fetches[key] }

  subscript(key: DecodeKey, of fetch: FetchID) -> DecodeID? {
    get { decodes[Branch(parent: fetch, key: key)] }
    set { decodes[Branch(parent: fetch, key: key)] = newValue }
  }

  subscript(key: ProcessedImageKey, of decode: DecodeID) -> ProcessedImageID? {
    get { processedImages[Branch(parent: decode, key: key)] }
    set { processedImages[Branch(parent: decode, key: key)] = newValue }
  }

  /// Sets the newest fetch with this key. Returns the fetch that had the key before.
  @discardableResult
  mutating func replace(_ key: FetchKey, with id: FetchID) -> FetchID? {
    fetches.updateValue(id, forKey: key)
  }

  /// Removes the key of a fetch, unless the key belongs to a newer fetch by now.
  mutating func remove(_ key: FetchKey, of id: FetchID) {
    if fetches[key] == id { fetches[key] = nil }
  }
}
