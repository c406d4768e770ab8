import CCurl
import VitrineLoading

/// A running transfer. Carries out the decisions of its `TransferState`. Used on the loop's thread only.
final class Transfer {
  let id: TransferID
  let easy: EasyHandle
  private let arguments: TransferArguments
  private let watch: DeadlineWatch
  private let settings: TransferSettings
  /// Tells the transfer loop to call `resume()`. May be called from any thread.
  private let requestResume: @Sendable () -> Void
  /// Swift does not check this property for overlapping accesses, because the checks are slow. No access overlaps
  /// another: `TransferState` calls nothing that uses this transfer.
  @exclusivity(unchecked) private var state: TransferState
  private var connections = 0
  private var isReused = false
  /// True if the current hop has set cookies.
  private var hasSetCookies = false
  private var hopBegan = TransferInstant.now

  init(
    _ id: TransferID, _ arguments: TransferArguments, hop: Hop, on easy: EasyHandle, watch: DeadlineWatch,
    settings: TransferSettings, requestResume: @escaping @Sendable () -> Void
  ) {
    self.id = id
    self.easy = easy
    self.arguments = arguments
    self.watch = watch
    self.settings = settings
    self.requestResume = requestResume
    state = TransferState(arguments.request, hop: hop, settings: settings, startedAt: arguments.startedAt)
  }

  /// Configures the easy handle for the next request.
  func prepare() throws(ImageError) {
    hopBegan = .now
    state.beginConnecting(at: hopBegan)
    watch.note(wakeTime)
    let isListening = try easy.prepare(
      for: state.hop, connectLimit: arguments.request.timeouts.connect, settings: settings)
    try listen(setsFunctions: !isListening)
  }

  /// The time at which the transfer times out; `nil` for never.
  var deadline: TransferInstant? { state.deadlines.next }

  /// The time at which the transfer times out or its connection is checked; `nil` for never.
  var wakeTime: TransferInstant? { state.deadlines.nextWake }

  /// Returns true if the transfer still has no connection at a time at which libcurl must check its limit for
  /// connecting.
  func takeConnectCheck(at now: TransferInstant) -> Bool { state.takeConnectCheck(at: now) }

  /// The origin of the current request.
  var origin: WebAddress.Origin { state.hop.address.origin }

  /// True if the current request has a connection and is being sent.
  var isConnected: Bool { state.isRequestSent }

  /// Limits the time to connect, because another transfer failed to connect to the same origin in time and no transfer
  /// is connected to it.
  func connectionWasNotMade() {
    state.connectionWasNotMade(since: hopBegan)
    watch.note(deadline)
  }

  /// Ends the current hop because a deadline has passed. Returns the next step.
  func expire() -> TransferState.Next {
    countConnections()
    updateCookieJar()
    reportWithheld()
    return state.expire()
  }

  /// Ends the current hop, with which libcurl has finished. Returns the next step.
  func end(_ code: CURLcode) -> TransferState.Next {
    let opened = countConnections()
    updateCookieJar()
    reportWithheld()
    return state.end(
      TransferState.HopEnd(failure: code == CURLE_OK ? nil : failure(code), wasReused: opened == 0))
  }

  private func failure(_ code: CURLcode) -> ImageError {
    CurlFailure(
      code: code, message: easy.message, host: origin.host,
      secureProxyHost: state.proxy.flatMap { try? ProxyAddress($0).secureHost },
      isProxied: state.proxy != nil, proxyStatus: easy.count(CURLINFO_HTTP_CONNECTCODE),
      isConnected: state.isRequestSent, connectLimit: arguments.request.timeouts.connect
    ).error
  }

  /// If the hop has set cookies, notifies the jar and removes excess cookies.
  private func updateCookieJar() {
    guard hasSetCookies else { return }
    hasSetCookies = false
    settings.configuration.cookies?.didChange()
    settings.configuration.cookies?.removeExcess()
  }

  /// Reports a withheld 401 response to the receiver, because libcurl has not replied to the challenge.
  private func reportWithheld() {
    if let response = state.takeWithheld() { arguments.receiver.transportDidReceive(response) }
  }

  /// Continues the transfer because the receiver has room again. Returns the next step if this ends the hop, or `nil`
  /// if the hop continues.
  func resume() -> TransferState.Next? {
    if let next = state.resume(at: .now) { return next }
    // libcurl calls back with the bytes that the receiver had no room for.
    let code = curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    watch.note(deadline)
    return code == CURLE_OK ? nil : end(code)
  }

  /// Updates the connection count and the cookie jar. Called before the loop ends a running transfer by cancellation or
  /// because the multi handle failed.
  func breakOff() {
    countConnections()
    updateCookieJar()
  }

  /// Counts the connections that libcurl opened for the hop that is ending. Returns their number.
  @discardableResult
  private func countConnections() -> Int {
    let opened = easy.count(CURLINFO_NUM_CONNECTS)
    connections += opened
    isReused = opened == 0 && state.isRequestSent
    return opened
  }

  /// The metrics of the transfer. Must be read before the handle is reset.
  var metrics: TransportMetrics {
    TransportMetrics(
      bytesReceived: state.room.bytesReceived, headBytesReceived: easy.count(CURLINFO_HEADER_SIZE),
      bytesSent: easy.count(CURLINFO_REQUEST_SIZE), requests: state.requestsSent,
      redirects: state.hop.redirects, connections: connections, isReused: isReused,
      httpVersion: easy.httpVersion, serverAddress: easy.text(CURLINFO_PRIMARY_IP),
      nameLookup: easy.seconds(CURLINFO_NAMELOOKUP_TIME_T), connect: easy.seconds(CURLINFO_CONNECT_TIME_T),
      tls: easy.seconds(CURLINFO_APPCONNECT_TIME_T), firstByte: easy.seconds(CURLINFO_STARTTRANSFER_TIME_T),
      // libcurl counts up to the last byte it received, which may be long before a transfer is cancelled.
      total: max(easy.seconds(CURLINFO_TOTAL_TIME_T), hopBegan.seconds(until: .now)))
  }

  /// Reports the end of the transfer to the receiver. The loop calls this once.
  func finish(_ error: ImageError?, _ metrics: TransportMetrics) {
    guard let error else { return arguments.receiver.transportDidFinish(.success(metrics)) }
    arguments.receiver.transportWillFail(metrics)
    arguments.receiver.transportDidFinish(.failure(error))
  }
}

// MARK: - Callbacks

extension Transfer {
  /// Registers the callbacks by which libcurl reports the response to this transfer.
  ///
  /// The callbacks hold an unretained pointer to this object. That is safe because libcurl calls them on the loop's
  /// thread, within calls on the multi handle or within `resume()`, and only for easy handles that are added to the multi
  /// handle. The loop retains a transfer for as long as its easy handle is added. The end of a transfer clears the
  /// pointer before the easy handle serves another transfer.
  ///
  /// - Parameter setsFunctions: False if the handle has the functions of an earlier transfer, and lacks only the pointers.
  private func listen(setsFunctions: Bool) throws(ImageError) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_HEADERDATA, pointer: this)
    try easy.set(CURLOPT_WRITEDATA, pointer: this)
    guard setsFunctions else {
      // Without the function, the pointer has no effect.
      _ = vitrine_curl_set_pointer(easy.pointer, CURLOPT_PREREQDATA, this)
      return
    }
    try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      Transfer.instance(this)?.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      Transfer.instance(this)?.receive(bytes: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    try listenForRequests(this)
  }

  /// Registers the callback that reports a sent request. libcurl before 7.80 has no such callback: then the request
  /// counts as sent when the head of the response arrives.
  private func listenForRequests(_ this: UnsafeMutableRawPointer) throws(ImageError) {
    guard
      try easy.setIfAvailable(
        CURLOPT_PREREQFUNCTION,
        callback: { this, _, _, _, _ in
          let maySend = Transfer.instance(this)?.requestWillBeSent() ?? false
          return maySend ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        })
    else { return }
    try easy.set(CURLOPT_PREREQDATA, pointer: this)
  }

  private static func instance(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
    pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Called before the request is sent. Returns false to abort the request.
  private func requestWillBeSent() -> Bool {
    // libcurl has begun the transfer, and may report the HTTP version to the next callback.
    easy.isReportOutdated = false
    defer { watch.note(deadline) }
    return state.requestWillBeSent(at: .now)
  }

  /// Handles a line of the response's head. Returns the number of bytes taken; returning fewer than were passed aborts
  /// the hop.
  private func receive(line: UnsafeRawBufferPointer) -> Int {
    defer { if state.deadlines.hasDiscardLimit { watch.note(deadline) } }
    if !state.isRequestSent { guard requestWillBeSent() else { return 0 } }
    if let jar = settings.configuration.cookies, CookieJar.isSetCookie(line) {
      // libcurl has already stored the cookie.
      hasSetCookies = true
      jar.didChange()
    }
    switch state.receive(line: line, recent: easy.recentFields, at: .now) {
    case .goOn: return line.count
    case .abort: return 0
    case .report(let response, body: let body):
      // Without room for the body, the hop is aborted instead of paused, because libcurl would buffer the bytes that
      // the server sends before it learns of the pause.
      let room = state.room
      let needed = body.map { room.bytesToReserve(of: $0, speaksHTTP2: easy.speaksHTTP2) } ?? 0
      guard needed == 0 || mayReceive(needed) else {
        state.postpone(at: .now)
        return 0
      }
      state.report(response, body)
      arguments.receiver.transportDidReceive(response)
      return line.count
    }
  }

  private func receive(bytes: UnsafeRawBufferPointer) -> Int {
    let skipped = min(state.bytesToSkip, bytes.count)
    let new = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
    switch state.receive(bytes: new.count, at: .now) {
    case .deliver:
      let speaksHTTP2 = easy.speaksHTTP2
      let needed = state.room.bytesToReserve(for: new.count, speaksHTTP2: speaksHTTP2)
      guard new.isEmpty || mayReceive(needed) else {
        let isPaused = state.pauseOrPostpone(speaksHTTP2: speaksHTTP2, at: .now)
        return isPaused ? Int(CURL_WRITEFUNC_PAUSE) : 0
      }
      state.delivered(new.count, skipping: skipped)
      if !new.isEmpty { arguments.receiver.transportDidReceive(new) }
    case .discard: break
    case .abort: return 0
    }
    return bytes.count
  }

  /// Asks the receiver for room for `count` more bytes of the body.
  private func mayReceive(_ count: Int) -> Bool {
    guard arguments.receiver.transportMayReceive(count, resume: requestResume) else { return false }
    state.grant(count)
    return true
  }
}
