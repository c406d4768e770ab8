import Synchronization
import VitrineLoading

/// Encoded bytes that count how many of them are read.
final class CountedBytes: Sendable {
  private let read = Atomic(0)
  private let bytes: EncodedBytes

  init(_ bytes: [UInt8]) { self.bytes = EncodedBytes(bytes) }

  /// The size of the file in bytes.
  var byteCount: Int { bytes.count }
  /// The number of bytes that were read since the start, or since the last `reset()`.
  var readCount: Int { read.load(ordering: .relaxed) }
  func reset() { read.store(0, ordering: .relaxed) }

  var encoded: EncodedBytes {
    EncodedBytes(count: bytes.count) { offset, buffer in
      let count = self.bytes.read(at: offset, into: buffer)
      self.read.wrappingAdd(count, ordering: .relaxed)
      return count
    }
  }
}
