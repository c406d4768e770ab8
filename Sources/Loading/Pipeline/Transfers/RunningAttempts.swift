import VitrineGraphics

/// The running attempts of all fetches, and the resumable data of ended attempts.
struct RunningAttempts {
  /// An attempt that is about to start.
  struct Beginning {
    /// The number of the attempt among all attempts.
    let number: UInt64
    let resumable: ResumableData?
    /// The duration of earlier attempts in seconds.
    let spent: Double
    /// The number of seconds between the request and the first attempt.
    let secondsQueued: Double
  }

  private var receivers = LoadTable<FetchKind, FetchReceiver>()
  private var resumableData: ResumableDataStore
  /// The number of attempts of all fetches so far.
  private var count: UInt64 = 0
  /// The number of transfers whose transport has not reported the end, including transfers that were given up.
  private var openTransfers = 0

  /// - Parameter resumableBytesLimit: The maximum number of bytes of resumable data.
  init(resumableBytesLimit: Int) { resumableData = ResumableDataStore(limit: resumableBytesLimit) }

  /// True if no transport has a transfer under way.
  var isIdle: Bool { openTransfers == 0 }

  subscript(id: FetchID) -> FetchReceiver? { receivers[id] }

  /// Returns true if an attempt was not given up and has not ended.
  func isCurrent(_ receiver: FetchReceiver) -> Bool { receivers[receiver.id] === receiver }

  /// Adds an attempt of a fetch that has none.
  ///
  /// - Parameter identity: The identity of the resumable data to continue; `nil` for none.
  mutating func begin(
    _ id: FetchID, resuming identity: RequestIdentity?, spent: Double, secondsQueued: Double,
    make: (Beginning) -> FetchReceiver
  ) -> FetchReceiver {
    count += 1
    let receiver = make(
      Beginning(
        number: count, resumable: identity.flatMap { resumableData.take($0) }, spent: spent,
        secondsQueued: secondsQueued))
    receivers[id] = receiver
    return receiver
  }

  /// Notes that the transport of an attempt starts. Returns false if the attempt was given up.
  mutating func transportBegins(_ receiver: FetchReceiver) -> Bool {
    guard isCurrent(receiver) else { return false }
    openTransfers += 1
    return true
  }

  mutating func transportEnded() { openTransfers -= 1 }

  /// Removes and returns the attempt of a fetch, which has ended or is given up.
  @discardableResult
  mutating func remove(_ id: FetchID) -> FetchReceiver? { receivers.removeValue(forKey: id) }

  /// Keeps the resumable data of an attempt for later requests.
  mutating func keep(_ resumable: ResumableData, for identity: RequestIdentity) {
    resumableData.keep(resumable, for: identity)
  }

  /// Removes and returns the oldest resumable data, to make room for `bytes` bytes.
  mutating func takeOldest(bytes: Int) -> [ResumableData] { resumableData.takeOldest(bytes: bytes) }

  /// Removes all resumable data, and keeps none from now on.
  mutating func shutDown() { resumableData = ResumableDataStore(limit: 0) }
}
