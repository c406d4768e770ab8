/// A caller that begins to wait for an image.
struct Caller {
  let request: ImageRequest
  let additionalIdentifier: String?
  /// True if the transfer need not go on for this caller.
  let isPaused: Bool
  let purpose: LoadPurpose

  init(
    _ request: ImageRequest, _ additionalIdentifier: String? = nil, isPaused: Bool = false,
    purpose: LoadPurpose = .application
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.isPaused = isPaused
    self.purpose = purpose
  }
}
