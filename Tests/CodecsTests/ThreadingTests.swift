import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite(.timeLimit(.minutes(5))) struct ThreadingTests {
  @Test func decoderWorksOnManyThreadsAtOnce() async throws {
    var turned = JPEGFixture(width: 64, height: 40, color: patternColor)
    turned.exif = exif(orientation: 6)
    let broken = Array(turned.bytes.dropLast(200))
    let images = [
      turned.bytes, PNGFixture(width: 30, height: 20) { x, y in [x, y, 0, x] }.bytes, WebPFixture.lossy,
      GIFFixture(width: 30, height: 20) { x, y in UInt8((x + y) % 4) }.bytes,
    ]
    let target = DecodeTarget(width: 9, height: 9)
    let codecs = ImageCodecs()
    let alone = try images.map { try decode($0, to: target).bitmap.colors }

    let together = try await withThrowingTaskGroup(of: [[[Color]]].self) { group in
      for _ in 0..<8 {
        group.addTask {
          #expect(error(broken)?.isDamage(of: .jpeg) == true)
          return try images.map {
            try codecs.decode($0, options: DecodeOptions(target: target)).bitmap.colors
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(together == [[[[Color]]]](repeating: alone, count: 8))
  }
}
