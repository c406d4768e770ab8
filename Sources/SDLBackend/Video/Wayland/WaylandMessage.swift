/// A request or event of the Wayland protocol: an object, an opcode and arguments.
///
/// The wire format is a head of two words (the object; the size in bytes and the opcode), then the arguments. Words are
/// in the machine's byte order. A string is its length including the final NUL, then its bytes, padded to a whole word.
nonisolated struct WaylandMessage: Hashable {
  var object: UInt32
  var opcode: UInt16
  var arguments: [UInt8] = []

  /// The number of the `wl_display` object, which exists from the beginning.
  static let display: UInt32 = 1

  init(object: UInt32, opcode: UInt16, words: [UInt32] = []) {
    self.object = object
    self.opcode = opcode
    for word in words { append(word) }
  }

  var bytes: [UInt8] {
    let size = UInt32(8 + arguments.count)
    return Self.bytes(of: object) + Self.bytes(of: size << 16 | UInt32(opcode)) + arguments
  }

  mutating func append(_ word: UInt32) { arguments += Self.bytes(of: word) }

  mutating func append(_ text: String) {
    append(UInt32(text.utf8.count + 1))
    arguments += Array(text.utf8) + [0]
    while arguments.count % 4 != 0 { arguments.append(0) }
  }

  /// Returns the word at an offset in bytes; `nil` beyond the end.
  func word(at offset: Int) -> UInt32? { Self.word(of: arguments[...], at: offset) }

  /// Returns the text at an offset in bytes, and the offset of the next argument; `nil` if there is no text.
  func text(at offset: Int) -> (text: String, end: Int)? {
    guard let length = word(at: offset).map(Int.init), length > 0, length <= arguments.count - offset - 4
    else { return nil }
    let start = offset + 4
    let text = String(decoding: arguments[start..<start + length - 1], as: UTF8.self)
    return (text, start + (length + 3) / 4 * 4)
  }

  fileprivate static func word(of bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32? {
    guard offset >= 0, bytes.count >= offset + 4 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }

  private static func bytes(of word: UInt32) -> [UInt8] { withUnsafeBytes(of: word) { Array($0) } }
}

/// A buffer that splits bytes from a socket into messages.
nonisolated struct WaylandBuffer {
  /// The bytes of the next, incomplete message.
  private(set) var unreadBytes: [UInt8] = []

  mutating func append(_ bytes: some Sequence<UInt8>) { unreadBytes += bytes }

  /// Removes and returns the next message; `nil` if it is incomplete, or if its size is impossible.
  mutating func next() -> WaylandMessage? {
    guard let object = WaylandMessage.word(of: unreadBytes[...], at: 0),
      let head = WaylandMessage.word(of: unreadBytes[...], at: 4)
    else { return nil }
    let size = Int(head >> 16)
    guard size >= 8, unreadBytes.count >= size else { return nil }
    var message = WaylandMessage(object: object, opcode: UInt16(head & 0xFFFF))
    message.arguments = Array(unreadBytes[8..<size])
    unreadBytes.removeFirst(size)
    return message
  }
}
