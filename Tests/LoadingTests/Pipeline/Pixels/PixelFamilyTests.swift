import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The part of a key that all sizes of an image share.
@Suite struct PixelFamilyTests {
  private struct Decoder: ImageDecoding {
    var storageIdentifier: String? { "a:1;-;" }
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image { throw .emptyBody }
  }

  private func family(_ request: ImageRequest, _ identifier: String? = nil) throws -> String {
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: request, identifier))
    return try #require(PixelKey(identity: request.identity, variant: variant).family)
  }

  @Test func sizesOfAnImageAreOneFamily() throws {
    let natural = try family(request())

    for target in [DecodeTarget(width: 1, height: 2), .init(width: 3000, height: 4000, mode: .fit)] {
      #expect(try family(request(target: target)) == natural)
    }
  }

  @Test func otherImagesAreOtherFamilies() throws {
    let target = DecodeTarget(width: 64, height: 48)
    var scaled = request(target: target)
    scaled.limits.scaleDownBytes = 64

    let families = [
      try family(request(target: target)), try family(request(target: target), "a"),
      try family(request(target: target, transforms: [CircleTransform()])), try family(scaled),
    ]

    #expect(Set(families).count == families.count)
  }

  @Test(arguments: [
    "", "64x64", "-", "-;", "-;-;", "-;-;-", "1:a;1:b;3:c;", "1:a;1:b;-1:c;",
    "1:a;1:b;99999999999999999999:c;",
    "1:a;1:b;9223372036854775807:c;", "1:a;1:bb;1:c;", "1:a;1:b;1:c",
  ])
  func otherTextsHaveNoFamily(variant: String) {
    #expect(PixelKey(identity: request().identity, variant: variant).family == nil)
  }

  @Test func partsMayContainAnyCharacters() {
    let (first, second) = ("3:;-;;2:é;", "2:1;;-;")

    #expect(PixelVariants.withoutSize(first + "7:64x64 f;" + second) == first + second)
    #expect(PixelVariants.withoutSize(first + "-;" + second) == first + second)
  }
}
