import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Asks the disk cache before transfers: for fetch locks, and for resumable data of earlier runs. Works on a thread of
/// its own, so that a lock that hangs delays no lookup.
final class FetchPreparer: Sendable {
  /// A thread that runs jobs in order.
  private final class Lane: Sendable {
    let pool = WorkerPool(threads: 1)
    private let lastNumber = Atomic<UInt64>(0)

    func submit(_ job: @escaping @Sendable () -> Void) {
      pool.submit(lastNumber.wrappingAdd(1, ordering: .relaxed).newValue, job: job)
    }
  }

  /// The number of seconds after which the answers to a series of questions are reported, before the next question,
  /// because a transfer may already wait for one of them. An answer also waits for the question that is running.
  static let reportInterval = 0.005

  private let cache: (any ImageDataCache)?
  private let writer: DiskWriter
  private let transports: TransportTable
  private let ledger: MemoryLedger
  private let clock: any LoadingClock
  private let lane = Lane()
  private let heartbeat: FetchLockHeartbeat

  /// - Parameters:
  ///   - writer: The writer, which knows the responses that are being removed, and which is told about other
  ///     processes.
  ///   - ledger: The ledger that counts resumable data.
  init(
    _ cache: (any ImageDataCache)?, writer: DiskWriter, transports: TransportTable, ledger: MemoryLedger,
    clock: any LoadingClock
  ) {
    self.cache = cache
    self.writer = writer
    self.transports = transports
    self.ledger = ledger
    self.clock = clock
    // Reading a long beginning of a broken download must not delay the reports.
    let reports = Lane()
    heartbeat = FetchLockHeartbeat(clock) { reports.submit($0) }
  }

  /// Takes the locks of fetches in order, and reads resumable data. All functions are called on the thread of the
  /// preparer. Other work of that thread may come between two questions, so that early questions delay that work only a
  /// little.
  ///
  /// - Parameters:
  ///   - isResumable: Returns true if resumable data are of use to a request.
  ///   - reading: Called with the number of bytes of resumable data before these are read.
  ///   - completion: Called with the answers to one or more questions. Each question is answered once.
  func prepare(
    _ questions: [FetchQuestion], isResumable: @escaping @Sendable (ImageRequest) -> Bool,
    reading: @escaping @Sendable (FetchID, _ bytes: Int) -> Void,
    completion: @escaping @Sendable ([(id: FetchID, preparation: FetchPreparation)]) -> Void
  ) {
    guard !questions.isEmpty else { return }
    lane.submit { [self] in
      let end = clock.now.advanced(bySeconds: Self.reportInterval)
      var answers: [(id: FetchID, preparation: FetchPreparation)] = []
      for question in questions {
        if !answers.isEmpty, lane.pool.hasWaitingJobs || clock.now >= end { break }
        answers.append(
          (question.id, answer(question, isResumable: isResumable) { reading(question.id, $0) }))
      }
      completion(answers)
      prepare(
        Array(questions.dropFirst(answers.count)), isResumable: isResumable, reading: reading,
        completion: completion)
    }
  }

  private func answer(
    _ question: FetchQuestion, isResumable: (ImageRequest) -> Bool,
    reading: @Sendable (_ bytes: Int) -> Void
  ) -> FetchPreparation {
    var preparation = FetchPreparation()
    if question.takesLock { preparation.lock = lock(transports.onDisk(question.request.identity)) }
    if case .heldByAnother = preparation.lock {
      writer.noteOtherProcess()
    } else if question.continues, isResumable(question.request) {
      if question.isEarly {
        preparation.hasUnreadData = hasResumableData(for: question.request)
      } else {
        preparation.resumable = resumableData(for: question.request, reading: reading)
      }
    }
    return preparation
  }

  /// Looks for processes that hold the locks of fetches, without taking a lock.
  ///
  /// - Parameter completion: Called once with the progress of the fetches whose locks are held by other processes.
  func check(
    _ identities: [FetchID: RequestIdentity],
    completion: @escaping @Sendable (_ progress: [FetchID: FetchLockProgress]) -> Void
  ) {
    lane.submit { [self] in
      completion(identities.compactMapValues { cache?.fetchProgress(for: transports.onDisk($0)) })
    }
  }

  /// True if no lock is being taken or released, and no resumable data are being read.
  var isIdle: Bool { lane.pool.isIdle }

  /// Returns when no lock is being taken or released, but no later than `seconds` by a clock: the disk may hang.
  func waitUntilIdle(within seconds: Double, _ clock: any LoadingClock) async {
    guard !isIdle else { return }
    await withCheckedContinuation { continuation in
      let waiting = Shared<CheckedContinuation<Void, Never>?>(continuation)
      let resume = { @Sendable in
        let waiting = waiting.withLock { $0.take() }
        waiting?.resume()
      }
      lane.pool.whenIdle(resume)
      clock.wake(at: clock.now.advanced(bySeconds: seconds), resume)
    }
  }

  private func lock(_ identity: RequestIdentity) -> FetchPreparation.Lock {
    switch cache?.fetchLock(for: identity) {
    case .acquired(let token, let secondsSinceStore)?:
      return .acquired(
        FetchLockHold(token, heartbeat, running: lane.submit), secondsSinceStore: secondsSinceStore)
    case .heldByAnother(let progress)?: return .heldByAnother(progress)
    case nil: return .none
    }
  }

  private func hasResumableData(for request: ImageRequest) -> Bool {
    cache?.containsIncompleteResponse(for: transports.onDisk(request.identity.asSent)) == true
  }

  /// Returns the resumable data of an earlier run; nil if there are none for this request.
  private func resumableData(
    for request: ImageRequest, reading: @Sendable (_ bytes: Int) -> Void
  ) -> ResumableData? {
    let identity = transports.onDisk(request.identity.asSent)
    guard let cache, !writer.isRemoving(identity) else { return nil }
    let reservation = MemoryReservation(0, in: ledger, as: .bodies)
    let stored = cache.incompleteResponse(for: identity) { bytes in
      reading(bytes)
      reservation.reserveForDisk(bytes)
    }
    guard let stored, stored.matches(request.sentHeaders, credentials: request.identity.credentials) else {
      return nil
    }
    return ResumableData(stored, reservation)
  }
}
