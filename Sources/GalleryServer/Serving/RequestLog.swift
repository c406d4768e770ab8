import Dispatch
import Synchronization

/// The log of a server's requests in order of arrival, with the threads that wait for changes of the log.
final class RequestLog: Sendable {
  /// The maximum number of records. The oldest records are dropped.
  static let limit = 100_000

  private struct State {
    var records: [Record] = []
    /// The approximate size of the records in bytes.
    var bytes = 0
    /// The number of the first record in `records`. Earlier records were dropped or cleared.
    var first = 0
    var connectionCount = 0
    var waiters: [DispatchSemaphore] = []

    mutating func wakeWaiters() {
      for waiter in waiters { waiter.signal() }
      waiters.removeAll()
    }
  }

  private let state = Mutex(State())
  /// The maximum size of all records in bytes; 0 keeps no records.
  private let byteLimit: Int

  init(byteLimit: Int = .max) { self.byteLimit = byteLimit }

  var records: [Record] { state.withLock { $0.records } }
  var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// Counts an accepted connection. Returns the connection's number, starting at 1.
  func addConnection() -> Int {
    state.withLock { state in
      state.connectionCount += 1
      state.wakeWaiters()
      return state.connectionCount
    }
  }

  /// Adds a request and returns the record's number for `update`. While a limit is exceeded, drops the oldest tenth of
  /// the records.
  func add(_ record: Record) -> Int {
    state.withLock { state in
      let size = record.approximateSize
      while !state.records.isEmpty, state.records.count >= Self.limit || state.bytes > byteLimit - size {
        let count = max(1, state.records.count / 10)
        state.bytes -= state.records.prefix(count).reduce(0) { $0 + $1.approximateSize }
        state.records.removeFirst(count)
        state.first += count
      }
      state.wakeWaiters()
      guard size <= byteLimit else {
        state.first += 1
        return state.first - 1
      }
      state.records.append(record)
      state.bytes += size
      return state.first + state.records.count - 1
    }
  }

  /// Calls `change`, which performs an action and updates the record, then stores the record in the log. The log is
  /// locked meanwhile, so that the effects of the action are never visible before the log entry.
  func update<Result: Sendable>(
    _ number: Int, _ record: inout Record, _ change: (inout Record) -> Result
  ) -> Result {
    state.withLock { state in
      let result = change(&record)
      if number >= state.first { state.records[number - state.first] = record }
      state.wakeWaiters()
      return result
    }
  }

  func clear() {
    state.withLock { state in
      state.first += state.records.count
      state.records.removeAll()
      state.bytes = 0
    }
  }

  /// Blocks until the records satisfy `condition`. Returns false after `timeout` seconds.
  func wait(timeout: Double, until condition: ([Record]) -> Bool) -> Bool {
    let deadline = DispatchTime.now() + timeout
    while true {
      let semaphore = DispatchSemaphore(value: 0)
      let records = state.withLock { state in
        state.waiters.append(semaphore)
        return state.records
      }
      if condition(records) { return true }
      if semaphore.wait(timeout: deadline) == .timedOut { return condition(self.records) }
    }
  }
}

extension Record {
  /// The approximate size of the record in bytes. Does not change while the response is sent.
  fileprivate var approximateSize: Int {
    headers.reduce(256 + target.utf8.count) { $0 + 96 + $1.key.utf8.count + $1.value.utf8.count }
  }
}
