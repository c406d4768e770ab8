import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// The title and the time in Exif.
@Suite struct MetadataTests {
  private func metadata(_ fixture: ExifFixture) -> ImageMetadata? { ImageMetadata(exif: fixture.bytes[...]) }

  private func title(_ bytes: some Sequence<UInt8>) -> String? {
    metadata(ExifFixture(description: Array(bytes)))?.title
  }

  @Test(arguments: [false, true]) func titleAndTimeAreReadInBothByteOrders(isBigEndian: Bool) {
    let fixture = ExifFixture(
      description: Array("Lighthouse\0".utf8), changed: "2025:01:02 03:04:05",
      original: "2024:02:29 14:03:59",
      isBigEndian: isBigEndian)

    let metadata = metadata(fixture)

    #expect(metadata?.title == "Lighthouse")
    #expect(
      metadata?.captureTime
        == CaptureTime(year: 2024, month: 2, day: 29, hour: 14, minute: 3, second: 59))
    #expect(ImageMetadata(exif: (Array("Exif\0\0".utf8) + fixture.bytes)[...]) == metadata)
    #expect(ImageMetadata(exif: ([0xFF] + fixture.bytes).dropFirst()) == metadata)
  }

  @Test(arguments: [
    nil, "    :  :     :  :  ", "0000:00:00 00:00:00", "2023:02:29 10:00:00", "2023:13:01 10:00:00",
    "2023:01:01 24:00:00", "2023:01:01 10:00", "+023:01:01 10:00:00", "",
  ])
  func timeOfTheLastChangeStandsInForAnUnknownTime(original: String?) {
    let metadata = metadata(ExifFixture(changed: "2025:01:02 03:04:05", original: original))

    #expect(
      metadata?.captureTime == CaptureTime(year: 2025, month: 1, day: 2, hour: 3, minute: 4, second: 5))
  }

  @Test func otherSeparatorsAreAccepted() {
    let metadata = metadata(ExifFixture(original: "2024-05-17T14.03.59"))

    #expect(
      metadata?.captureTime == CaptureTime(year: 2024, month: 5, day: 17, hour: 14, minute: 3, second: 59))
  }

  @Test func titleMayBeUTF8OrLatin1() {
    #expect(title("Mühle am Fluß 🌉\0".utf8) == "Mühle am Fluß 🌉")
    #expect(title([0x4D, 0xFC, 0x68, 0x6C, 0x65, 0]) == "Mühle")
    #expect(title([0x85, 0x9F, 0x80, 0]) == nil)
    #expect(metadata(ExifFixture(description: Array("Ä1\0".utf8), descriptionType: 129))?.title == "Ä1")
    #expect(metadata(ExifFixture(description: Array("Hut".utf8), descriptionType: 3)) == nil)
  }

  @Test func titleIsOneBoundedLineWithoutControlCharacters() {
    #expect(title("  a\r\n\t b\u{1B}[31m\u{202E}c\u{2028}d  \0hidden".utf8) == "a b [31mc d")
    #expect(title("👩\u{200D}🚀\0".utf8) == "👩\u{200D}🚀")
    #expect(title("Hut".utf8) == "Hut")
    #expect(title("     \0".utf8) == nil && title([0]) == nil && title([]) == nil)
    let long = title(Array("a".utf8) + Array(String(repeating: "ü", count: 2000).utf8))
    #expect(long == "a" + String(repeating: "ü", count: 119))
  }

  @Test(arguments: [
    "OLYMPUS DIGITAL CAMERA         ", "SONY DSC", "DCIM\\100MEDIA\\DJI_0001.JPG", "Digital camera",
  ])
  func textThatACameraWritesIntoEachImageIsNoTitle(text: String) {
    #expect(title(text.utf8) == nil)
  }

  @Test func truncatedExifHasFewerProperties() {
    let fixture = ExifFixture(description: Array("Lighthouse".utf8), original: "2024:02:29 14:03:59")
    let bytes = fixture.bytes

    #expect(ImageMetadata(exif: bytes[...])?.captureTime != nil)
    // The last byte is the zero after the time.
    for count in 0..<bytes.count - 1 {
      #expect(ImageMetadata(exif: bytes.prefix(count))?.captureTime == nil, "\(count) bytes")
    }
  }

  @Test func directoryThatLeadsToItselfIsReadOnce() {
    var bytes = ExifFixture(original: "2024:02:29 14:03:59").bytes
    bytes.replaceSubrange(18..<22, with: [8, 0, 0, 0])

    #expect(ImageMetadata(exif: bytes[...]) == nil)
  }

  @Test func allFormatsWithExifHaveMetadata() throws {
    let exif = ExifFixture(description: Array("Lighthouse\0".utf8), changed: "2025:01:02 03:04:05").bytes
    let expected = ImageMetadata(
      captureTime: CaptureTime(year: 2025, month: 1, day: 2, hour: 3, minute: 4, second: 5),
      title: "Lighthouse")
    var jpeg = JPEGFixture(width: 40, height: 20) { _, _ in .white }
    jpeg.exif = exif
    var png = PNGFixture(width: 3, height: 2) { _, _ in [1, 2, 3, 255] }
    png.chunks = [("eXIf", exif)]

    for file in [jpeg.bytes, png.bytes, WebPFixture.withExif(exif)] {
      #expect(try decode(file).metadata == expected)
      #expect(try decode(file, to: DecodeTarget(width: 2, height: 2)).metadata == expected)
    }
  }

  @Test func imageWithoutExifHasNoMetadata() throws {
    #expect(try decode(JPEGFixture(width: 4, height: 2) { _, _ in .white }.bytes).metadata == nil)
    #expect(try decode(WebPFixture.rotated).metadata == nil)
  }
}
