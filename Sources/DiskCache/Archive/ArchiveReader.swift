/// Reads the blocks of an archive from a stream, and skips damaged parts.
struct ArchiveReader: ~Copyable {
  /// Returns the next bytes of the stream, at most this many; none at the end.
  private let read: (_ count: Int) throws(ArchiveError) -> [UInt8]
  private var buffer: [UInt8] = []
  /// The index of the first byte in `buffer` that was not used.
  private var start = 0
  private var isAtEnd = false
  /// A block that was read and not used.
  private var returned: ArchiveBlock?
  /// True if any bytes were skipped.
  private(set) var hasDamage = false

  init(_ read: @escaping (_ count: Int) throws(ArchiveError) -> [UInt8]) { self.read = read }

  /// Returns the next undamaged block; nil at the end.
  mutating func next() throws(ArchiveError) -> ArchiveBlock? {
    if let returned {
      self.returned = nil
      return returned
    }
    while true {
      guard try fill(ArchiveBlock.headerLength) else {
        if start < buffer.count { hasDamage = true }
        start = buffer.count
        return nil
      }
      if let block = try block() { return block }
      hasDamage = true
      try skip()
    }
  }

  /// Makes the next call of `next()` return this block.
  mutating func giveBack(_ block: ArchiveBlock) { returned = block }

  private mutating func block() throws(ArchiveError) -> ArchiveBlock? {
    guard
      let payload = ArchiveBlock.payloadLength(buffer[start..<start + ArchiveBlock.headerLength]),
      try fill(ArchiveBlock.headerLength + payload),
      let block = ArchiveBlock(buffer[start..<start + ArchiveBlock.headerLength + payload])
    else { return nil }
    start += ArchiveBlock.headerLength + payload
    return block
  }

  /// Skips at least one byte, to the next bytes that may begin a block.
  private mutating func skip() throws(ArchiveError) {
    start += 1
    while start < buffer.count {
      if buffer[start] == ArchiveBlock.magic[0] {
        _ = try fill(ArchiveBlock.magic.count)
        if buffer[start...].starts(with: ArchiveBlock.magic) { return }
      }
      start += 1
    }
  }

  /// Reads until `count` unused bytes are in the buffer. Returns false if the stream ends before.
  private mutating func fill(_ count: Int) throws(ArchiveError) -> Bool {
    while buffer.count - start < count, !isAtEnd {
      if start > 0 {
        buffer.removeFirst(start)
        start = 0
      }
      let bytes = try read(ArchiveBlock.partBytes)
      isAtEnd = bytes.isEmpty
      buffer += bytes
    }
    return buffer.count - start >= count
  }
}
