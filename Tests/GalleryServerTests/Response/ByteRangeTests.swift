import Testing

@testable import VitrineGalleryServer

@Suite("Reading a range of bytes")
struct ByteRangeTests {
  @Test(
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=2-4", 2..<5), ("bytes=2-", 2..<10), ("bytes=9-", 9..<10),
      ("bytes=0-9", 0..<10), ("bytes=3-100", 3..<10), ("bytes=3-99999999999999999999", 3..<10),
      ("bytes=-1", 9..<10), ("bytes=-10", 0..<10), ("bytes=-11", 0..<10),
      ("bytes=-99999999999999999999", 0..<10), ("Bytes=1-2", 1..<3),
    ] as [(String, Range<Int>)])
  func singleRangeIsAPart(header: String, part: Range<Int>) throws {
    #expect(try range(header) == .part(part))
  }

  @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=99999999999999999999-", "bytes=-0", "bytes=-00"])
  func rangeWithoutAByteIsUnsatisfiable(header: String) throws {
    #expect(try range(header) == .unsatisfiable)
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=a-b", "bytes=5-4", "bytes=1-2-3", "bytes=+1-2",
    "bytes=0x1-2", "bytes=0-1,3-4", "bytes=0-1, 3-4", "bytes=0-1,", "bytes=--1", "bytes 0-1", "rows=0-1",
    "bytes=1-\u{0663}",
  ])
  func malformedAndMultipleRangesAreIgnored(header: String?) throws {
    #expect(try range(header) == .whole)
  }

  @Test func onlyGetHasRanges() throws {
    #expect(try range("bytes=0-0", method: "HEAD") == .whole)
  }

  @Test func emptyBodyHasNoParts() throws {
    #expect(try range("bytes=0-", count: 0) == .unsatisfiable)
    #expect(try range("bytes=-5", count: 0) == .whole)
    #expect(try range("bytes=-0", count: 0) == .unsatisfiable)
  }

  private func range(_ header: String?, method: String = "GET", count: Int = 10) throws -> ByteRange {
    let headers = header.map { ["range": $0] } ?? [:]
    return ByteRange(
      of: Request(method: method, target: try #require(Target("/a")), headers: headers), count: count)
  }
}
