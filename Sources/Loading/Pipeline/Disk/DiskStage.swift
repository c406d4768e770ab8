/// The state of a fetch with regard to the disk cache.
struct DiskStage {
  /// The strictest cache policy among the requests that joined this fetch.
  var use = DiskUse.byFreshness
  /// True while a disk lookup waits that precedes the network request.
  var isLookedUp = false
  /// True if the network request was started before the disk lookup has ended. The lookup may still end.
  var isLate = false
  /// The error of the server, while the fetch waits for a late lookup to show the stored response instead.
  var serverError: ImageError?
  /// True if the request of a caller uses the disk cache, so that the response is stored.
  var isKept = false
  /// True if a request keeps the stored response although the server has none any more.
  var keepsStoredResponse = false
  /// True once the disk cache is up to date with the received bytes: the response was stored, or the stored response
  /// was removed because storing is forbidden.
  var isSettled = false
  /// The stored response that the server is asked about, and that is shown if the server fails.
  var copy: StoredCopy?
  /// A response whose body is being read from disk, because the pixel cache does not have all images of it.
  var awaitingBody: FetchedBytes?
  /// True once the body was to be read, for example because the pixel cache does not have all images of it. Later lookups
  /// read the body at once.
  var needsBody = false
  /// True if the body of `copy` was not read in time. While the body is on disk, callers get `copy` only if the server
  /// fails.
  var isCopyLate = false
  /// True if `copy` was released to make room while no caller needed the image. The disk is then asked again.
  var isReleased = false
  /// The time at which the disk lookup ended, in nanoseconds; `nil` before that.
  var lookedUp: Int64?
  /// True if the disk is looked up again because another process has fetched the response.
  var hasWaited = false
  /// The time of arrival of the stored response that was found before another process fetched a newer one, in seconds
  /// since 1970; `nil` for none.
  var receivedBefore: Double?
  /// The time at which callers get the stored response if the server has not responded.
  var copyDeadline: Int64?
  /// The error of a decode that found the bytes damaged, while other decodes still read the bytes.
  var damage: ImageError?
  /// True if the fetch was to show a stored response that is gone, and asks the server instead.
  var asksServerInstead = false
  /// True if damaged bytes were fetched again from the server, which is done only once.
  var wasHealed = false

  /// True if the fetch may wait for another process that fetches the same response.
  var mayWait: Bool { use > .none }

  /// True if another process has fetched a response, fresh now, while the fetch waited. The response serves a request
  /// that asks the server whether the image has changed, because the answer is as new.
  func isNewer(_ copy: StoredCopy) -> Bool {
    guard hasWaited, case .immediately = copy.showing else { return false }
    return copy.storedResponse.received != receivedBefore
  }
}
