public import VitrineLoading

// Fetch locks, and incomplete responses.

extension DiskImageCache {
  /// Returns true: processes that share the directory fetch a response once, and a download that broke continues in a
  /// later run.
  public var preparesFetches: Bool { !isReadOnly }

  /// Takes the lock of a fetch in the cache directory. Returns nil if the file system has no locks, or if nothing can
  /// be written, as in a seed.
  public func fetchLock(for identity: RequestIdentity) -> FetchLock? {
    isReadOnly ? nil : fetchLocks.acquire(identity)
  }

  /// Returns the progress of another process that holds the lock of a fetch; nil if there is none.
  public func fetchProgress(for identity: RequestIdentity) -> FetchLockProgress? {
    isReadOnly ? nil : fetchLocks.progress(of: identity)
  }

  /// Returns the beginning of a response whose download broke, complete and undamaged; nil if there is none, and for a
  /// seed.
  public func incompleteResponse(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    isReadOnly ? nil : incompletes.response(for: identity, reserving: reserve)
  }

  /// Returns true if there is a file with the beginning of a response whose download broke. The file may be damaged.
  public func containsIncompleteResponse(for identity: RequestIdentity) -> Bool {
    !isReadOnly && incompletes.contains(identity)
  }

  /// Stores the beginning of a response whose download broke. All beginnings take at most 32 MiB, and at most a quarter
  /// of `Limits.bytes`; the oldest are removed first, and those older than a week.
  @discardableResult
  public func storeIncomplete(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    !isReadOnly && incompletes.store(response, for: identity)
  }
}
