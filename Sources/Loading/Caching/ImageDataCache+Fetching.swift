extension ImageDataCache {
  /// Returns false: the cache is not asked before a transfer.
  public var preparesFetches: Bool { false }
  /// Returns nil: there are no locks.
  public func fetchLock(for identity: RequestIdentity) -> FetchLock? { nil }
  /// Returns nil: there are no locks.
  public func fetchProgress(for identity: RequestIdentity) -> FetchLockProgress? { nil }
  /// Returns nil: incomplete responses are not kept.
  public func incompleteResponse(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? { nil }
  /// Returns true: `incompleteResponse(for:reserving:)` has to be called.
  public func containsIncompleteResponse(for identity: RequestIdentity) -> Bool { true }
  /// Returns false: incomplete responses are not kept.
  @discardableResult
  public func storeIncomplete(_ response: StoredResponse, for identity: RequestIdentity) -> Bool { false }
}
