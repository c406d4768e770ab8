import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

@Suite struct SignatureTests {
  @Test func noBytesAreAnEmptyBody() {
    #expect(error([]) == .emptyBody)
  }

  @Test func webPageIsNotAnImage() {
    let page = Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8)

    let thrown = error(page)

    #expect(thrown == .notAnImage(signature: Array("<!DOCTYPE html><".utf8)))
  }

  @Test func unsupportedFormatsAreNotImages() {
    #expect(error(Array("BM".utf8)) == .notAnImage(signature: Array("BM".utf8)))
    #expect(error(Array("RIFF\0\0\0\0WAVE".utf8))?.description == "the response is not an image")
    #expect(error([0xFF, 0xD8]) == .notAnImage(signature: [0xFF, 0xD8]))
  }

  @Test("SD-G1 no data have no format, and no format maps to the generic image type")
  func formatsHaveTheirContentTypes() {
    #expect(ImageSignature.format(of: []) == nil && ImageSignature.format(of: Array("BM".utf8)) == nil)
    #expect(ImageFormat.raw.contentType == "image/*")
    #expect(
      [ImageFormat.jpeg, .png, .webp, .gif].map(\.contentType)
        == ["image/jpeg", "image/png", "image/webp", "image/gif"])
  }

  @Test("a signature without further bytes is damage", arguments: ImageFormat.allCases.filter { $0 != .raw })
  func signatureWithoutFurtherBytesIsDamage(format: ImageFormat) throws {
    let signatures: [ImageFormat: [UInt8]] = [
      .jpeg: [0xFF, 0xD8, 0xFF], .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
      .gif: Array("GIF89a".utf8), .webp: Array("RIFF\0\0\0\0WEBP".utf8),
    ]
    let bytes = try #require(signatures[format])

    #expect(error(bytes)?.isDamage(of: format) == true)
  }
}
