import VitrineGraphics

/// The running attempts of all fetches, and the resumable data of ended attempts.
struct RunningAttempts {
  /// An attempt that is about to start.
  struct Beginning {
    /// The number of the attempt among all attempts.
    let number: UInt64
    let resumable: ResumableData?
    /// The lock of the fetch, if this process holds it.
    let lock: FetchLockHold?
    /// The duration of earlier attempts in seconds.
    let spent: Double
    /// The number of seconds between the request and the first attempt.
    let secondsQueued: Double
  }

  private var receivers = LoadTable<FetchKind, FetchReceiver>()
  private var resumableData: ResumableDataStore
  /// The number of attempts of all fetches so far.
  private var count: UInt64 = 0

  /// - Parameter resumableBytesLimit: The maximum number of bytes of resumable data.
  init(resumableBytesLimit: Int) { resumableData = ResumableDataStore(limit: resumableBytesLimit) }

  subscript(id: FetchID) -> FetchReceiver? { receivers[id] }

  /// Returns true if an attempt was not given up and has not ended.
  func isCurrent(_ receiver: FetchReceiver) -> Bool { receivers[receiver.id] === receiver }

  /// Adds an attempt of a fetch that has none.
  ///
  /// - Parameters:
  ///   - identity: The identity of the resumable data to continue; `nil` for none.
  ///   - preparation: The answer of the disk cache; its resumable data are used if there are none in memory.
  mutating func begin(
    _ id: FetchID, resuming identity: RequestIdentity?, _ preparation: FetchPreparation?, spent: Double,
    secondsQueued: Double, make: (Beginning) -> FetchReceiver
  ) -> FetchReceiver {
    count += 1
    var stored = preparation?.resumable
    stored?.number = count
    let receiver = make(
      Beginning(
        number: count, resumable: identity.flatMap { resumableData.take($0) ?? stored },
        lock: preparation?.hold, spent: spent, secondsQueued: secondsQueued))
    receivers[id] = receiver
    return receiver
  }

  /// Removes and returns the attempt of a fetch, which has ended or is given up.
  @discardableResult
  mutating func remove(_ id: FetchID) -> FetchReceiver? { receivers.removeValue(forKey: id) }

  /// Keeps the resumable data of an attempt for later requests.
  mutating func keep(_ resumable: ResumableData, for identity: RequestIdentity) {
    resumableData.keep(resumable, for: identity)
  }

  /// All running attempts.
  var all: [FetchReceiver] { receivers.keys.sorted().compactMap { receivers[$0] } }

  /// True unless resumable data are disabled.
  var keepsResumableData: Bool { resumableData.limit > 0 }

  /// Returns true if there are resumable data of a request in memory.
  func hasResumableData(for identity: RequestIdentity) -> Bool { resumableData.contains(identity) }

  /// Returns the resumable data in memory that were not written to disk, the newest first, and notes that they are
  /// written.
  mutating func takeUnwritten() -> [(identity: RequestIdentity, response: StoredResponse)] {
    resumableData.takeUnwritten()
  }

  /// Notes that the resumable data of a request were written to disk.
  mutating func noteWritten(_ identity: RequestIdentity) { resumableData.noteWritten(identity) }

  /// Removes and returns the oldest resumable data, to make room for `bytes` bytes.
  mutating func takeOldest(bytes: Int) -> [ResumableData] { resumableData.takeOldest(bytes: bytes) }

  /// Removes all resumable data, and keeps none from now on.
  mutating func shutDown() { resumableData = ResumableDataStore(limit: 0) }
}
