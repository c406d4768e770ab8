import Testing

@testable import VitrineCodecs

@Suite(.timeLimit(.minutes(5))) struct TIFFStreamTests {
  /// A stream of two directories, each with an entry per tag: a number of 16 bits if it is small, else of 32 bits.
  private func tiff(
    _ first: [Int: Int], _ second: [Int: Int] = [:], next: Int? = nil, isBigEndian: Bool = false
  ) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
      return isBigEndian ? little.reversed() : little
    }
    func directory(_ entries: [Int: Int], next: Int) -> [UInt8] {
      let fields = entries.sorted { $0.key < $1.key }.flatMap { tag, value in
        let isShort = value <= 0xFFFF
        return bytes(tag, 2) + bytes(isShort ? 3 : 4, 2) + bytes(1, 4)
          + (isShort ? bytes(value, 2) + [0, 0] : bytes(value, 4))
      }
      return bytes(entries.count, 2) + fields + bytes(next, 4)
    }
    let header = (isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]) + bytes(42, 2) + bytes(8, 4)
    let secondOffset = 8 + 6 + 12 * first.count
    return header + directory(first, next: next ?? secondOffset) + directory(second, next: 0)
  }

  @Test(arguments: [false, true]) func numbersOfBothDirectoriesAreRead(isBigEndian: Bool) throws {
    let bytes = tiff([0x0112: 6, 0x0100: 70_000], [0x0201: 99], isBigEndian: isBigEndian)

    let stream = try #require(TIFFStream(([0xFF] + bytes).dropFirst()))
    let first = try #require(stream.directory(at: stream.firstDirectory))
    let second = try #require(stream.directory(at: first.next))

    #expect(first.short(0x0112) == 6 && first.number(0x0112) == 6)
    #expect(first.short(0x0100) == nil && first.number(0x0100) == 70_000)
    #expect(first.number(0x0201) == nil && second.number(0x0201) == 99)
    #expect(second.next == nil)
  }

  @Test("a next directory of 0, in the header or outside of the bytes is none", arguments: [0, 4, 7, 1000])
  func offsetOutsideOfTheBytesIsNoDirectory(offset: Int) throws {
    let stream = try #require(TIFFStream(tiff([1: 2], next: offset)[...]))
    let first = try #require(stream.directory(at: stream.firstDirectory))

    #expect(first.next == nil && stream.directory(at: first.next) == nil)
  }

  @Test func partsOutsideOfTheBytesAreNotRead() throws {
    let bytes = tiff([1: 2])
    let stream = try #require(TIFFStream(bytes[...]))

    #expect(stream.slice(at: bytes.count - 2, count: 2).map { Array($0) } == Array(bytes.suffix(2)))
    for (offset, count) in [
      (bytes.count - 1, 2), (-1, 1), (0, -1), (Int.max, 1), (1, Int.max), (0, bytes.count + 1),
    ] {
      #expect(stream.slice(at: offset, count: count) == nil)
    }
    #expect(TIFFStream([]) == nil && TIFFStream(Array("II*".utf8)[...]) == nil)
    #expect(TIFFStream(Array("IIII".utf8)[...]) == nil)
  }

  @Test("entries beyond the end of the bytes are not read")
  func truncatedDirectoryIsReadToItsEnd() throws {
    let bytes = tiff([0x0100: 5, 0x0112: 6])
    for count in 10..<22 {
      let stream = try #require(TIFFStream(bytes.prefix(count)))
      let directory = try #require(stream.directory(at: stream.firstDirectory))
      #expect(directory.short(0x0112) == nil && directory.next == nil)
    }
  }
}
