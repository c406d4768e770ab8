import Glibc

/// A connection that came to a delaying proxy, and the one to the server behind it.
final class DelayedConnection {
  /// One side's socket and what is on its way from it to the other.
  private struct Side {
    let socket: Int32
    var line: DelayLine
    var isReading = true
    /// The other side's end has been passed on to it.
    var isShut = false
    /// Its socket took less than was due.
    var isFull = false
  }

  private var sides: [Side]
  private var isBroken = false
  private let buffer: UnsafeMutableRawBufferPointer

  /// Takes both sockets over. Delays in nanoseconds; the buffer is where bytes lie between two calls of the system.
  init(from client: Int32, to server: Int32, delay: UInt64, buffer: UnsafeMutableRawBufferPointer) {
    sides = [client, server].map { Side(socket: $0, line: DelayLine(delay: delay)) }
    self.buffer = buffer
  }

  deinit {
    for side in sides { close(side.socket) }
  }

  var isOver: Bool { isBroken || sides.allSatisfy(\.isShut) }

  /// What to poll for, client first, and when something comes out that a socket has room for.
  func interest(_ polled: inout [pollfd]) -> UInt64? {
    var due: UInt64?
    for (index, side) in sides.enumerated() {
      var events: Int16 = 0
      if side.isReading { events |= Int16(POLLIN) }
      if side.isFull { events |= Int16(POLLOUT) }
      // One that has nothing to say would be polled for its hang-up again and again.
      polled.append(pollfd(fd: events == 0 ? -1 : side.socket, events: events, revents: 0))
      let other = sides[1 - index]
      if !side.isFull, !side.isShut, let next = other.line.due { due = min(due ?? next, next) }
    }
    return due
  }

  /// Takes what has come, and passes on what is due.
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
        // A reset is passed on at once, with what was on its way.
        if errno != EAGAIN && errno != EINTR { isBroken = true }
        return
      }
    }
  }

  private func send(to index: Int, at now: UInt64) {
    let socket = sides[index].socket
    guard !sides[index].isFull, !sides[index].isShut else { return }
    var (isFull, isBroken) = (false, false)
    sides[1 - index].line.take(at: now) { bytes in
      let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count < bytes.count { isFull = true }
      if count < 0, errno != EAGAIN, errno != EINTR { isBroken = true }
      return max(0, count)
    }
    sides[index].isFull = isFull
    if isBroken { self.isBroken = true }
    guard sides[1 - index].line.isOver(at: now) else { return }
    sides[index].isShut = true
    shutdown(socket, Int32(SHUT_WR))
  }
}
