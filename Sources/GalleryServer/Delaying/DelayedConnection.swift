import Glibc

/// A client's connection to a delaying proxy, together with the proxy's connection to the server.
final class DelayedConnection {
  /// The socket of one side, with the bytes on their way from this side to the opposite side.
  private struct Side {
    let socket: Int32
    var line: DelayLine
    var isReading = true
    /// True if the end of the opposite side's bytes has been passed on to this side.
    var hasSentEnd = false
    /// True if the socket accepted fewer bytes than were due.
    var isFull = false
  }

  private var sides: [Side]
  private var isBroken = false
  private let buffer: UnsafeMutableRawBufferPointer

  /// Creates a connection that owns both sockets. `delay` is in nanoseconds. `buffer` is scratch memory for system
  /// calls.
  init(from client: Int32, to server: Int32, delay: UInt64, buffer: UnsafeMutableRawBufferPointer) {
    sides = [client, server].map { Side(socket: $0, line: DelayLine(delay: delay)) }
    self.buffer = buffer
  }

  deinit { for side in sides { close(side.socket) } }

  var isOver: Bool { isBroken || sides.allSatisfy(\.hasSentEnd) }

  /// Appends the poll entries of both sockets, the client first. Returns the time at which the next bytes are due for a
  /// socket that can accept them; `nil` if there are none.
  func interest(_ polled: inout [pollfd]) -> UInt64? {
    var due: UInt64?
    for (index, side) in sides.enumerated() {
      var events: Int16 = 0
      if side.isReading { events |= Int16(POLLIN) }
      if side.isFull { events |= Int16(POLLOUT) }
      // An entry without events would still report a hang-up, again and again.
      polled.append(pollfd(fd: events == 0 ? -1 : side.socket, events: events, revents: 0))
      let other = sides[1 - index]
      if !side.isFull, !side.hasSentEnd, let next = other.line.due { due = min(due ?? next, next) }
    }
    return due
  }

  /// Receives the bytes that have arrived, and passes on the bytes that are due.
  func proceed(_ events: ArraySlice<pollfd>, at now: UInt64) {
    for (index, entry) in events.enumerated() where entry.revents != 0 {
      sides[index].isFull = false
      if sides[index].isReading { receive(from: index, at: now) }
    }
    for index in sides.indices where !isBroken { send(to: index, at: now) }
  }

  private func receive(from index: Int, at now: UInt64) {
    while true {
      let count = recv(sides[index].socket, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        sides[index].line.put(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now)
        if count < buffer.count { return }
      } else if count == 0 {
        sides[index].isReading = false
        return sides[index].line.putEnd(at: now)
      } else {
        // An error such as a reset closes both sockets at once; the bytes on their way are lost.
        if errno != EAGAIN && errno != EINTR { isBroken = true }
        return
      }
    }
  }

  private func send(to index: Int, at now: UInt64) {
    let socket = sides[index].socket
    guard !sides[index].isFull, !sides[index].hasSentEnd else { return }
    var (isFull, isBroken) = (false, false)
    sides[1 - index].line.take(at: now) { bytes in
      let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count < bytes.count { isFull = true }
      if count < 0, errno != EAGAIN, errno != EINTR { isBroken = true }
      return max(0, count)
    }
    sides[index].isFull = isFull
    if isBroken { self.isBroken = true }
    guard sides[1 - index].line.hasEnded(at: now) else { return }
    sides[index].hasSentEnd = true
    shutdown(socket, Int32(SHUT_WR))
  }
}
