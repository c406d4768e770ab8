/// The owner of fetch receivers: decides whether an attempt is still wanted, and handles its results.
protocol FetchReceiverDelegate: AnyObject, Sendable {
  /// Called after the request modifier and before the transport starts. Returns false if the attempt was given up.
  func fetchBegins(_ receiver: FetchReceiver) -> Bool
  /// Called with the head of a response as received, before the waiting tasks receive the head.
  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver)
  /// Called when more bytes have arrived and a caller wants previews. Returns the time of the next call in nanoseconds.
  func bytesArrived(_ beginning: PreviewSchedule.Beginning, of receiver: FetchReceiver) -> Int64
  /// Called once with the result of the attempt, which may have been given up in the meantime.
  func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?)
  /// Called with the metrics of a transfer, successful or not.
  func count(_ metrics: TransportMetrics)
  /// Called when the transport has reported the end of a transfer, even of one that was given up. Follows `fetchEnded`,
  /// unless a modifier of the body is still running. Also called, without `fetchEnded`, if an attempt without a request
  /// modifier was given up before its transport started.
  func transportEnded()
}
