/// Bytes on their way in one direction: each comes out so long after it went in.
struct DelayLine {
  private struct Piece {
    let due: UInt64
    var bytes: [UInt8]
    /// Bytes of it that have come out.
    var start = 0
  }

  /// Nanoseconds.
  let delay: UInt64
  private var pieces: [Piece] = []
  private var first = 0
  /// When the sender's end comes out; nil while it sends.
  private var end: UInt64?

  init(delay: UInt64) { self.delay = delay }

  /// When the next bytes or the end come out; nil when nothing is on its way.
  var due: UInt64? { first < pieces.count ? pieces[first].due : end }

  mutating func put(_ bytes: UnsafeRawBufferPointer, at now: UInt64) {
    pieces.append(Piece(due: now + delay, bytes: [UInt8](bytes)))
  }

  /// The sender sends nothing more.
  mutating func putEnd(at now: UInt64) { end = now + delay }

  /// Whether the end has come out, and all before it.
  func isOver(at now: UInt64) -> Bool { first == pieces.count && end.map { $0 <= now } ?? false }

  /// Hands what is due to `take`, which says how many bytes it took, in order, until it takes less than it was given.
  mutating func take(at now: UInt64, _ take: (UnsafeRawBufferPointer) -> Int) {
    while first < pieces.count, pieces[first].due <= now {
      let start = pieces[first].start
      let taken = pieces[first].bytes.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      pieces[first].start += taken
      guard pieces[first].start == pieces[first].bytes.count else { return }
      pieces[first].bytes = []
      first += 1
    }
    guard first > 64, first * 2 > pieces.count else { return }
    pieces.removeFirst(first)
    first = 0
  }
}
