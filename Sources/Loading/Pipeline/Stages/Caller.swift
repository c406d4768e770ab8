/// A caller that begins to wait for an image.
struct Caller {
  let request: ImageRequest
  let additionalIdentifier: String?
  /// True if the transfer need not go on for this caller.
  let isPaused: Bool
  /// True for a load that is sent once, without retries, and is not served by a stale response.
  let isProbe: Bool

  init(
    _ request: ImageRequest, _ additionalIdentifier: String? = nil, isPaused: Bool = false,
    isProbe: Bool = false
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.isPaused = isPaused
    self.isProbe = isProbe
  }
}
