/// A cache that keeps encoded images between runs of a program: `DiskImageCache` or an application's own type.
///
/// A cache that outlives the process keeps each response under `RequestIdentity.cacheKey`, because hashes of an identity
/// differ between processes, and its `url` alone does not tell requests with other headers apart.
///
/// Methods may block. A downloader calls them on threads of its own, several at a time. A cache that fails stores
/// nothing and finds nothing; it never makes a load fail.
public protocol ImageDataCache: AnyObject, Sendable {
  /// Returns the stored response, complete and undamaged; `nil` if there is none.
  func response(for identity: RequestIdentity) -> StoredResponse?
  /// Returns what `response(for:)` returns, and calls `reserve` with the number of bytes of the body before the body is
  /// read, so that memory is made available first. The default calls `reserve` afterwards.
  func response(for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void) -> StoredResponse?
  /// Returns the stored response without the body, which is neither read nor verified; `nil` if there is none. With the
  /// default, which returns `nil`, decoded pixels are neither stored nor used.
  func head(for identity: RequestIdentity) -> StoredHead?
  /// True if `head(for:)` returns the head of each response that `response(for:)` would return, so that a downloader does
  /// not call `response(for:)` after `head(for:)` has returned `nil`. False by default.
  var findsAllHeads: Bool { get }
  /// Returns the digest that `head(for:)` has for a stored response with this body. The default returns `nil`.
  func digest(of body: [UInt8]) -> BodyDigest?
  /// Replaces the headers and the times of a stored response, and keeps the body. Called with a digest that `head(for:)`
  /// or `digest(of:)` has returned. Returns false if there is no stored response whose body has this digest. The default
  /// returns false.
  ///
  /// - Parameters:
  ///   - response: The new headers and times, with an empty body.
  ///   - body: The digest of the stored body.
  ///   - identity: The identity of the request.
  @discardableResult
  func update(_ response: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool
  /// Stores a response in place of an older one. Returns true if the response was stored.
  @discardableResult
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool
  /// Removes a response. Returns true if there was one.
  @discardableResult
  func removeResponse(for identity: RequestIdentity) -> Bool
  /// Removes all responses. Returns true if there were any.
  @discardableResult
  func removeAllResponses() -> Bool
  /// Returns true if there is a response. Need not read all of the response.
  func containsResponse(for identity: RequestIdentity) -> Bool
  /// Returns the number of responses and their size in bytes; `nil`, the default, from a cache that does not count.
  func usage() -> ImageCache.DiskUsage?
  /// Removes responses that exceed the limits of age, size and count. Does nothing by default.
  func removeExpiredResponses()
  /// Removes all responses. Returns true if none of those that existed at the start is left. The default calls
  /// `removeAllResponses()`.
  ///
  /// - Parameter progress: Called with the number of responses removed so far and the total, the last time when the
  ///   removal has ended. The last call reports fewer responses than the total if some cannot be removed.
  @discardableResult
  func removeAllResponses(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool

  // MARK: Before a transfer

  /// True if the cache has fetch locks or keeps incomplete responses, so that a downloader asks the cache before each
  /// transfer of a response that is to be stored, and about the next few downloads early. False by default; the following
  /// methods are then not called.
  var preparesFetches: Bool { get }
  /// Takes the lock of a fetch. Returns nil, the default, if there are no locks: the response is then fetched without
  /// one. Requests of the same process do not exclude each other, and the lock may be taken again before it is released.
  ///
  /// Called before a transfer, and also for downloads that wait for their turn, up to sixteen at a time. Their lock is
  /// released after a second if the transfer has not started by then, and taken again later.
  func fetchLock(for identity: RequestIdentity) -> FetchLock?
  /// Returns the progress of another process that holds the lock of a fetch; see `FetchLock.heldByAnother`. Returns
  /// nil, the default, if no other process holds the lock. Takes no lock.
  func fetchProgress(for identity: RequestIdentity) -> FetchLockProgress?
  /// Returns the beginning of a response whose download broke, undamaged; nil, the default, if there is none.
  ///
  /// - Parameters:
  ///   - identity: The identity of the request.
  ///   - reserve: Called with the number of bytes of the body before the body is read.
  func incompleteResponse(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse?
  /// Returns true if `incompleteResponse(for:reserving:)` may return a response, without reading the response. Returns
  /// true by default; a lock that is taken before the turn of a download is then released, and taken again later.
  func containsIncompleteResponse(for identity: RequestIdentity) -> Bool
  /// Stores the beginning of a response whose download broke, so that a later run of the program asks only for the
  /// rest. The body is incomplete; `response.expectedLength` is the length of the whole body, if known. Returns true if
  /// the beginning was stored. Returns false by default.
  @discardableResult
  func storeIncomplete(_ response: StoredResponse, for identity: RequestIdentity) -> Bool
}

extension ImageDataCache {
  /// Calls `response(for:)`, and then `reserve` with the number of bytes of the body.
  public func response(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    let response = response(for: identity)
    if let response { reserve(response.body.count) }
    return response
  }
  /// Returns `nil`: bodies are always read.
  public func head(for identity: RequestIdentity) -> StoredHead? { nil }
  /// False: there may be responses whose heads are not found.
  public var findsAllHeads: Bool { false }
  /// Returns `nil`: no pixels are stored.
  public func digest(of body: [UInt8]) -> BodyDigest? { nil }
  /// Returns false: the response is stored again with its body, if the body is in memory.
  @discardableResult
  public func update(_ response: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    false
  }
  /// Returns `nil`: the cache does not count.
  public func usage() -> ImageCache.DiskUsage? { nil }
  /// Does nothing.
  public func removeExpiredResponses() {}
  /// Calls `removeAllResponses()`, and reports the number of responses that `usage()` returned before.
  @discardableResult
  public func removeAllResponses(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    let before = usage()?.count
    removeAllResponses()
    guard let before else { return true }
    let remaining = usage()?.count ?? 0
    progress(max(0, before - remaining), before)
    return remaining == 0
  }
}
