import CCodecs
import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

@Suite(.timeLimit(.minutes(5))) struct ColorProfileTests {
  private let red = Color(red: 254, green: 0, blue: 0)

  private func jpeg(_ profile: [UInt8]?) -> [UInt8] {
    var fixture = JPEGFixture(width: 24, height: 16) { _, _ in .pureRed }
    fixture.profile = profile
    return fixture.bytes
  }

  @Test func profileWhoseElementsShareBytesIsIgnored() {
    func profile(elements: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 132) + Array("D2B0".utf8) + 144.bigEndianBytes
      bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
      bytes.replaceSubrange(128..<132, with: 1.bigEndianBytes)
      let tag = Array("mpet".utf8) + 0.bigEndianBytes + [0, 3, 0, 3] + elements.bigEndianBytes
      let position = (16 + 8 * elements).bigEndianBytes + 100.bigEndianBytes
      let positions = Array(repeatElement(position, count: elements).joined())
      let content = tag + positions + [UInt8](repeating: 0, count: 100)
      return bytes + content.count.bigEndianBytes + content
    }

    #expect(ICCProfile(profile(elements: 5)) != nil)
    #expect(ICCProfile(profile(elements: 1000)) == nil)
  }

  private func png(_ profile: [UInt8]?, colorType: Int = 6, samples: [Int] = [255, 0, 0, 100]) -> PNGFixture {
    var fixture = PNGFixture(width: 24, height: 16, colorType: colorType) { _, _ in samples }
    if let profile { fixture.chunks = [("iCCP", Array("name\0\0".utf8) + PNGFixture.zlib(profile))] }
    return fixture
  }

  private func webP(_ profile: [UInt8]) -> [UInt8] {
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      let count = content.count
      let length = count.littleEndianPair + (count >> 16).littleEndianPair
      return Array(name.utf8) + length + content + [UInt8](repeating: 0, count: count % 2)
    }
    let chunks =
      Array("WEBP".utf8) + chunk("VP8X", [0x20, 0, 0, 0, 2, 0, 0, 0, 0, 0]) + chunk("ICCP", profile)
      + WebPFixture.losslessOpaque.dropFirst(12)
    return chunk("RIFF", chunks)
  }

  @Test(
    "SD-M22 the colors of an image with a color profile are converted to sRGB",
    arguments: [PixelFormat.bgra, .rgba], [nil, DecodeTarget(width: 5, height: 3)])
  func colorsOfAProfileAreConvertedToSRGB(pixelFormat: PixelFormat, target: DecodeTarget?) throws {
    let profile = ProfileFixture.swapped
    for bytes in [jpeg(profile), png(profile).bytes, webP(profile)] {
      let bitmap = try decode(bytes, to: target, as: pixelFormat).bitmap
      let color = bitmap.color(x: 0, y: 0)
      #expect(Color(red: color.red, green: color.green, blue: color.blue).distance(to: .pureGreen) < 8)
      #expect(bitmap.isOpaque == (color.alpha == 255))
    }
    #expect(try decode(png(profile).bytes, to: target).bitmap.color(x: 2, y: 2).alpha == 100)
  }

  @Test("the last preview of an image with a profile equals the final image")
  func lastPreviewEqualsTheFinalImageWithAProfile() throws {
    var progressive = JPEGFixture(width: 64, height: 48, color: patternColor)
    progressive.profile = ProfileFixture.swapped
    progressive.isProgressive = true
    var interlaced = png(ProfileFixture.swapped)
    interlaced.isInterlaced = true
    for bytes in [
      jpeg(ProfileFixture.swapped), progressive.bytes, png(ProfileFixture.swapped).bytes, interlaced.bytes,
      webP(ProfileFixture.swapped),
    ] {
      let last = try #require(CodecsTests.parts(of: bytes, every: 100).last).image.bitmap
      #expect(last.decibels(against: try decode(bytes).bitmap) == .infinity)
    }
  }

  @Test("colors outside the sRGB gamut become the nearest sRGB colors")
  func colorsOutsideSRGBBecomeTheNearestColors() throws {
    let color = try decode(png(ProfileFixture.displayP3, samples: [200, 60, 40, 255]).bytes).bitmap.color(
      x: 3, y: 3)

    // From the matrices of the two color spaces (W3C, "CSS Color 4").
    #expect(color.distance(to: Color(red: 217, green: 40, blue: 25)) < 5)
  }

  @Test("an image with an sRGB profile is not converted, since the profile is recognized")
  func sRGBProfileIsNotConverted() throws {
    #expect(try #require(ICCProfile(ProfileFixture.srgb)).isSRGB)
    #expect(try #require(ICCProfile(ProfileFixture.swapped)).isSRGB == false)
    #expect(try #require(ICCProfile(ProfileFixture.displayP3)).isSRGB == false)
    #expect(try #require(ICCProfile(ProfileFixture.linearGray)).isSRGB == false)

    let untagged = try decode(jpeg(nil)).bitmap
    #expect(try decode(jpeg(ProfileFixture.srgb)).bitmap.decibels(against: untagged) == .infinity)
  }

  @Test("a gray image may have a gray or an RGB profile")
  func grayImageMayHaveAGrayOrRGBProfile() throws {
    let linear = png(ProfileFixture.linearGray, colorType: 4, samples: [128, 255]).bytes
    #expect(
      try decode(linear).bitmap.color(x: 0, y: 0).distance(to: Color(red: 188, green: 188, blue: 188)) < 3)
    #expect(try decode(linear, to: DecodeTarget(width: 3, height: 2)).bitmap.color(x: 0, y: 0).red > 185)

    let swapped = png(ProfileFixture.swapped, colorType: 0, samples: [128]).bytes
    #expect(
      try decode(swapped).bitmap.color(x: 0, y: 0).distance(to: Color(red: 128, green: 128, blue: 128)) < 3)
    // A gray profile does not apply to an RGB image.
    #expect(try decode(jpeg(ProfileFixture.linearGray)).bitmap.color(x: 0, y: 0).distance(to: red) < 3)
  }

  @Test(
    "CMYK colors are converted by their profile", arguments: [JPEGFixture.Model.cmyk, .ycck],
    [PixelFormat.bgra, .rgba])
  func cmykColorsAreConvertedByTheirProfile(model: JPEGFixture.Model, pixelFormat: PixelFormat) throws {
    var fixture = JPEGFixture(width: 32, height: 16, color: patternColor)
    fixture.model = model
    fixture.samples = { x, _ in x < 16 ? [0, 255, 255, 255] : [255, 255, 255, 255] }
    fixture.profile = ProfileFixture.redCyan

    for target in [nil, DecodeTarget(width: 4, height: 2)] {
      let bitmap = try decode(fixture.bytes, to: target, as: pixelFormat).bitmap
      let ink = bitmap.color(x: 0, y: 0)
      #expect(ink.red > 230 && ink.green < 60 && ink.blue < 60)
      #expect(bitmap.color(x: bitmap.width - 1, y: 0).distance(to: .white) < 6)
      #expect(bitmap.isOpaque && bitmap.hasOnlyOpaquePixels)
    }
    fixture.profile = ProfileFixture.swapped
    #expect(
      try decode(fixture.bytes).bitmap.color(x: 0, y: 0).distance(to: Color(red: 0, green: 255, blue: 255))
        < 6)
  }

  @Test("a profile in several segments is joined, and ignored if a segment is missing")
  func profileInSeveralSegmentsIsJoined() throws {
    let long = ProfileFixture.swapped + [UInt8](repeating: 0, count: 150_000)
    var bytes = jpeg(long)
    #expect(JPEGSegments(bytes).profile?.bytes == long)
    #expect(try decode(bytes).bitmap.color(x: 0, y: 0).distance(to: .pureGreen) < 8)

    let marker = Array("ICC_PROFILE\0\u{2}".utf8)
    let second = try #require(bytes.indices.first { bytes[$0...].starts(with: marker) })
    bytes[second + 12] = 1
    #expect(JPEGSegments(bytes).profile == nil)
    #expect(try decode(bytes).bitmap.color(x: 0, y: 0).distance(to: red) < 3)
  }

  @Test("a damaged profile does not prevent decoding", arguments: 0..<200)
  func damagedProfileDoesNotPreventDecoding(seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    var profile = [ProfileFixture.swapped, ProfileFixture.displayP3, ProfileFixture.linearGray][Int(seed % 3)]
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let index = Int.random(in: 0..<profile.count, using: &generator)
      if seed % 7 == 0 {
        profile.removeSubrange(index...)
      } else {
        profile[index] = .random(in: 0...255, using: &generator)
      }
      if profile.isEmpty { break }
    }

    #expect(try decode(jpeg(profile)).pixelWidth == 24)
    #expect(try decode(png(profile).bytes).pixelWidth == 24)
  }

  @Test("a compressed profile is unpacked up to its declared size, and refused if too large")
  func compressedProfileIsUnpackedUpToItsDeclaredSize() throws {
    func packed(_ content: [UInt8]) -> ArraySlice<UInt8> {
      (Array("name\0\0".utf8) + PNGFixture.zlib(content))[...]
    }
    let profile = ProfileFixture.swapped
    #expect(ICCProfile(packed: packed(profile + [UInt8](repeating: 7, count: 90_000)))?.bytes == profile)
    #expect(ICCProfile(packed: packed(Array(profile.dropLast(20))))?.bytes.count == profile.count - 20)

    var large = profile
    large.replaceSubrange(0..<4, with: (ICCProfile.largest + 1).bigEndianBytes)
    #expect(ICCProfile(packed: packed(large)) == nil)
    large.replaceSubrange(0..<4, with: ICCProfile.largest.bigEndianBytes)
    #expect(ICCProfile(packed: packed(large)) == nil)

    for content in ["", "name", "name\0", "name\0\0", "name\0\u{1}abc", String(repeating: "n", count: 100)] {
      #expect(ICCProfile(packed: Array(content.utf8)[...]) == nil)
    }
  }
}
