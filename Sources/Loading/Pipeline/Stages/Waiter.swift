/// A caller that waits for an image.
struct Waiter {
  var processedImage: ProcessedImageID
  var priority: ImageRequest.Priority
  /// The previews that the caller wants to receive.
  var progressive = ImageRequest.Progressive.none
  /// True if the transfer need not go on for this caller.
  var isPaused = false
  /// True for a cache-only request: the server is not asked.
  var isCacheOnly = false
  /// True for a load that is sent once, without retries, and is not served by a stale response.
  var isProbe = false
  /// True if the load may be served by a stale response while the server is asked.
  var takesCopy = false

  /// The priority that the caller requests of all stages; `nil` while the caller is paused.
  var demand: ImageRequest.Priority? { isPaused ? nil : priority }
}
