import VitrineConcurrency

/// The decisions of a live stream: when to connect, which frames to decode, and what to report.
///
/// Inputs are events with their time in nanoseconds, and outputs are actions, which `LiveRunner` performs. Connections
/// and frames have numbers; a late event of an earlier connection or a dropped frame has no effect.
///
/// One frame at a time is decoded and delivered. Of the frames that arrive meanwhile only the newest is kept, so that
/// the shown frame is as new as possible, however slow decoding and the main actor are.
struct LivePlan: Sendable {
  /// An output of the plan.
  enum Action: Hashable, Sendable {
    case connect(Int)
    case disconnect(Int)
    case decode(Int)
    /// Stop decoding a frame and drop it.
    case stopDecoding(Int)
    /// Drop a frame that waits to be decoded.
    case drop(Int)
    /// Show a decoded frame, then call `delivered`.
    case deliver(Int)
    case report(LiveImageStream.Event)
    case wake(at: Int64)
    /// Release the handlers, because the stream has ended.
    case end
  }

  private enum Phase: Hashable {
    /// No connection is wanted yet.
    case idle
    case connecting(Int)
    case receiving(Int)
    /// The connection has ended. The next one begins at `retryTime`.
    case waiting
    case ended
  }

  /// The counters of the stream.
  private(set) var statistics = LiveImageStream.Statistics()
  private(set) var isPaused = false
  private let options: LiveImageStream.Options
  /// The number of seconds until the head of a response must have arrived.
  private let responseLimit: Double
  private var isOffline: Bool
  private var phase = Phase.idle
  private var backOff = LiveBackOff()
  private var lastConnection = 0
  private var lastFrame = 0
  /// The time before which no connection begins.
  private var retryTime: Int64?
  /// The time of the last sign of the server, or of the attempt to connect.
  private var lastActivity: Int64 = 0
  /// The time of the next wake; `nil` if none is scheduled.
  private var wakeTime: Int64?
  /// The frame that is being decoded or delivered.
  private var current: Int?
  /// The newest frame, which waits for `current`.
  private var newest: Int?
  /// True from an interruption to the next connection.
  private var isReconnecting = false
  /// True if a frame of the current connection was decoded.
  private var isPlaying = false
  /// True if the last frame could not be decoded.
  private var isFailingToDecode = false
  /// True if a frame of the current connection has arrived.
  private var hasFrame = false
  /// True if the response has many frames.
  private var isMultipart = false
  /// True if the stream ends after the frames that are under way.
  private var isEnding = false

  /// - Parameters:
  ///   - connectLimit: The number of seconds that the transport allows for connecting.
  ///   - isOffline: True if no request may be sent.
  init(_ options: LiveImageStream.Options, connectLimit: Double, isOffline: Bool = false) {
    self.options = options
    self.isOffline = isOffline
    let limit = max(0, connectLimit) + options.effectiveStallLimit
    responseLimit = limit.isNaN ? .infinity : limit
  }

  var hasEnded: Bool { phase == .ended }

  // MARK: Inputs of the application

  mutating func start(at now: Int64) -> [Action] {
    guard phase == .idle else { return [] }
    phase = .waiting
    return (isOffline ? [.report(.interrupted(.offline, retryDelay: nil))] : []) + proceed(at: now)
  }

  /// Closes the connection while the images are not visible, or connects again.
  mutating func setPaused(_ isPaused: Bool, at now: Int64) -> [Action] {
    guard self.isPaused != isPaused, !hasEnded else { return [] }
    self.isPaused = isPaused
    // The last image of a stream that ends is shown all the same.
    if isEnding { return [] }
    return isPaused ? disconnect() + dropFrames() : proceed(at: now)
  }

  mutating func cancel() -> [Action] {
    guard !hasEnded else { return [] }
    let actions = disconnect() + dropFrames()
    phase = .ended
    return actions + [.end]
  }

  /// Ends the stream, because another attempt would fail as well.
  mutating func fail(_ error: ImageError) -> [Action] {
    guard !hasEnded else { return [] }
    let actions = disconnect() + dropFrames()
    phase = .ended
    return actions + [.report(.failed(error)), .end]
  }

  // MARK: Inputs of the network

  mutating func setOffline(_ isOffline: Bool, at now: Int64) -> [Action] {
    guard self.isOffline != isOffline, !hasEnded, !isEnding else { return [] }
    self.isOffline = isOffline
    guard phase != .idle else { return [] }
    isReconnecting = true
    if isOffline { return disconnect() + [.report(.interrupted(.offline, retryDelay: nil))] }
    return networkReturned(at: now)
  }

  /// Connects at once if the stream waits to connect again, or if the server has not responded yet.
  mutating func networkReturned(at now: Int64) -> [Action] {
    guard !hasEnded, !isEnding, phase != .idle else { return [] }
    backOff.reset()
    var actions: [Action] = []
    if case .connecting = phase { actions = disconnect() }
    if phase == .waiting { retryTime = nil }
    return actions + proceed(at: now)
  }

  /// - Parameter isMultipart: True if the response may have many frames.
  mutating func responded(_ connection: Int, isMultipart: Bool, at now: Int64) -> [Action] {
    guard phase == .connecting(connection) else { return [] }
    phase = .receiving(connection)
    self.isMultipart = isMultipart
    hasFrame = false
    lastActivity = now
    return scheduled()
  }

  mutating func bytesArrived(_ connection: Int, at now: Int64) {
    if phase == .receiving(connection) { lastActivity = now }
  }

  /// Handles a complete frame. Returns its number; `nil` for a frame of an earlier connection.
  mutating func frameArrived(_ connection: Int) -> (frame: Int, actions: [Action])? {
    guard phase == .receiving(connection) else { return nil }
    statistics.framesReceived += 1
    hasFrame = true
    lastFrame += 1
    guard current != nil else {
      current = lastFrame
      return (lastFrame, [.decode(lastFrame)])
    }
    let actions = dropNewest()
    newest = lastFrame
    return (lastFrame, actions)
  }

  /// Handles a frame that was not kept because there was no memory for its bytes.
  mutating func frameDiscarded(_ connection: Int) {
    guard phase == .receiving(connection) else { return }
    statistics.framesReceived += 1
    statistics.framesDropped += 1
  }

  /// Handles the end of a response or of the attempt to connect.
  ///
  /// - Parameters:
  ///   - error: The failure; `nil` if the response is complete.
  ///   - retryAfter: The number of seconds for which the server asks for a pause.
  mutating func connectionEnded(
    _ connection: Int, _ error: ImageError?, retryAfter: Double? = nil, at now: Int64
  ) -> [Action] {
    guard phase == .connecting(connection) || phase == .receiving(connection) else { return [] }
    if error == nil, phase == .receiving(connection), !isMultipart {
      return hasFrame ? imageEnded(at: now) : interrupt(.emptyBody, retryAfter: retryAfter, at: now)
    }
    return interrupt(error, retryAfter: retryAfter, at: now)
  }

  mutating func woken(at now: Int64) -> [Action] {
    if let time = wakeTime, now >= time { wakeTime = nil }
    if let connection, let deadline, now >= deadline {
      let seconds = isConnecting ? responseLimit : options.effectiveStallLimit
      return [.disconnect(connection)]
        + interrupt(.timedOut(.stall(seconds: seconds)), retryAfter: nil, at: now)
    }
    return proceed(at: now)
  }

  // MARK: Inputs of the decoder

  /// Handles the end of a decode.
  mutating func decoded(_ frame: Int, _ error: ImageError?) -> [Action] {
    guard current == frame else { return [] }
    guard let error else {
      statistics.framesDecoded += 1
      isFailingToDecode = false
      backOff.reset()
      // The connection of the last frame may have ended meanwhile, which was reported.
      if isMultipart, connection == nil { return [.deliver(frame)] }
      defer { isPlaying = true }
      return isPlaying ? [.deliver(frame)] : [.deliver(frame), .report(.playing)]
    }
    statistics.framesFailed += 1
    defer { isFailingToDecode = true }
    return (isFailingToDecode ? [] : [.report(.frameFailed(error))]) + next()
  }

  /// Returns true if a decoded frame is still to be shown.
  func mayDeliver(_ frame: Int) -> Bool { current == frame && !hasEnded }

  /// Handles the delivery of a frame.
  mutating func delivered(_ frame: Int) -> [Action] { current == frame ? next() : [] }

  /// Continues with the newest frame.
  private mutating func next() -> [Action] {
    current = newest.take()
    if let current { return [.decode(current)] }
    guard isEnding, !hasEnded else { return [] }
    phase = .ended
    return [.report(.ended), .end]
  }

  private mutating func dropNewest() -> [Action] {
    guard let frame = newest.take() else { return [] }
    statistics.framesDropped += 1
    return [.drop(frame)]
  }

  private mutating func dropFrames() -> [Action] {
    let actions = dropNewest()
    guard let frame = current.take() else { return actions }
    statistics.framesDropped += 1
    return actions + [.stopDecoding(frame)]
  }

  // MARK: Connections

  /// The number of the connection that is wanted; `nil` for none.
  var connection: Int? {
    switch phase {
    case .connecting(let connection), .receiving(let connection): connection
    case .idle, .waiting, .ended: nil
    }
  }

  private var isConnecting: Bool {
    if case .connecting = phase { true } else { false }
  }

  /// The time at which the connection counts as stalled.
  private var deadline: Int64? {
    guard connection != nil else { return nil }
    let seconds = isConnecting ? responseLimit : options.effectiveStallLimit
    // A limit of decades is no limit.
    return seconds < 1e9 ? lastActivity.advanced(bySeconds: seconds) : nil
  }

  private mutating func disconnect() -> [Action] {
    guard let connection else { return [] }
    phase = .waiting
    isPlaying = false
    return [.disconnect(connection)]
  }

  private mutating func interrupt(_ error: ImageError?, retryAfter: Double?, at now: Int64) -> [Action] {
    phase = .waiting
    isPlaying = false
    if let error, LiveBackOff.isFinal(error) { return fail(error) }
    let delay = backOff.delay(after: error, retryAfter: retryAfter)
    retryTime = now.advanced(bySeconds: delay)
    isReconnecting = true
    return [.report(.interrupted(error, retryDelay: delay))] + scheduled()
  }

  /// Handles the end of a response that is one image.
  private mutating func imageEnded(at now: Int64) -> [Action] {
    phase = .waiting
    guard let interval = options.effectiveRefreshInterval else {
      isEnding = true
      return current == nil ? next() : []
    }
    retryTime = now.advanced(bySeconds: interval)
    return scheduled()
  }

  /// Connects if it is time, or sets the time to do so.
  private mutating func proceed(at now: Int64) -> [Action] {
    guard phase == .waiting, !isPaused, !isOffline, !isEnding else { return scheduled() }
    if let retryTime, now < retryTime { return scheduled() }
    retryTime = nil
    lastConnection += 1
    phase = .connecting(lastConnection)
    lastActivity = now
    if isReconnecting { statistics.reconnects += 1 }
    isReconnecting = false
    return [.connect(lastConnection)] + scheduled()
  }

  /// Returns the wake for the next time at which something is due, unless an earlier wake is set already. A wake cannot
  /// be withdrawn; one that comes too early sets the next one.
  private mutating func scheduled() -> [Action] {
    let isWaiting = phase == .waiting && !isPaused && !isOffline && !isEnding
    guard let due = isWaiting ? retryTime : deadline, wakeTime.map({ due < $0 }) ?? true else { return [] }
    wakeTime = due
    return [.wake(at: due)]
  }
}
