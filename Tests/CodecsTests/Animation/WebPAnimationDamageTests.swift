import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// Damaged and hostile animated WebP.
@Suite(.timeLimit(.minutes(5))) struct WebPAnimationDamageTests {
  private static let fixture = WebPAnimationFixture(
    width: 24, height: 18,
    frames: (0..<6).map { number in
      .init(
        x: number == 0 ? 0 : 2 * number, y: 0, width: number == 0 ? 24 : 10, height: 18,
        isLossy: number % 2 == 1
      ) { x, y in patternColor(x: x * number, y: y) }
    })

  /// Returns the number of frames of the animation, or 1 for a still image.
  private func frameCount(_ bytes: [UInt8]) throws -> Int { try decode(bytes).frameCount }

  @Test("a WebP cut at each percent is an error") func truncatedWebPIsAnError() {
    let bytes = Self.fixture.bytes
    for percent in 1..<100 {
      let cut = Array(bytes.prefix(bytes.count * percent / 100))
      let hasSignature = cut.count >= 12
      #expect(error(cut).map { $0.isDamage(of: .webp) || !hasSignature } == true, "\(percent) %")
    }
  }

  @Test func damagedPixelsAreAnErrorOfTheFrame() throws {
    var pixels = Self.fixture.frames[2].pixels
    for index in 14..<pixels.count { pixels[index] = 0xFF }
    let image = try decode(Self.fixture.bytes(replacingPixelsOf: 2, by: pixels))
    let decoder = try #require(image.animation).makeDecoder()

    #expect(image.frameCount == 6)
    #expect(throws: Never.self) { try decoder.frame(1) { false } }
    for index in 2..<6 {
      #expect(throws: AnimationError.self) { try decoder.frame(index) { false } }
    }
    #expect(throws: Never.self) { try decoder.frame(0) { false } }
  }

  @Test func damagedHeaderEndsTheAnimation() throws {
    let sound = Self.fixture.frames[4].pixels
    var signature = sound
    signature[8] = 0x2E
    var otherSize = sound
    otherSize[9] ^= 1
    let truncated = Array(sound.prefix(6))
    let file = Self.fixture.frames[3].pixels
    let nested = Array("RIFF".utf8) + [UInt8(file.count + 4), 0, 0, 0] + Array("WEBP".utf8) + file
    let alphaOfLossless = WebPAnimationFixture.chunk("ALPH", [0] + [UInt8](repeating: 9, count: 180)) + sound

    for pixels in [signature, otherSize, truncated, nested, alphaOfLossless, []] {
      #expect(try frameCount(Self.fixture.bytes(replacingPixelsOf: 4, by: pixels)) == 4)
    }
    #expect(error(Self.fixture.bytes(replacingPixelsOf: 0, by: signature))?.isDamage(of: .webp) == true)
  }

  @Test(arguments: [(2, 26, 0, 10, 18), (3, 14, 2, 10, 17), (1, 0, 0, 25, 18), (5, 1 << 24, 0, 1, 1)])
  func frameOutsideOfTheCanvasEndsTheAnimation(number: Int, x: Int, y: Int, width: Int, height: Int) throws {
    var fixture = Self.fixture
    fixture.frames[number].x = x
    fixture.frames[number].y = y
    fixture.frames[number].width = width
    fixture.frames[number].height = height

    #expect(WebPReference(fixture.bytes) == nil)
    #expect(try frameCount(fixture.bytes) == number)
  }

  @Test func chunksBehindTheStatedEndAreIgnored() throws {
    let frame = Self.fixture.frames[1]
    let chunk = WebPAnimationFixture.chunk("ANMF", WebPAnimationFixture.header(frame) + frame.pixels)

    #expect(try frameCount(Self.fixture.bytes + chunk) == 6)
  }

  @Test func canvasThatExceedsTheLimitIsStill() throws {
    var fixture = WebPAnimationFixture(width: 64, height: 48, frames: [])
    fixture.frames = (0..<2).map { _ in .init(width: 64, height: 48, isLossy: true) { _, _ in .white } }
    let target = DecodeTarget(width: 16, height: 12)

    let small = try decode(fixture.bytes, to: target, limits: DecodeLimits(pixels: 64 * 48 - 1))

    #expect(!small.isAnimated)
    #expect(try decode(fixture.bytes, to: target, limits: DecodeLimits(pixels: 64 * 48)).isAnimated)
  }

  @Test func manyFramesAreReadAndTooManyChunksRefused() throws {
    let frame = WebPAnimationFixture.Frame(width: 1, height: 1) { _, _ in .white }
    let chunk = WebPAnimationFixture.chunk("ANMF", WebPAnimationFixture.header(frame) + frame.pixels)
    func file(_ count: Int) -> [UInt8] {
      let one = WebPAnimationFixture(width: 1, height: 1, frames: [frame]).bytes
      var bytes = one + Array(repeatElement(chunk, count: count - 1).joined())
      let size = bytes.count - 8
      bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
      return bytes
    }

    #expect(try frameCount(file(16_000)) == 16_000)
    #expect(error(file(17_000))?.isDamage(of: .webp) == true)
  }

  @Test(arguments: UInt64(0)..<60) func changedBytesGiveTheFramesOfLibwebpOrAnError(seed: UInt64) throws {
    var numbers = SplitMix(state: seed)
    let sound = seed % 2 == 0 ? Self.fixture.bytes : WebPAnimationFixture.writtenByEncoder(seed: seed)
    for _ in 0..<10 {
      var bytes = sound
      for _ in 0...Int.random(in: 0..<3, using: &numbers) {
        bytes[Int.random(in: 12..<bytes.count, using: &numbers)] ^= UInt8.random(in: 1...255, using: &numbers)
      }
      guard let image = try? decode(bytes, limits: DecodeLimits(pixels: 1 << 16)),
        let decoder = try image.animation?.makeDecoder()
      else { continue }
      let expected = WebPReference(bytes)?.frames
      for index in 0..<image.frameCount {
        guard let bitmap = try? decoder.frame(index, isCancelled: { false }) else { break }
        guard let expected, index < expected.count else { continue }
        #expect(bitmap.redGreenBlueAlpha == expected[index])
      }
    }
  }
}
