/// A queue that delays the bytes of one direction of a connection by a fixed time.
struct DelayLine {
  private struct Piece {
    let due: UInt64
    var bytes: [UInt8]
    /// The number of bytes that have been taken out.
    var start = 0
  }

  /// The delay in nanoseconds.
  let delay: UInt64
  private var pieces: [Piece] = []
  private var first = 0
  /// The time at which the sender's end is passed on; `nil` while the sender is sending.
  private var end: UInt64?

  init(delay: UInt64) { self.delay = delay }

  /// The time at which the next bytes or the end are due; `nil` if the queue is empty and has no end.
  var due: UInt64? { first < pieces.count ? pieces[first].due : end }

  mutating func put(_ bytes: UnsafeRawBufferPointer, at now: UInt64) {
    pieces.append(Piece(due: now + delay, bytes: [UInt8](bytes)))
  }

  /// Marks the end: the sender sends nothing more.
  mutating func putEnd(at now: UInt64) { end = now + delay }

  /// Returns true if all bytes have been taken out and the end is due.
  func hasEnded(at now: UInt64) -> Bool { first == pieces.count && end.map { $0 <= now } ?? false }

  /// Passes the bytes that are due to `take` in order. `take` returns the number of bytes that it accepted; the call
  /// ends when it accepts fewer than it was given.
  mutating func take(at now: UInt64, _ take: (UnsafeRawBufferPointer) -> Int) {
    while first < pieces.count, pieces[first].due <= now {
      let start = pieces[first].start
      let count = pieces[first].bytes.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      pieces[first].start += count
      guard pieces[first].start == pieces[first].bytes.count else { return }
      pieces[first].bytes = []
      first += 1
    }
    guard first > 64, first * 2 > pieces.count else { return }
    pieces.removeFirst(first)
    first = 0
  }
}
