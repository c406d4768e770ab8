import VitrineConcurrency

/// The handle that stops an attempt. The attempt may be stopped before the handle is known.
struct AttemptStop {
  /// The handle that stops the transfer, or before that the request modifier; `nil` until either has been started.
  private var handle: (any Cancellable)?
  /// True if the attempt was stopped, so that a later handle is cancelled at once.
  private(set) var isStopped = false
  private var isEnded = false

  /// Keeps the handle that stops the attempt. Returns false if the attempt was stopped, and the caller must cancel the
  /// handle.
  ///
  /// - Parameter insteadOfAnother: False to keep a handle that is known already.
  mutating func keep(_ handle: any Cancellable, insteadOfAnother: Bool) -> Bool {
    if !isStopped, !isEnded, insteadOfAnother || self.handle == nil { self.handle = handle }
    return !isStopped
  }

  /// Stops the attempt. Returns the handle to cancel; `nil` if there is none, or if the transport has reported the end.
  mutating func stop() -> (any Cancellable)? {
    isStopped = true
    return handle.take()
  }

  /// Notes that the transport has reported the end. Returns the handle, for release without a lock. A handle may retain
  /// the receiver, and the downloader that would stop the attempt may have been released.
  mutating func end() -> (any Cancellable)? {
    isEnded = true
    return handle.take()
  }
}
