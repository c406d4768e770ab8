import Testing
import VitrineGraphics

@testable import VitrineLoading

/// Identities of encoded bytes, by which an image that was replaced is recognized.
@Suite(.timeLimit(.minutes(5))) struct ContentIDTests {
  private func identity(_ bytes: [UInt8]) -> ContentID { ContentID(samplesOf: EncodedBytes(bytes)) }

  @Test(arguments: [0, 1, 65_536, 65_537, 100_000])
  func equalBytesHaveOneIdentityAndOthersAnother(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(identity(bytes) == identity(bytes))
    #expect(identity(bytes) != identity(bytes + [0]), "another length")
    #expect(identity(bytes) != identity(bytes.map { ~$0 } + (count == 0 ? [1] : [])))
  }

  @Test func firstAndLastBytesCount() {
    let bytes = [UInt8](repeating: 0, count: 1_000_000)
    var other = bytes
    other[0] = 1
    #expect(identity(bytes) != identity(other))
    other = bytes
    other[other.count - 1] = 1
    #expect(identity(bytes) != identity(other))
  }

  @Test func bytesAreKnownByTheirSamplesOrTheirDigest() {
    let digest = BodyDigest(high: 1, low: 2)
    let bytes = RegionBytes(EncodedBytes([1, 2, 3])) { digest }
    #expect(bytes.are(identity([1, 2, 3])))
    #expect(bytes.are(ContentID(digest)))
    #expect(!bytes.are(identity([1, 2, 4])))
    #expect(!bytes.are(ContentID(BodyDigest(high: 2, low: 1))))
    #expect(!RegionBytes(EncodedBytes([1, 2, 3])).are(ContentID(digest)))
  }

  @Test func onlyImagesWithRegionsAreIdentified() {
    func image(_ format: ImageFormat, sourceWidth: Int) -> Image {
      Image(
        Bitmap(width: 3, height: 2, color: .black), format: format, sourceWidth: sourceWidth,
        sourceHeight: 4000)
    }
    let content = ContentID(high: 1, low: 2)
    let large = image(.jpeg, sourceWidth: 6000).identified(by: content)
    #expect(large.content == content)
    #expect(large.withScale(2).content == content)
    #expect(image(.jpeg, sourceWidth: 600).identified(by: content).content == nil)
    #expect(image(.png, sourceWidth: 6000).identified(by: content).content == content)
    #expect(image(.webp, sourceWidth: 6000).identified(by: content).content == nil)
  }
}
