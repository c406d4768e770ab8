/// Keeps the bytes of pictures between runs: `DiskImageCache`, or one's own.
///
/// Every call may block; a downloader makes them on threads of its own, several at a time. A cache that fails keeps
/// nothing and finds nothing: it never fails a load.
public protocol ImageDataCache: AnyObject, Sendable {
  /// What was kept of these bytes, whole and undamaged; nil if there is nothing.
  func answer(for identity: RequestIdentity) -> StoredAnswer?
  /// Returns what `answer(for:)` returns, and calls `reserve` with the number of bytes of the body before the body is
  /// read, so that memory is made available first. The default calls `reserve` afterwards.
  func answer(for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void) -> StoredAnswer?
  /// Keeps an answer in place of whatever was there; whether it did.
  @discardableResult
  func store(_ answer: StoredAnswer, for identity: RequestIdentity) -> Bool
  /// Removes an answer; whether there was one.
  @discardableResult
  func removeAnswer(for identity: RequestIdentity) -> Bool
  /// Removes everything; whether there was anything.
  @discardableResult
  func removeAllAnswers() -> Bool
  /// Whether there is an answer, without reading all of it.
  func containsAnswer(for identity: RequestIdentity) -> Bool
  /// Returns the number of responses and the bytes that they take; `nil`, the default, from a cache that does not
  /// count.
  func usage() -> ImageCache.DiskUsage?
  /// Removes responses that exceed the limits of age, size and count. Does nothing by default.
  func removeExpiredAnswers()
  /// Removes all responses. Returns true if none of those that existed at the start is left. The default calls
  /// `removeAllAnswers()`.
  ///
  /// - Parameter progress: Called with the number of responses removed so far and the total, the last time with both
  ///   equal.
  @discardableResult
  func removeAllAnswers(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool
}

extension ImageDataCache {
  /// Calls `answer(for:)`, and then `reserve` with the number of bytes of the body.
  public func answer(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredAnswer? {
    let answer = answer(for: identity)
    if let answer { reserve(answer.body.count) }
    return answer
  }
  /// Returns `nil`: the cache does not count.
  public func usage() -> ImageCache.DiskUsage? { nil }
  /// Does nothing.
  public func removeExpiredAnswers() {}
  /// Calls `removeAllAnswers()`, and reports the number of responses that `usage()` returned before.
  @discardableResult
  public func removeAllAnswers(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    let before = usage()?.count
    removeAllAnswers()
    guard let before else { return true }
    let left = usage()?.count ?? 0
    progress(max(0, before - left), before)
    return left == 0
  }
}

/// An answer of a server as it is kept: bytes that were a picture, and what is needed to tell whether they still are
/// (RFC 9111).
public struct StoredAnswer: Sendable, Hashable {
  /// Status 200 and the headers, as they came or as a later 304 has changed them; the URL without a login.
  public var response: TransportResponse
  /// The headers of the request that `Vary` named, in lower case; another request of the same URL that differs in
  /// one of them is not served by this.
  public var varying: [HTTPHeaders.Field]
  /// Seconds since 1970, by this machine's clock, at which the request was sent that brought the headers.
  public var requested: Double
  /// Seconds since 1970, by this machine's clock, at which their answer came.
  public var received: Double
  /// All of it, as it came.
  public var body: [UInt8]
  /// The key used to digest the values of `varying`; nil if the values are stored as sent.
  var varyingSecret: CacheSecret?

  /// An answer that came at one instant, and varies with nothing, unless said otherwise.
  public init(
    response: TransportResponse, body: [UInt8], varying: [HTTPHeaders.Field] = [], requested: Double,
    received: Double
  ) {
    self.response = response
    self.body = body
    self.varying = varying
    self.requested = requested
    self.received = received
  }
}
