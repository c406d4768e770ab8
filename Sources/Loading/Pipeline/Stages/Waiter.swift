/// A caller that waits for an image.
struct Waiter {
  var processedImage: ProcessedImageID
  /// The identity of the request. Unlike the identity in the request of the task, which never changes, includes the
  /// credentials that the transport has added since the caller joined.
  var identity: RequestIdentity
  var priority: ImageRequest.Priority
  /// The previews that the caller wants to receive.
  let progressive: ImageRequest.Progressive
  /// True if the transfer need not go on for this caller.
  var isPaused: Bool
  /// True if the caller receives the encoded bytes.
  let keepsData: Bool
  /// True for a cache-only request: the server is not asked.
  let isCacheOnly: Bool
  /// True for a load that is sent once, without retries, and is not served by a stale response.
  let isProbe: Bool
  /// True if the load may be served by a stale response while the server is asked.
  let takesCopy: Bool

  init(_ caller: Caller, processedImage: ProcessedImageID) {
    let request = caller.request
    self.processedImage = processedImage
    identity = request.identity
    priority = request.priority
    progressive = request.progressive
    isPaused = caller.isPaused
    keepsData = request.keepsData
    isCacheOnly = request.cachePolicy == .cacheOnly
    isProbe = caller.isProbe
    takesCopy = !caller.isProbe && request.cachePolicy == .useCache
  }

  /// The priority that the caller requests of all stages; `nil` while the caller is paused.
  var demand: ImageRequest.Priority? { isPaused ? nil : priority }
}
