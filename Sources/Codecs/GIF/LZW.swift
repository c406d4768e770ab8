import VitrineGraphics
import VitrineLoading

/// Unpacks the codes of a GIF frame (GIF89a specification, appendix F).
///
/// A code stands for a string that was written before plus one byte, so the table holds places in the output
/// instead of strings. Every access is checked; damage throws.
enum LZW {
  /// - Parameter count: bytes that the codes must make; what comes after them is not read.
  static func decode(
    _ codes: [UInt8], minimumCodeSize: Int, count: Int, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> [UInt8] {
    guard count <= largestOutput(of: codes.count, minimumCodeSize: minimumCodeSize) else {
      throw .decoding(.gif, message: "the pixels end early")
    }
    let output = try decode(
      prefix: codes, minimumCodeSize: minimumCodeSize, count: count, cancellation: cancellation)
    guard output.count == count else { throw .decoding(.gif, message: "the pixels end early") }
    return output
  }

  /// As many bytes as the codes make that have come so far, `count` at most.
  static func decode(
    prefix codes: [UInt8], minimumCodeSize: Int, count: Int, cancellation: DecodeCancellation = .never
  ) throws(ImageError) -> [UInt8] {
    let count = min(count, largestOutput(of: codes.count, minimumCodeSize: minimumCodeSize))
    let clearCode = 1 << minimumCodeSize
    let endCode = clearCode + 1
    var output = [UInt8](repeating: 0, count: count)
    var written = 0
    var bits = BitReader(codes)
    var codeSize = minimumCodeSize + 1
    var table = Table(firstCode: clearCode + 2)
    var previous: Range<Int>?
    var codesToQuestion = 0
    while written < count {
      if codesToQuestion == 0 {
        try cancellation.check()
        codesToQuestion = questionInterval
      }
      codesToQuestion -= 1
      guard let code = bits.next(codeSize) else { break }
      if code == clearCode {
        codeSize = minimumCodeSize + 1
        table.removeAll()
        previous = nil
        continue
      }
      guard code != endCode else { throw .decoding(.gif, message: "fewer pixels than the frame has") }
      let start = written
      if code < clearCode {
        output[written] = UInt8(code)
        written += 1
      } else if let string = table[code] {
        written += copy(string, in: &output, to: written)
      } else if code == table.nextCode, let previous {
        // The string that this very code makes: the previous one and its first byte again.
        written += copy(previous.lowerBound..<(previous.upperBound + 1), in: &output, to: written)
      } else {
        throw .decoding(.gif, message: "a code that means nothing yet")
      }
      if let previous, table.append(previous.lowerBound..<(previous.upperBound + 1)),
        table.nextCode == 1 << codeSize, codeSize < Table.codeSizeLimit
      {
        codeSize += 1
      }
      previous = start..<written
    }
    output.removeLast(count - written)
    return output
  }

  /// Copies forward, byte by byte where the two overlap, as far as there is room; how much that was.
  private static func copy(_ string: Range<Int>, in output: inout [UInt8], to start: Int) -> Int {
    let count = min(string.count, output.count - start)
    for index in 0..<count { output[start + index] = output[string.lowerBound + index] }
    return count
  }

  /// A string is at most one byte longer than the longest before it, and 4096 codes are remembered.
  static func largestOutput(of byteCount: Int, minimumCodeSize: Int) -> Int {
    let codes = ByteCount.product(byteCount, 8) / (minimumCodeSize + 1)
    return ByteCount.product(codes, min(codes, Table.capacity))
  }

  /// The size of the string table in bytes.
  static let tableBytes = Table.capacity * MemoryLayout<Range<Int>>.stride
  /// The number of codes between two checks for cancellation.
  private static let questionInterval = 8 << 10

  /// Where in the output the string of each code beyond the plain ones stands.
  private struct Table {
    static let codeSizeLimit = 12
    static let capacity = 1 << codeSizeLimit

    private let firstCode: Int
    private var strings: [Range<Int>] = []

    init(firstCode: Int) {
      self.firstCode = firstCode
      strings.reserveCapacity(Self.capacity - firstCode)
    }

    /// The code that the next string gets.
    var nextCode: Int { firstCode + strings.count }

    subscript(code: Int) -> Range<Int>? {
      code >= firstCode && code < nextCode ? strings[code - firstCode] : nil
    }

    mutating func removeAll() { strings.removeAll(keepingCapacity: true) }

    /// Whether there was room: a full table stays as it is until it is cleared.
    mutating func append(_ string: Range<Int>) -> Bool {
      guard nextCode < Self.capacity else { return false }
      strings.append(string)
      return true
    }
  }

  /// Codes of changing size, lowest bits first.
  private struct BitReader {
    private let bytes: [UInt8]
    private var offset = 0
    private var buffer: UInt32 = 0
    private var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next(_ size: Int) -> Int? {
      while count < size {
        guard offset < bytes.count else { return nil }
        buffer |= UInt32(bytes[offset]) << UInt32(count)
        offset += 1
        count += 8
      }
      let code = Int(buffer & (1 << UInt32(size) - 1))
      buffer >>= UInt32(size)
      count -= size
      return code
    }
  }
}
