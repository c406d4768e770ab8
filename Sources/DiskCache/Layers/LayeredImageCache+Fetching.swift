public import VitrineLoading

// Fetch locks and incomplete responses, which the top layer keeps.

extension LayeredImageCache {
  /// True if the top layer has fetch locks or keeps incomplete responses.
  public var preparesFetches: Bool { layers.first?.preparesFetches ?? false }

  /// Takes the lock of a fetch in the top layer.
  public func fetchLock(for identity: RequestIdentity) -> FetchLock? {
    layers.first?.fetchLock(for: identity)
  }

  /// Returns the progress of another process that holds the lock of a fetch in the top layer.
  public func fetchProgress(for identity: RequestIdentity) -> FetchLockProgress? {
    layers.first?.fetchProgress(for: identity)
  }

  /// Returns the beginning of a response whose download broke, from the top layer.
  public func incompleteResponse(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    layers.first?.incompleteResponse(for: identity, reserving: reserve)
  }

  /// Returns true if the top layer may have the beginning of a response whose download broke.
  public func containsIncompleteResponse(for identity: RequestIdentity) -> Bool {
    layers.first?.containsIncompleteResponse(for: identity) ?? false
  }

  /// Stores the beginning of a response whose download broke in the top layer.
  @discardableResult
  public func storeIncomplete(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    layers.first?.storeIncomplete(response, for: identity) ?? false
  }
}
