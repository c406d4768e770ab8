import VitrineGraphics
import VitrineLoading

/// Decompresses the codes of a GIF frame (GIF89a specification, appendix F).
///
/// A code stands for a string that is already in the output, plus one byte, so the table holds ranges of the output
/// instead of strings. Damaged data throw.
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
    precondition(1...8 ~= minimumCodeSize, "indices of at most eight bits")
    let count = min(count, largestOutput(of: codes.count, minimumCodeSize: minimumCodeSize))
    var output = [UInt8](repeating: 0, count: count)
    var strings = [StringRange](repeating: StringRange(start: 0, count: 0), count: codeLimit)
    let written = try codes.withUnsafeBufferPointer { (codes) throws(ImageError) in
      try strings.withUnsafeMutableBufferPointer { (strings) throws(ImageError) in
        try output.withUnsafeMutableBufferPointer { (output) throws(ImageError) in
          try unpack(
            codes, minimumCodeSize: minimumCodeSize, to: UnsafeMutableRawBufferPointer(output),
            strings: strings, cancellation: cancellation)
        }
      }
    }
    output.removeLast(count - written)
    return output
  }

  /// Returns the number of bytes written.
  ///
  /// The buffers are not bounds-checked in a release build. Every access is in range: `written` is less than
  /// `output.count` at the start of each string, `copy` limits strings to the end of the output, the string of a code
  /// less than `nextCode` ends within the bytes written or one byte behind them, and a code has at most 12 bits, hence
  /// is less than `strings.count`.
  private static func unpack(
    _ codes: UnsafeBufferPointer<UInt8>, minimumCodeSize: Int, to output: UnsafeMutableRawBufferPointer,
    strings: UnsafeMutableBufferPointer<StringRange>, cancellation: DecodeCancellation
  ) throws(ImageError) -> Int {
    let clearCode = 1 << minimumCodeSize
    let endCode = clearCode + 1
    var written = 0
    var bits = BitReader(codes)
    var codeSize = minimumCodeSize + 1
    var nextCode = endCode + 1
    /// The range of the previous string; empty after a clear code.
    var previous = StringRange(start: 0, count: 0)
    var codesUntilCheck = 0
    while written < output.count {
      if codesUntilCheck == 0 {
        try cancellation.check()
        codesUntilCheck = checkInterval
      }
      codesUntilCheck -= 1
      guard let code = bits.next(codeSize) else { break }
      let count: Int
      if code < clearCode {
        output[written] = UInt8(truncatingIfNeeded: code)
        count = 1
      } else if code > endCode, code < nextCode {
        count = copy(strings[code], in: output, to: written)
      } else if code == clearCode {
        codeSize = minimumCodeSize + 1
        nextCode = endCode + 1
        previous = StringRange(start: 0, count: 0)
        continue
      } else if code == nextCode, previous.count > 0 {
        // A code that is defined by itself: the previous string followed by its first byte.
        count = copy(
          StringRange(start: previous.start, count: previous.count + 1), in: output, to: written)
      } else if code == endCode {
        throw .decoding(.gif, message: "fewer pixels than the frame has")
      } else {
        throw .decoding(.gif, message: "a code that means nothing yet")
      }
      if previous.count > 0, nextCode < codeLimit {
        strings[nextCode] = StringRange(start: previous.start, count: previous.count + 1)
        nextCode += 1
        if nextCode == 1 << codeSize, codeSize < codeSizeLimit { codeSize += 1 }
      }
      previous = StringRange(start: written, count: count)
      written += count
    }
    return written
  }

  /// Copies a string within the output, limited by the end of the output. Goes forward, because the string may overlap
  /// its copy. Returns the number of bytes copied.
  @inline(__always)
  private static func copy(
    _ string: StringRange, in output: UnsafeMutableRawBufferPointer, to target: Int
  ) -> Int {
    let start = string.start
    let count = min(string.count, output.count - target)
    let wordSize = MemoryLayout<UInt64>.size
    guard target - start >= wordSize, output.count - target - count >= wordSize else {
      for index in 0..<count { output[target + index] = output[start + index] }
      return count
    }
    // The last word may go beyond the string, but not beyond the output; later strings overwrite the excess.
    for index in stride(from: 0, to: count, by: wordSize) {
      let word = output.loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
      output.storeBytes(of: word, toByteOffset: target + index, as: UInt64.self)
    }
    return count
  }

  /// Returns the maximum number of bytes that `byteCount` bytes of codes can give: a string is at most one byte longer
  /// than the longest string before it, and the table has 4096 codes.
  static func largestOutput(of byteCount: Int, minimumCodeSize: Int) -> Int {
    let codes = ByteCount.product(byteCount, 8) / (minimumCodeSize + 1)
    return ByteCount.product(codes, min(codes, codeLimit))
  }

  private static let codeSizeLimit = 12
  private static let codeLimit = 1 << codeSizeLimit
  /// The size of the string table in bytes.
  static let tableBytes = codeLimit * MemoryLayout<StringRange>.stride
  /// The number of codes between two checks for cancellation.
  private static let checkInterval = 8 << 10

  /// A range of the output. Half the size of a `Range`, so that the table fits in the fastest cache.
  private struct StringRange {
    private let bits: UInt64

    /// - Parameter count: The length in bytes. At most 4096, because a string is at most one byte longer than the
    ///   longest string before it.
    init(start: Int, count: Int) {
      bits = UInt64(truncatingIfNeeded: start) << 16 | UInt64(truncatingIfNeeded: count)
    }

    var start: Int { Int(truncatingIfNeeded: bits >> 16) }
    var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF) }
  }

  /// Reads codes of variable size, lowest bits first.
  private struct BitReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var buffer: UInt64 = 0
    private var count = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the next code of at most 12 bits; `nil` if there are fewer bits left.
    @inline(__always)
    mutating func next(_ size: Int) -> Int? {
      if count < size {
        refill()
        guard count >= size else { return nil }
      }
      let code = Int(truncatingIfNeeded: buffer & (1 << UInt64(size) &- 1))
      buffer >>= UInt64(size)
      count -= size
      return code
    }

    private mutating func refill() {
      while count <= 56, offset < bytes.count {
        buffer |= UInt64(bytes[offset]) << UInt64(count)
        offset += 1
        count += 8
      }
    }
  }
}
