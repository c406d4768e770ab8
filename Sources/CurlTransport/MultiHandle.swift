import CCurl
import Glibc
import VitrineConcurrency

/// A libcurl multi handle with the sockets and the timer that libcurl waits for. Used on the loop's thread only.
///
/// Driven by `curl_multi_socket_action`, which runs only the transfers that have an event, except in `checkLimits`.
/// `curl_multi_perform` and `curl_multi_poll` would be shorter, but in libcurl 7.88 a transfer that is woken by another
/// one (because a connection became free, or bytes arrived for its HTTP/2 stream) may miss the wake-up and sleep for
/// seconds.
final class MultiHandle {
  let pointer: UnsafeMutableRawPointer
  /// The argument of `poll`: the wake-up pipe, then the sockets that libcurl waits for. Changes with each transfer, so
  /// that a dictionary of the few sockets would take longer.
  private var polled = [pollfd()]
  /// The time at which libcurl's timer fires; `nil` if libcurl has set none.
  private var timerDeadline: TransferInstant?
  /// True if the last call of `actOnTimer`, `wait` or `checkLimits` let libcurl work, which begins all transfers that were
  /// added before.
  private(set) var hasActed = false

  /// Returns `nil` if memory is exhausted.
  init?() {
    guard let pointer = curl_multi_init() else { return nil }
    self.pointer = pointer
    listen()
  }

  deinit {
    // `curl_multi_cleanup` closes connections and would call back with a pointer to this object.
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, nil)
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, nil)
    curl_multi_cleanup(pointer)
  }

  /// Sleeps until a socket is ready, `wakeup` rings, libcurl's timer fires or `deadline` is reached. Then lets libcurl
  /// process its events.
  ///
  /// - Parameter hasCommands: Returns true if there are commands. Called after ready sockets have been read; if it returns
  ///   true, no more sockets are read, and the timer is left to the caller, who carries out the commands and then calls
  ///   `actOnTimer`. Bytes that arrive after a receiver has cancelled its transfer are thus not read.
  func wait(
    for wakeup: WakeupPipe, until deadline: TransferInstant?, hasCommands: () -> Bool = { false }
  ) -> CURLMcode {
    hasActed = false
    polled[0] = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    let next =
      if let timerDeadline, let deadline { min(timerDeadline, deadline) } else { timerDeadline ?? deadline }
    var timeout = Self.milliseconds(until: next)
    var mayHaveMore = true
    while mayHaveMore, Glibc.poll(&polled, nfds_t(polled.count), timeout) > 0 {
      if polled[0].revents != 0 { wakeup.silence() }
      let count = polled.count
      // libcurl adds and removes sockets meanwhile.
      for socket in polled.dropFirst().filter({ $0.revents != 0 }) {
        let result = act(on: socket)
        guard result == CURLM_OK else { return result }
      }
      // libcurl waits for fewer sockets after it has read a whole response. Other responses that have arrived meanwhile
      // are read too, before any of them is handled, so that small downloads take 5 % less time.
      mayHaveMore = polled.count < count && polled.count > 1 && !hasCommands()
      timeout = 0
    }
    return hasCommands() ? CURLM_OK : actOnDueTimer()
  }

  /// Lets libcurl process its timer if that is due. Sends the requests of transfers that were just added, which `wait`
  /// would do only after it has looked at the sockets.
  func actOnTimer() -> CURLMcode {
    hasActed = false
    return actOnDueTimer()
  }

  private func actOnDueTimer() -> CURLMcode {
    guard let time = timerDeadline, time <= .now else { return CURLM_OK }
    timerDeadline = nil
    return act(CURL_SOCKET_TIMEOUT, 0)
  }

  /// Lets libcurl process all transfers, which checks their time limits. libcurl 7.88 may have dropped the timers.
  ///
  /// A pass in which transfers begin may drop timers that other transfers have set in the same pass. The second pass
  /// processes these transfers.
  func checkLimits() -> CURLMcode {
    hasActed = true
    var stillRunning: Int32 = 0
    for _ in 0..<2 {
      let result = vitrine_curl_multi_act_on_all(pointer, &stillRunning)
      guard result == CURLM_OK else { return result }
    }
    return CURLM_OK
  }

  private func act(on socket: pollfd) -> CURLMcode {
    // Handling an earlier socket may have closed this one.
    guard index(of: socket.fd) != nil else { return CURLM_OK }
    var events: Int32 = 0
    if socket.revents & Int16(POLLIN | POLLHUP) != 0 { events |= CURL_CSELECT_IN }
    if socket.revents & Int16(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
    if socket.revents & Int16(POLLERR | POLLNVAL) != 0 { events |= CURL_CSELECT_ERR }
    return act(socket.fd, events)
  }

  private func act(_ socket: Int32, _ events: Int32) -> CURLMcode {
    hasActed = true
    var stillRunning: Int32 = 0
    return curl_multi_socket_action(pointer, socket, events, &stillRunning)
  }

  /// Returns the timeout for `poll` in milliseconds, rounded up so that `time` has passed when `poll` returns; -1 for
  /// no timeout.
  private static func milliseconds(until time: TransferInstant?) -> Int32 {
    guard let time else { return -1 }
    return Int32(clamping: max(0, TransferInstant.now.milliseconds(until: time)))
  }
}

// MARK: - Callbacks

extension MultiHandle {
  /// Registers the callbacks by which libcurl reports the sockets and the timer that it waits for.
  ///
  /// The callbacks hold an unretained pointer to this object. That is safe because libcurl calls the callbacks only
  /// within functions that are passed this multi handle, on the calling thread, and `deinit` clears the pointer before
  /// it calls the last such function.
  private func listen() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, this)
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, this)
    _ = vitrine_curl_multi_set_socket(pointer, CURLMOPT_SOCKETFUNCTION) { _, socket, event, this, _ in
      MultiHandle.instance(this)?.watch(socket, for: event)
      return 0
    }
    _ = vitrine_curl_multi_set_timer(pointer, CURLMOPT_TIMERFUNCTION) { _, milliseconds, this in
      MultiHandle.instance(this)?.timerDeadline =
        milliseconds < 0 ? nil : .now.advanced(byMilliseconds: milliseconds)
      return 0
    }
  }

  private static func instance(_ pointer: UnsafeMutableRawPointer?) -> MultiHandle? {
    pointer.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  private func watch(_ socket: curl_socket_t, for event: Int32) {
    switch event {
    case CURL_POLL_IN: poll(socket, for: POLLIN)
    case CURL_POLL_OUT: poll(socket, for: POLLOUT)
    case CURL_POLL_INOUT: poll(socket, for: POLLIN | POLLOUT)
    default: if let index = index(of: socket) { polled.remove(at: index) }
    }
  }

  private func poll(_ socket: Int32, for events: Int32) {
    if let index = index(of: socket) {
      polled[index].events = Int16(events)
    } else {
      polled.append(pollfd(fd: socket, events: Int16(events), revents: 0))
    }
  }

  /// Returns the index of a socket in `polled`; `nil` if libcurl does not wait for it.
  private func index(of socket: Int32) -> Int? { polled.dropFirst().firstIndex { $0.fd == socket } }
}
