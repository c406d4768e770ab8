import VitrineConcurrency

/// Decides which failed requests are sent again, and when. Has no clock and makes no calls.
///
/// The inputs are failures by host, successes, the return of the network, a step of the wall clock, the offline switch,
/// and whether requests are still on the screen. The outputs are the requests to send now and the time of the next
/// decision. Times are in nanoseconds.
///
/// At most one probe per host is under way. When any request to a host succeeds, the failed requests to that host are
/// sent again. A request that fails although its host has responded to other requests since its previous failure gets a
/// back-off of its own, and is not sent before its end, not even after successes of other requests.
struct RecoveryPlan {
  typealias Host = DownloadQueue.Lane

  /// Identifies a failed request.
  struct ID: Hashable, Comparable, Sendable {
    let number: UInt64

    static func < (a: ID, b: ID) -> Bool { a.number < b.number }
  }

  private enum Phase {
    /// Waiting for a probe or for a success of the host.
    case waiting
    /// To be sent as soon as the slot is visible.
    case released
    /// Sent. `successes`, `clockSteps` and `switches` are the counts of the host's successes, of clock steps and of
    /// changes of the offline switch at that time.
    case trying(successes: Int, clockSteps: Int, switches: Int)
  }

  private struct Request {
    let host: Host
    var cause: RecoveryCause
    var isVisible: Bool
    var phase = Phase.waiting
    var tries = 0
    /// The number of failures although the host had responded to other requests.
    var ownFailures = 0
    /// The end of the request's own back-off: the request is not sent before this time.
    var earliest = Int64.min
    /// The earliest time at which the request may be used as a probe.
    var probeFrom: Int64
    /// The host's success count at the time of the request's previous failure.
    var successesAtFailure: Int

    /// True if the request may be used as a probe after the back-off.
    var mayBeProbe: Bool {
      guard isVisible, case .waiting = phase else { return false }
      return true
    }
  }

  private struct HostState {
    var requests: Set<ID> = []
    /// The number of consecutive failed probes.
    var failedProbes = 0
    /// The earliest time of the next probe.
    var next: Int64
    var probe: ID?
    /// The number of successful requests to the host.
    var successes = 0
    /// The time of the next decision; nil if only an input can change the state.
    var wake: Int64?
  }

  private let policy: RecoveryPolicy
  private let random: @Sendable () -> Double
  private var requests: [ID: Request] = [:]
  private var hosts: [Host: HostState] = [:]
  private var pauses = HostPauses()
  /// The number of steps of the wall clock so far.
  private(set) var clockSteps = 0
  /// True if no request may be sent over the network.
  private var isOffline = false
  /// The number of changes of `isOffline` so far.
  private var switches = 0
  private var lastNumber: UInt64 = 0
  private var due: [ID] = []
  /// The time at which the caller of `takeDue` was asked to call `woken(at:)`.
  private var scheduledWake: Int64?
  /// The earliest wake time of any host since the last call of `takeDue`.
  private var proposedWake: Int64?

  /// - Parameter random: Returns a random number from 0 to 1.
  init(_ policy: RecoveryPolicy, random: @escaping @Sendable () -> Double = { .random(in: 0...1) }) {
    self.policy = policy
    self.random = random
  }

  /// The number of unsettled requests.
  var count: Int { requests.count }

  /// True if a success of a host may change a decision.
  var followsSuccesses: Bool { !requests.isEmpty || !pauses.isEmpty }

  // MARK: Inputs

  /// Adds a request whose load has failed or was served by a stale response.
  ///
  /// - Parameters:
  ///   - isReleased: True if the request is to be sent without waiting for a probe.
  ///   - pause: The number of seconds before which the request is not sent, unless the network returns. Extended by up
  ///     to a tenth.
  ///   - clockSteps: The value of `clockSteps` when the load began; nil if unknown. If the clock has been set since, a
  ///     failure because of the clock is out of date.
  mutating func add(
    _ cause: RecoveryCause, host: Host, isVisible: Bool, isReleased: Bool = false, after pause: Double = 0,
    clockSteps: Int? = nil, at now: Int64
  ) -> ID {
    lastNumber += 1
    let id = ID(number: lastNumber)
    let next = now.advanced(bySeconds: delay(0))
    let successes = hosts[host]?.successes ?? 0
    var request = Request(
      host: host, cause: cause, isVisible: isVisible, probeFrom: next, successesAtFailure: successes)
    if cause.isProbedSeldom { request.probeFrom = now.advanced(bySeconds: longestDelay) }
    if pause > 0 {
      request.earliest = now.advanced(bySeconds: Jitter.extended(pause, by: random()))
      request.probeFrom = request.earliest
    }
    let isOutdated = cause == .clock && clockSteps.map { $0 != self.clockSteps } == true
    if isReleased || isOutdated || endedMeanwhile(cause) { request.phase = .released }
    requests[id] = request
    hosts[host, default: HostState(next: pause > 0 ? now : next)].requests.insert(id)
    consider(id, at: now)
    return id
  }

  /// Records that a repeated request has failed again with a retryable error.
  mutating func failedAgain(_ id: ID, _ cause: RecoveryCause, at now: Int64) {
    guard let request = requests[id],
      case .trying(let successes, let clockSteps, let switches) = request.phase,
      let host = hosts[request.host]
    else { return }
    let isProbe = host.probe == id
    if isProbe { hosts[request.host]?.probe = nil }
    requests[id]?.cause = cause
    requests[id]?.successesAtFailure = host.successes
    if cause == .offline, isOffline {
      // The request was not sent.
      requests[id]?.phase = .waiting
      return
    }
    // A transport of the application may report that it is offline at any time.
    let isOnlineAgain = endedMeanwhile(cause) && switches != self.switches
    if isOnlineAgain || cause == .clock && clockSteps != self.clockSteps {
      // The certificate may have been checked before the clock was set.
      requests[id]?.phase = .released
      if isProbe { schedule(request.host, at: now) }
      return consider(id, at: now)
    }
    requests[id]?.phase = .waiting
    if cause.isProbedSeldom {
      let probeFrom = now.advanced(bySeconds: longestDelay)
      requests[id]?.probeFrom = probeFrom
    }
    if cause == .memory || host.successes > request.successesAtFailure {
      let earliest = now.advanced(bySeconds: delay(request.ownFailures))
      requests[id]?.earliest = max(earliest, pauses.end(of: request.host))
      requests[id]?.ownFailures += 1
    }
    if cause != .memory, host.successes == successes {
      if isProbe { hosts[request.host]?.failedProbes += 1 }
      let isLongest =
        isProbe && host.requests.allSatisfy { requests[$0]?.cause.isProbedSeldom == true }
      let pause = isLongest ? longestDelay : delay(hosts[request.host]?.failedProbes ?? 0)
      hosts[request.host]?.next = max(host.next, now.advanced(bySeconds: pause))
    }
    if isProbe { schedule(request.host, at: now) } else { consider(id, at: now) }
  }

  /// Removes a request because the image has arrived or the slot requests another image.
  mutating func remove(_ id: ID, at now: Int64) {
    guard let request = requests.removeValue(forKey: id) else { return }
    hosts[request.host]?.requests.remove(id)
    if hosts[request.host]?.requests.isEmpty == true {
      hosts[request.host] = nil
    } else if hosts[request.host]?.probe == id {
      hosts[request.host]?.probe = nil
      schedule(request.host, at: now)
    }
  }

  /// Records that the slot has come onto the screen, or was off the screen when the request was to be sent.
  mutating func setVisible(_ isVisible: Bool, _ id: ID, at now: Int64) {
    guard let request = requests[id], request.isVisible != isVisible else { return }
    requests[id]?.isVisible = isVisible
    if isVisible { return consider(id, at: now) }
    guard case .trying = request.phase else { return }
    // The request was not sent, so the try does not count.
    requests[id]?.tries -= 1
    if hosts[request.host]?.probe == id {
      requests[id]?.phase = .waiting
      hosts[request.host]?.probe = nil
      schedule(request.host, at: now)
    } else {
      requests[id]?.phase = .released
    }
  }

  /// Records a success of any request to a host.
  mutating func succeeded(_ host: Host, at now: Int64) {
    pauses.remove(host)
    guard let state = hosts[host] else { return }
    hosts[host]?.successes += 1
    hosts[host]?.failedProbes = 0
    hosts[host]?.next = now
    for id in state.requests.sorted() {
      // A shortage of memory does not end when a server responds.
      guard let request = requests[id], request.cause != .memory, request.earliest <= now,
        case .waiting = request.phase
      else { continue }
      requests[id]?.phase = .released
      consider(id, at: now)
    }
    schedule(host, at: now)
  }

  /// Records that a server has asked for a pause (`Retry-After`): the host is not probed before its end.
  mutating func refused(_ host: Host, retryAfter seconds: Double, at now: Int64) {
    let stated = min(max(0, seconds), max(0, policy.maximumRetryAfter))
    pauses.set(
      host, until: now.advanced(bySeconds: Jitter.extended(stated, by: random())), at: now)
  }

  /// Returns the end of the pause for which a server has asked, or the earliest possible time if there is none.
  func pauseEnd(of host: Host) -> Int64 { pauses.end(of: host) }

  /// Probes each host at once because the network has returned, even if an earlier probe is stuck.
  mutating func networkReturned(at now: Int64) {
    pauses.removeAll()
    for host in hosts.keys.sorted(by: { $0.order < $1.order }) { restart(host, at: now) }
  }

  /// Retries requests that failed because of an invalid certificate, because the wall clock was set.
  mutating func clockStepped(at now: Int64) {
    clockSteps += 1
    var stepped: Set<Host> = []
    for (id, request) in requests where request.cause == .clock {
      requests[id]?.cause = .server
      stepped.insert(request.host)
    }
    for host in stepped.sorted(by: { $0.order < $1.order }) { restart(host, at: now) }
  }

  /// Records that requests may not leave this machine, or may do so again. The requests that have failed for this reason
  /// are then sent at once, and each host is probed.
  mutating func setOffline(_ isOffline: Bool, at now: Int64) {
    guard isOffline != self.isOffline else { return }
    self.isOffline = isOffline
    switches += 1
    guard !isOffline else { return }
    for id in requests.keys.sorted() {
      guard let request = requests[id], request.cause == .offline, case .waiting = request.phase else {
        continue
      }
      requests[id]?.phase = .released
    }
    for host in hosts.keys.sorted(by: { $0.order < $1.order }) {
      restart(host, at: now)
      for id in hosts[host]?.requests.sorted() ?? [] { sendIfReleased(id, at: now) }
    }
  }

  /// True if the downloader is no longer offline, although a request has failed for this reason.
  private func endedMeanwhile(_ cause: RecoveryCause) -> Bool { cause == .offline && !isOffline }

  /// True if no request to a host may be sent now.
  private func isCutOff(_ host: Host) -> Bool { isOffline && !host.isLocal }

  private mutating func sendIfReleased(_ id: ID, at now: Int64) {
    if case .released = requests[id]?.phase { consider(id, at: now) }
  }

  private mutating func restart(_ host: Host, at now: Int64) {
    guard let state = hosts[host] else { return }
    if let probe = state.probe { requests[probe]?.phase = .waiting }
    hosts[host]?.probe = nil
    hosts[host]?.failedProbes = 0
    hosts[host]?.next = now
    for id in state.requests {
      requests[id]?.ownFailures = 0
      requests[id]?.earliest = .min
      requests[id]?.probeFrom = .min
    }
    schedule(host, at: now)
  }

  /// Called at the time that `takeDue` has returned.
  mutating func woken(at now: Int64) {
    if let scheduledWake, scheduledWake <= now { self.scheduledWake = nil }
    for (host, state) in hosts where state.wake.map({ $0 <= now }) == true { schedule(host, at: now) }
    proposedWake = hosts.values.lazy.compactMap(\.wake).min()
  }

  // MARK: Outputs

  /// Returns the requests to send now, and the time at which to call `woken(at:)` unless that was requested before.
  mutating func takeDue() -> (due: [ID], wake: Int64?) {
    defer {
      due = []
      proposedWake = nil
    }
    guard let wake = proposedWake, wake < scheduledWake ?? .max else { return (due, nil) }
    scheduledWake = wake
    return (due, wake)
  }

  // MARK: Decisions

  private func delay(_ probes: Int) -> Double { policy.delay(afterProbes: probes, random: random()) }

  private var longestDelay: Double { delay(.max) }

  /// The earliest time at which a request may be the probe of the host.
  private func time(of request: Request, _ host: HostState) -> Int64 {
    max(request.earliest, request.probeFrom, host.next, pauses.end(of: request.host))
  }

  /// Updates one request after a change. O(1).
  private mutating func consider(_ id: ID, at now: Int64) {
    guard let request = requests[id], request.isVisible, !isCutOff(request.host),
      let host = hosts[request.host]
    else { return }
    if case .released = request.phase { return send(id, request.host) }
    guard request.mayBeProbe, host.probe == nil else { return }
    let time = time(of: request, host)
    if time <= now {
      hosts[request.host]?.probe = id
      send(id, request.host)
    } else {
      setWake(min(host.wake ?? .max, time), request.host)
    }
  }

  /// Starts the probe of a host, or finds the time of the next probe. O(n) for n requests to the host.
  private mutating func schedule(_ host: Host, at now: Int64) {
    guard let state = hosts[host] else { return }
    setWake(nil, host)
    guard state.probe == nil, !isCutOff(host) else { return }
    var best: (tries: Int, id: ID)?
    var earliest: Int64?
    for id in state.requests {
      guard let request = requests[id], request.mayBeProbe else { continue }
      let time = time(of: request, state)
      earliest = min(earliest ?? .max, time)
      // Requests with the fewest tries come first, so that a request that always fails does not hide that the host
      // responds.
      if time <= now, best.map({ (request.tries, id) < $0 }) ?? true { best = (request.tries, id) }
    }
    if let best {
      hosts[host]?.probe = best.id
      send(best.id, host)
    } else {
      setWake(earliest, host)
    }
  }

  private mutating func setWake(_ time: Int64?, _ host: Host) {
    hosts[host]?.wake = time
    if let time, time < proposedWake ?? .max { proposedWake = time }
  }

  private mutating func send(_ id: ID, _ host: Host) {
    requests[id]?.phase = .trying(
      successes: hosts[host]?.successes ?? 0, clockSteps: clockSteps, switches: switches)
    requests[id]?.tries += 1
    due.append(id)
  }
}

extension DownloadQueue.Lane {
  /// A key that sorts hosts in a stable order.
  fileprivate var order: String {
    switch self {
    case .local: ""
    case .data: "data:"
    case .host(let scheme, let name, let port): "\(scheme)://\(name):\(port ?? 0)"
    }
  }
}
