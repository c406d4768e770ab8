import Testing

@testable import VitrineCodecs

struct AnimationBytesTests {
  @Test func eachByteIsCopiedOnce() {
    let file = (0..<100).map { UInt8($0) }
    var bytes = AnimationBytes()
    for end in [10, 10, 5, 35, 100] { bytes.append(Array(file[..<max(end, bytes.count)]), upTo: end) }

    #expect(bytes.count == 100 && bytes.segments.map(\.bytes.count) == [10, 25, 65])
    #expect(bytes.segments.flatMap(\.bytes) == file && bytes.beginning == Array(file[..<10]))
  }

  @Test func segmentOfAnOffsetHasItsByte() {
    let file = (0..<100).map { UInt8($0) }
    var bytes = AnimationBytes()
    for end in stride(from: 7, through: 98, by: 7) { bytes.append(file, upTo: end) }

    for offset in 0..<98 {
      let segment = bytes.segment(at: offset)
      #expect(segment.bytes[offset - segment.start] == UInt8(offset))
    }
  }

  @Test func wholeFileIsOneSegment() {
    let bytes = AnimationBytes([1, 2, 3])
    #expect(bytes.count == 3 && bytes.beginning == [1, 2, 3] && bytes.segment(at: 2).start == 0)
  }
}
