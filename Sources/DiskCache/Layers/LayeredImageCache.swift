public import VitrineLoading

/// Several caches of responses on top of each other: usually a writable ``DiskImageCache`` over one or more seeds,
/// directories that are only read, such as the images of a kiosk on a read-only root.
///
/// ```swift
/// configuration.dataCache = LayeredImageCache(directory: "/var/cache/kiosk", seeds: ["/usr/share/kiosk/seed"])
/// ```
///
/// Lookups go down from the top, so that a response in an upper layer hides those below. Responses are stored in the
/// top layer only. A response that is removed from a seed stays removed for this cache: a small file in the top layer's
/// directory hides it, until the seed has a newer version. Without a writable layer, it stays hidden until the end of
/// the process. `vitrine prefetch FEED --into DIR` makes a seed.
///
/// Like the layers, the cache may be called from any thread, and blocks while a disk works.
public final class LayeredImageCache: ImageDataCache, HeadRecords {
  /// The layers, the top layer first.
  public let layers: [any ImageDataCache]
  /// The layers that each operation uses.
  public let policies: Policies

  private let hidden: HiddenResponses
  /// The index of the first layer whose responses are hidden when they are removed: 0 if the top layer is a seed.
  private let firstHidden: Int
  let concurrent: ConcurrentLookup

  /// Creates a cache of layers, the top layer first. Without layers, the cache stores and finds nothing.
  public convenience init(layers: [any ImageDataCache], policies: Policies = Policies()) {
    self.init(layers: layers, policies: policies, patience: ConcurrentLookup.patience)
  }

  /// - Parameter patience: See `ConcurrentLookup.patience`.
  init(layers: [any ImageDataCache], policies: Policies, patience: Double) {
    self.layers = layers
    self.policies = policies
    let top = layers.first as? DiskImageCache
    hidden = HiddenResponses(context: top.flatMap { $0.isReadOnly ? nil : $0.context })
    firstHidden = top?.isReadOnly == true ? 0 : 1
    concurrent = ConcurrentLookup(
      layerCount: layers.count, awaited: top?.isReadOnly == false ? [0] : [], patience: patience)
  }

  /// Creates a writable cache over seeds, the upper seed first, without access to the disk.
  public convenience init(_ writable: DiskImageCache, over seeds: [String], policies: Policies = Policies()) {
    self.init(layers: [writable] + seeds.map { DiskImageCache(seed: $0) }, policies: policies)
  }

  /// Creates a cache in `directory` over seeds, the upper seed first, without access to the disk.
  public convenience init(directory: String, seeds: [String], limits: DiskImageCache.Limits = .init()) {
    self.init(DiskImageCache(directory: directory, limits: limits), over: seeds)
  }

  /// The first fault of a layer that is a ``DiskImageCache``; nil if there is none.
  public var fault: DiskImageCache.Fault? {
    layers.lazy.compactMap { ($0 as? DiskImageCache)?.fault }.first
  }

  /// Returns the index of the layer that answers first that it has the response, in the order of
  /// `policies.containment`; nil if no layer has the response. The top layer has the index 0.
  public func indexOfLayer(containing identity: RequestIdentity) -> Int? {
    let indices = policies.containment.layers(of: layers.count)
    guard policies.containment == .concurrent else {
      return indices.first { contains(identity, in: $0) }
    }
    return concurrent.firstResult(in: indices) { [self] index, _ in
      contains(identity, in: index) ? index : nil
    }
  }

  // MARK: ImageDataCache

  /// Returns the response of the first layer that has one, in the order of `policies.lookups`.
  public func response(for identity: RequestIdentity) -> StoredResponse? { response(for: identity) { _ in } }

  /// Returns what `response(for:)` returns, and calls `reserve` with the number of bytes of the body before the body is
  /// read; with the policy `.concurrent`, afterwards.
  public func response(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    let indices = policies.lookups.layers(of: layers.count)
    guard policies.lookups == .concurrent else {
      for index in indices {
        if let response = visible(in: index, for: identity, reserving: reserve) { return response }
      }
      return nil
    }
    let response = concurrent.firstResult(in: indices) { [self] index, responds in
      visible(in: index, for: identity, reserving: { _ in responds() })
    }
    if let response { reserve(response.body.count) }
    return response
  }

  /// Returns true if a layer has the response and the response is not hidden.
  public func containsResponse(for identity: RequestIdentity) -> Bool {
    indexOfLayer(containing: identity) != nil
  }

  /// Stores a response in the layers of `policies.stores`. Returns true if a layer has stored the response.
  @discardableResult
  public func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    var isStored = false
    var isTooLarge = false
    for index in policies.stores.layers(of: layers.count) {
      if let disk = layers[index] as? DiskImageCache {
        let outcome = disk.storing(response, for: identity)
        if outcome == .stored { isStored = true }
        if outcome == .tooLarge { isTooLarge = true }
      } else if layers[index].store(response, for: identity) {
        isStored = true
      }
    }
    // The response of a lower layer is older than the one that was refused, unless it has the same body.
    if isTooLarge, !isStored, let old = self.response(for: identity), old.body != response.body {
      hideResponses(for: identity)
    }
    return isStored
  }

  /// Removes a response from the layers of `policies.removals`, and hides what these layers cannot remove. Returns true
  /// if there was a response.
  @discardableResult
  public func removeResponse(for identity: RequestIdentity) -> Bool {
    let indices = policies.removals.layers(of: layers.count)
    let wasVisible = indices.contains { contains(identity, in: $0) }
    var isRemoved = false
    for index in indices {
      if layers[index].removeResponse(for: identity) { isRemoved = true }
    }
    if indices.contains(where: { $0 >= firstHidden }) { hideResponses(for: identity) }
    return wasVisible || isRemoved
  }

  /// Removes all responses from the layers of `policies.removals`, and hides what these layers cannot remove. Returns
  /// true if there was a response. Reads the heads of all hidden responses: O(files).
  @discardableResult
  public func removeAllResponses() -> Bool {
    let indices = policies.removals.layers(of: layers.count)
    var isAny = false
    for index in indices {
      if layers[index].removeAllResponses() { isAny = true }
    }
    let hasHidden = hideAllResponses(in: indices)
    return isAny || hasHidden
  }

  /// Removes all responses like `removeAllResponses()`, with the progress of the top layer.
  @discardableResult
  public func removeAllResponses(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    let indices = policies.removals.layers(of: layers.count)
    hideAllResponses(in: indices)
    var isComplete = true
    for index in indices where index > 0 { _ = layers[index].removeAllResponses() }
    if indices.contains(0), firstHidden > 0 {
      isComplete = layers[0].removeAllResponses(progress: progress)
    } else {
      progress(0, 0)
    }
    return isComplete
  }

  /// Returns the usage of the top layer, whose limits apply to what is stored.
  public func usage() -> ImageCache.DiskUsage? { layers.first?.usage() }

  /// Removes what exceeds the limits of each layer.
  public func removeExpiredResponses() { for layer in layers { layer.removeExpiredResponses() } }

  // MARK: Hidden responses

  private func contains(_ identity: RequestIdentity, in index: Int) -> Bool {
    guard index >= firstHidden, hidden.tombstone(for: identity) != nil else {
      return layers[index].containsResponse(for: identity)
    }
    return newest(in: index, for: identity).map { !hidden.hide($0, for: identity) } ?? false
  }

  /// Returns the response of a layer unless the response is hidden.
  func visible(
    in index: Int, for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    let tombstone = index >= firstHidden ? hidden.tombstone(for: identity) : nil
    guard let response = layers[index].response(for: identity, reserving: reserve) else { return nil }
    return tombstone?.hides(response) == true ? nil : response
  }

  /// Returns the head of the response of a layer, hidden or not.
  private func newest(in index: Int, for identity: RequestIdentity) -> StoredResponse? {
    layers[index].head(for: identity)?.response ?? layers[index].response(for: identity)
  }

  /// Returns the head of the response of a layer unless the response is hidden.
  func visibleHead(in index: Int, for identity: RequestIdentity) -> StoredHead? {
    guard let head = layers[index].head(for: identity) else { return nil }
    return index >= firstHidden && hidden.hide(head.response, for: identity) ? nil : head
  }

  /// Returns what `visibleHead` returns, and records no head in the layer.
  func readVisibleHead(
    in index: Int, for identity: RequestIdentity
  ) -> (head: StoredHead, isRecorded: Bool)? {
    guard let records = layers[index] as? any HeadRecords else {
      return visibleHead(in: index, for: identity).map { ($0, true) }
    }
    guard let found = records.readHead(for: identity) else { return nil }
    return index >= firstHidden && hidden.hide(found.head.response, for: identity) ? nil : found
  }

  private func hideResponses(for identity: RequestIdentity) {
    var newest: Tombstone?
    for index in layers.indices.dropFirst(firstHidden) {
      newest = .later(newest, self.newest(in: index, for: identity).map { Tombstone(of: $0) })
    }
    guard let tombstone = newest else { return }
    if hidden.tombstone(for: identity).map({ $0.received < tombstone.received }) ?? true {
      hidden.add(tombstone, for: identity)
    }
  }

  /// Hides all responses of the lower layers and of seeds. Returns true if there is one.
  @discardableResult
  private func hideAllResponses(in indices: [Int]) -> Bool {
    var newest: Tombstone?
    for case let disk as DiskImageCache in indices.filter({ $0 >= firstHidden }).map({ layers[$0] }) {
      disk.forEachEntry { entry in
        newest = .later(newest, entry.content.map { Tombstone(of: $0.response) })
        return true
      }
    }
    if let newest { hidden.addForAll(newest) }
    return newest != nil
  }
}
