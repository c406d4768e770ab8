import CCurl
import Glibc

/// A libcurl multi handle with the sockets and the time that it waits for. Lives on the loop's thread.
///
/// Driven by `curl_multi_socket_action`, which runs exactly the transfers that something happened to.
/// `curl_multi_perform` and `curl_multi_poll` would be shorter, but in 7.88 a transfer that another one woke
/// (for a freed connection, for bytes of its HTTP/2 stream) may miss it and sleep on for seconds.
final class MultiHandle {
  let pointer: UnsafeMutableRawPointer
  /// What libcurl wants to know of each socket, as `poll` says it.
  private var interests: [Int32: Int16] = [:]
  /// When libcurl wants to be called whatever happens.
  private var alarmTime: SuspendingClock.Instant?

  /// Nil when there is no memory left.
  init?() {
    guard let pointer = curl_multi_init() else { return nil }
    self.pointer = pointer
    listen()
  }

  deinit {
    // Closing connections calls back once more.
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, nil)
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, nil)
    curl_multi_cleanup(pointer)
  }

  /// Sleeps until something happens to a socket, `alarm` rings or it is `deadline`, then lets libcurl work.
  func wait(for alarm: Alarm, until deadline: SuspendingClock.Instant?) -> CURLMcode {
    var polled = [pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)]
    polled += interests.map { pollfd(fd: $0.key, events: $0.value, revents: 0) }
    let next = [alarmTime, deadline].compactMap { $0 }.min()
    poll(&polled, nfds_t(polled.count), Self.milliseconds(until: next))
    if polled[0].revents != 0 { alarm.silence() }
    for socket in polled.dropFirst() where socket.revents != 0 {
      let result = act(on: socket)
      guard result == CURLM_OK else { return result }
    }
    guard let time = alarmTime, time <= .now else { return CURLM_OK }
    alarmTime = nil
    return act(CURL_SOCKET_TIMEOUT, 0)
  }

  private func act(on socket: pollfd) -> CURLMcode {
    // An earlier one's events may have closed this socket.
    guard interests[socket.fd] != nil else { return CURLM_OK }
    var events: Int32 = 0
    if socket.revents & Int16(POLLIN | POLLHUP) != 0 { events |= CURL_CSELECT_IN }
    if socket.revents & Int16(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
    if socket.revents & Int16(POLLERR | POLLNVAL) != 0 { events |= CURL_CSELECT_ERR }
    return act(socket.fd, events)
  }

  private func act(_ socket: Int32, _ events: Int32) -> CURLMcode {
    var stillRunning: Int32 = 0
    return curl_multi_socket_action(pointer, socket, events, &stillRunning)
  }

  /// For `poll`: rounded up, so that the time has come when it returns; -1 for ever.
  private static func milliseconds(until time: SuspendingClock.Instant?) -> Int32 {
    guard let time else { return -1 }
    let (seconds, attoseconds) = SuspendingClock.now.duration(to: time).components
    let milliseconds = Double(seconds) * 1e3 + (Double(attoseconds) / 1e15).rounded(.up)
    return Int32(min(max(0, milliseconds), Double(Int32.max)))
  }
}

// MARK: - Callbacks

extension MultiHandle {
  /// Has libcurl say what it waits for.
  ///
  /// It holds an unretained pointer, which is safe: libcurl calls back only within functions that are given
  /// this multi handle, on the thread that calls them, and `deinit` takes the pointer away before the last.
  private func listen() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, this)
    _ = vitrine_curl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, this)
    _ = vitrine_curl_multi_set_socket(pointer, CURLMOPT_SOCKETFUNCTION) { _, socket, what, this, _ in
      MultiHandle.at(this)?.watch(socket, for: what)
      return 0
    }
    _ = vitrine_curl_multi_set_timer(pointer, CURLMOPT_TIMERFUNCTION) { _, milliseconds, this in
      MultiHandle.at(this)?.alarmTime = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
      return 0
    }
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> MultiHandle? {
    pointer.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  private func watch(_ socket: curl_socket_t, for what: Int32) {
    switch what {
    case CURL_POLL_IN: interests[socket] = Int16(POLLIN)
    case CURL_POLL_OUT: interests[socket] = Int16(POLLOUT)
    case CURL_POLL_INOUT: interests[socket] = Int16(POLLIN | POLLOUT)
    default: interests[socket] = nil
    }
  }
}
