/// The rules for joining a running fetch instead of starting another one.
enum Coalescing {
  /// Returns the running fetch that also serves `request`, if there is one.
  ///
  /// - Parameter disk: Returns the state of a fetch with regard to the disk cache.
  static func fetch(
    for request: ImageRequest, in tree: StageTree, disk: (FetchID) -> DiskStage
  ) -> FetchID? {
    let (identity, policy) = (request.identity, request.cachePolicy)
    if let id = tree.fetch(FetchKey(request: identity, isCacheOnly: false)) {
      let stage = disk(id)
      if serves(id, policy, awaiting: stage.awaitingBody, in: tree),
        policy != .reload || stage.copy == nil
      {
        return id
      }
    }
    guard policy == .cacheOnly, let id = tree.fetch(FetchKey(request: identity, isCacheOnly: true)),
      !disk(id).asksServerInstead
    else { return nil }
    return lacksBody(id, in: tree) ? nil : id
  }

  /// Returns true if a fetch has ended without reading the body, because the pixel cache had all images. The pixel
  /// cache may have the image of another request as well.
  private static func lacksBody(_ id: FetchID, in tree: StageTree) -> Bool {
    if case .received(let bytes) = tree[id]?.phase { bytes.isBodyOnDisk } else { false }
  }

  /// Returns true if the bytes of a fetch serve a request: for `.refresh` no stored bytes that were not revalidated,
  /// for `.reload` no stored bytes at all, and for `.cacheOnly` only bytes that have been received.
  ///
  /// - Parameter awaited: The stored response whose body is being read.
  private static func serves(
    _ id: FetchID, _ policy: ImageRequest.CachePolicy, awaiting awaited: FetchedBytes?, in tree: StageTree
  ) -> Bool {
    if lacksBody(id, in: tree) { return false }
    guard policy != .useCache else { return true }
    guard let fetch = tree[id] else { return false }
    let known: FetchedBytes? = if case .received(let bytes) = fetch.phase { bytes } else { awaited }
    // Includes the bytes of decodes that succeeded before another decode found the bytes damaged.
    let fromDisk = ([known] + fetch.decodes.map { tree[$0]?.bytes }).compactMap { $0 }.filter {
      $0.source == .disk
    }
    return switch policy {
    case .useCache: true
    case .cacheOnly: known != nil
    case .refresh: fromDisk.allSatisfy { $0.freshness == .revalidated }
    case .reload: fromDisk.isEmpty
    }
  }
}
