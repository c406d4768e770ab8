import VitrineGraphics
import VitrineLoading

/// Decompresses the codes of a GIF frame (GIF89a specification, appendix F).
///
/// A code stands for a string that is already in the output, plus one byte, so the table holds ranges of the output
/// instead of strings. Every access is bounds-checked; damaged data throw.
enum LZW {
  /// Decompresses a complete frame. Throws `.decoding` if the codes give fewer than `count` bytes.
  ///
  /// - Parameter count: The number of bytes to decompress. Codes after them are ignored.
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

  /// Decompresses the codes received so far, to at most `count` bytes.
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
    var codesUntilCheck = 0
    while written < count {
      if codesUntilCheck == 0 {
        try cancellation.check()
        codesUntilCheck = checkInterval
      }
      codesUntilCheck -= 1
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
        // A code that is defined by itself: the previous string followed by its first byte.
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

  /// Copies a string within the output, limited by the end of the output. Goes forward byte by byte, because the string
  /// may overlap its copy. Returns the number of bytes copied.
  private static func copy(_ string: Range<Int>, in output: inout [UInt8], to start: Int) -> Int {
    let count = min(string.count, output.count - start)
    for index in 0..<count { output[start + index] = output[string.lowerBound + index] }
    return count
  }

  /// Returns the maximum number of bytes that `byteCount` bytes of codes can give: a string is at most one byte longer
  /// than the longest string before it, and the table has 4096 codes.
  static func largestOutput(of byteCount: Int, minimumCodeSize: Int) -> Int {
    let codes = ByteCount.product(byteCount, 8) / (minimumCodeSize + 1)
    return ByteCount.product(codes, min(codes, Table.capacity))
  }

  /// The size of the string table in bytes.
  static let tableBytes = Table.capacity * MemoryLayout<Range<Int>>.stride
  /// The number of codes between two checks for cancellation.
  private static let checkInterval = 8 << 10

  /// The string table: the range of the output for each code above the clear and end codes.
  private struct Table {
    static let codeSizeLimit = 12
    static let capacity = 1 << codeSizeLimit

    private let firstCode: Int
    private var strings: [Range<Int>] = []

    init(firstCode: Int) {
      self.firstCode = firstCode
      strings.reserveCapacity(Self.capacity - firstCode)
    }

    /// The code for the next string.
    var nextCode: Int { firstCode + strings.count }

    subscript(code: Int) -> Range<Int>? {
      code >= firstCode && code < nextCode ? strings[code - firstCode] : nil
    }

    mutating func removeAll() { strings.removeAll(keepingCapacity: true) }

    /// Adds a string. Returns false if the table is full; it then stays unchanged until it is cleared.
    mutating func append(_ string: Range<Int>) -> Bool {
      guard nextCode < Self.capacity else { return false }
      strings.append(string)
      return true
    }
  }

  /// Reads codes of variable size, lowest bits first.
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
