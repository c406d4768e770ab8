import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite struct DecodeSizeTests {
  private static let targets = [
    DecodeTarget(width: 64, height: 64, mode: .fit), DecodeTarget(width: 64, height: 64, mode: .fill),
    DecodeTarget(width: 10, height: 90, mode: .fit), DecodeTarget(width: 10, height: 90, mode: .fill),
    DecodeTarget(width: 1, height: 1, mode: .fill), DecodeTarget(width: 1000, height: 1000, mode: .fit),
    DecodeTarget(width: 199, height: 131, mode: .fill), DecodeTarget(width: 200, height: 133, mode: .fit),
  ]

  @Test(arguments: [ImageFormat.jpeg, .png, .gif], targets)
  func imageIsDecodedToTheSizeOfItsTarget(format: ImageFormat, target: DecodeTarget) throws {
    let (width, height) = (201, 133)
    let bytes =
      switch format {
      case .jpeg: JPEGFixture(width: width, height: height, color: patternColor).bytes
      case .png: PNGFixture(width: width, height: height) { x, y in [x, y, 0, 255] }.bytes
      default: GIFFixture(width: width, height: height) { x, y in UInt8((x / 9 + y) % 4) }.bytes
      }

    let image = try decode(bytes, to: target)

    let size = target.outputSize(sourceWidth: width, sourceHeight: height)
    #expect((image.pixelWidth, image.pixelHeight) == (size.width, size.height))
    #expect((image.sourceWidth, image.sourceHeight) == (width, height))
    #expect(target.isSatisfied(by: image))
  }

  @Test(arguments: [
    WebPFixture.lossy, WebPFixture.lossyAlpha, WebPFixture.losslessAlpha, WebPFixture.animatedPreview,
  ])
  func webPIsDecodedToTheSizeOfItsTarget(bytes: [UInt8]) throws {
    for target in Self.targets + [DecodeTarget(width: 3, height: 2, mode: .fit)] {
      let image = try decode(bytes, to: target)

      let size = target.outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
      #expect((image.pixelWidth, image.pixelHeight) == (size.width, size.height))
    }
  }

  @Test func imageOnePixelHighKeepsItsHeight() throws {
    let fixture = PNGFixture(width: 3000, height: 1, colorType: 2) { x, _ in [x * 255 / 2999, 0, 0] }

    let image = try decode(fixture.bytes, to: DecodeTarget(width: 3, height: 3, mode: .fit))

    #expect((image.pixelWidth, image.pixelHeight) == (3, 1))
    #expect(image.bitmap.colors[0].map(\.red) == [42, 128, 212] || image.bitmap.colors[0][1].red == 127)
  }
}
