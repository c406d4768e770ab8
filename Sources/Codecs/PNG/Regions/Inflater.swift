import CCodecs

/// A zlib decompressor whose state can be copied, so that decompression goes on from a place in the middle of a stream.
///
/// Unchecked: the reader that decompresses is used by one thread only. Inflaters that several threads share are only
/// copied, which reads the state.
final class Inflater: @unchecked Sendable {
  /// The maximum number of bytes that zlib allocates: the window and the tables.
  static let byteCount = 48 << 10

  private let stream: UnsafeMutablePointer<z_stream>

  /// Returns `nil` if memory is short.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
  }

  /// Copies the state of another decompressor. Returns `nil` if memory is short.
  init?(copying other: Inflater) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateCopy(stream, other.stream) == Z_OK else { return nil }
  }

  deinit {
    // Does nothing for a stream that was not set up.
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The progress of a call.
  struct Step {
    var consumed, produced: Int
    /// True if decompression can go on.
    var isSound: Bool
  }

  /// Decompresses until the input or the room for the output ends.
  func inflate(_ input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) -> Step {
    let room = (input: UInt32(clamping: input.count), output: UInt32(clamping: output.count))
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.pointee.avail_in = room.input
    stream.pointee.next_out = output.baseAddress
    stream.pointee.avail_out = room.output
    let result = CCodecs.inflate(stream, Z_NO_FLUSH)
    let step = Step(
      consumed: Int(room.input - stream.pointee.avail_in),
      produced: Int(room.output - stream.pointee.avail_out),
      isSound: result == Z_OK)
    // The caller's memory is not referred to after the call.
    stream.pointee.next_in = nil
    stream.pointee.avail_in = 0
    stream.pointee.next_out = nil
    stream.pointee.avail_out = 0
    return step
  }
}
