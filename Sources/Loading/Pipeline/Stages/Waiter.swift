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
  /// True if the first frame of an animated image is enough.
  let onlyFirstFrame: Bool
  /// True for a cache-only request: the server is not asked.
  let isCacheOnly: Bool
  let purpose: LoadPurpose
  /// True if the load may be served by a stale response while the server is asked.
  let takesCopy: Bool

  init(_ caller: Caller, processedImage: ProcessedImageID) {
    let request = caller.request
    self.processedImage = processedImage
    identity = request.identity
    priority = request.priority
    progressive = request.progressive
    isPaused = caller.isPaused
    keepsData = request.keepsData || !request.decodes
    onlyFirstFrame = request.onlyFirstFrame
    isCacheOnly = request.cachePolicy == .cacheOnly
    purpose = caller.purpose
    takesCopy = caller.purpose != .probe && request.cachePolicy == .useCache
  }

  /// True for a load that is sent once, without retries, and is not served by a stale response.
  var isProbe: Bool { purpose == .probe }

  /// Returns true if the load may be served by a stale response while the server is asked.
  ///
  /// - Parameter atOnce: True to ask for loads that do not wait for the server before.
  func takesCopy(atOnce: Bool) -> Bool { takesCopy && (!atOnce || purpose.isSlot) }

  /// The priority that the caller requests of all stages; `nil` while the caller is paused.
  var demand: ImageRequest.Priority? { isPaused ? nil : priority }
}
