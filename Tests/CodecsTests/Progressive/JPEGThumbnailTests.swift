import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Thumbnails in the Exif of a JPEG as previews.
@Suite(.timeLimit(.minutes(5))) struct JPEGThumbnailTests {
  private static let target = DecodeTarget(width: 80, height: 60)
  private static let white = JPEGFixture(width: 160, height: 120) { _, _ in .white }.bytes

  /// A red image of 640x480 with a thumbnail.
  private func file(
    _ thumbnail: [UInt8], orientation: UInt16 = 1, offset: Int? = nil, count: Int? = nil,
    isProgressive: Bool = false
  ) -> [UInt8] {
    var fixture = JPEGFixture(width: 640, height: 480) { _, _ in .pureRed }
    fixture.repeatsFirstRow = true
    fixture.isProgressive = isProgressive
    fixture.exif = exif(thumbnail, orientation: orientation, offset: offset, count: count)
    return fixture.bytes
  }

  /// Exif with a time of change, and a directory of the camera with a size and the time at which the image was taken.
  private func exifOfCamera(
    _ thumbnail: [UInt8], size: (width: Int, height: Int), taken: String, changed: String
  ) -> [UInt8] {
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type)] + count.bigEndianBytes + value.bigEndianBytes
    }
    // The directories of 2, 3 and 2 entries, the two times, and the thumbnail.
    let (camera, second) = (8 + 30, 8 + 30 + 42)
    let times = second + 30
    let first =
      [0, 2] + entry(0x0132, 2, 20, times + 20) + entry(0x8769, 4, 1, camera) + second.bigEndianBytes
    let own =
      [0, 3] + entry(0x9003, 2, 20, times) + entry(0xA002, 4, 1, size.width)
      + entry(0xA003, 4, 1, size.height) + 0.bigEndianBytes
    let other =
      [0, 2] + entry(0x0201, 4, 1, times + 40) + entry(0x0202, 4, 1, thumbnail.count) + 0.bigEndianBytes
    let texts = Array(taken.utf8) + [0] + Array(changed.utf8) + [0]
    return Array("MM\0*".utf8) + 8.bigEndianBytes + first + own + other + texts + thumbnail
  }

  /// Exif with an orientation, and a thumbnail in the second directory.
  private func exif(
    _ thumbnail: [UInt8], orientation: UInt16 = 1, offset: Int? = nil, count: Int? = nil
  ) -> [UInt8] {
    func entry(_ tag: Int, _ value: Int) -> [UInt8] {
      [UInt8(tag >> 8), UInt8(tag & 255), 0, 4] + 1.bigEndianBytes + value.bigEndianBytes
    }
    let first = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0] + 26.bigEndianBytes
    let second =
      [0, 2] + entry(0x0201, offset ?? 56) + entry(0x0202, count ?? thumbnail.count) + 0.bigEndianBytes
    return Array("MM\0*".utf8) + 8.bigEndianBytes + first + second + thumbnail
  }

  /// A thumbnail whose upper half is green and whose lower half is blue.
  private func thumbnail(
    width: Int = 160, height: Int = 120, _ configure: (inout JPEGFixture) -> Void = { _ in }
  ) -> [UInt8] {
    var fixture = JPEGFixture(width: width, height: height) { _, y in
      y < height / 2 ? .pureGreen : .pureBlue
    }
    configure(&fixture)
    return fixture.bytes
  }

  private func isThumbnail(_ image: Image) -> Bool {
    image.bitmap.isOpaque && image.bitmap.color(x: 2, y: 2).distance(to: .pureRed) > 100
  }

  @Test("the thumbnail is shown when the header has arrived, and no rows follow")
  func thumbnailIsShownFirst() throws {
    let bytes = file(thumbnail())

    let parts = try parts(of: bytes, to: Self.target)

    let preview = try #require(parts.first)
    #expect(parts.count == 1 && preview.count < bytes.count - 1000)
    let image = preview.image
    #expect(image.isPreview && image.bitmap.isOpaque && (image.sourceWidth, image.sourceHeight) == (640, 480))
    #expect(image.bitmap.width == 80 && image.bitmap.height == 60)
    #expect(image.bitmap.color(x: 40, y: 10).distance(to: .pureGreen) < 6)
    #expect(image.bitmap.color(x: 40, y: 50).distance(to: .pureBlue) < 6)
    #expect(try decode(bytes, to: Self.target).bitmap.color(x: 40, y: 10).distance(to: .pureRed) < 6)
  }

  @Test func scansOfAProgressiveImageFollow() throws {
    let parts = try parts(of: file(thumbnail(), isProgressive: true), to: Self.target)

    #expect(isThumbnail(try #require(parts.first).image))
    let last = try #require(parts.last)
    #expect(parts.count > 1 && last.image.bitmap.color(x: 40, y: 10).distance(to: .pureRed) < 6)
  }

  @Test("the orientation of the image is applied, and that of the thumbnail is not")
  func orientationOfTheImageIsApplied() throws {
    let turned = thumbnail { $0.exif = exif([], orientation: 3) }

    let image = try #require(
      try parts(of: file(turned, orientation: 6), to: DecodeTarget(width: 60, height: 80)).first
    ).image

    #expect(image.bitmap.width == 60 && image.bitmap.height == 80)
    #expect(image.bitmap.color(x: 50, y: 40).distance(to: .pureGreen) < 6)
    #expect(image.bitmap.color(x: 10, y: 40).distance(to: .pureBlue) < 6)
  }

  @Test("a thumbnail in a thumbnail is not looked at")
  func nestedThumbnailIsIgnored() throws {
    let outer = thumbnail { $0.exif = exif(Self.white, orientation: 8) }

    let image = try #require(try parts(of: file(outer), to: Self.target).first).image

    #expect(image.bitmap.color(x: 40, y: 10).distance(to: .pureGreen) < 6)
  }

  @Test func onlySuitableThumbnailsAreShown() throws {
    let sizes = [(160, 107), (79, 60), (60, 60), (640, 481)]
    for (width, height) in sizes {
      let previews = try parts(of: file(thumbnail(width: width, height: height)), to: Self.target)
      #expect(!previews.contains { isThumbnail($0.image) }, "\(width)x\(height)")
    }
    let large = DecodeTarget(width: 161, height: 121)
    #expect(try !parts(of: file(thumbnail()), to: large).contains { isThumbnail($0.image) })
    #expect(try !parts(of: file(thumbnail())).contains { isThumbnail($0.image) })
    for bytes in [thumbnail { $0.isProgressive = true }, thumbnail { $0.isArithmetic = true }] {
      #expect(try !parts(of: file(bytes), to: Self.target).contains { isThumbnail($0.image) })
    }
  }

  @Test("the aspect ratio may differ by two percent")
  func aspectRatioMayDifferSlightly() throws {
    let previews = try parts(of: file(thumbnail(width: 160, height: 119)), to: Self.target)

    #expect(isThumbnail(try #require(previews.first).image))
  }

  @Test("the thumbnail of an image that was changed after it was taken is not shown")
  func thumbnailOfAChangedImageIsNotShown() throws {
    let (taken, later) = ("2026:11:27 09:30:00", "2026:11:28 10:00:00")
    func isShown(size: (Int, Int) = (640, 480), changed: String) throws -> Bool {
      var fixture = JPEGFixture(width: 640, height: 480) { _, _ in .pureRed }
      fixture.repeatsFirstRow = true
      fixture.exif = exifOfCamera(thumbnail(), size: size, taken: taken, changed: changed)
      return try parts(of: fixture.bytes, to: Self.target).contains { isThumbnail($0.image) }
    }

    #expect(try isShown(changed: taken))
    #expect(try !isShown(changed: later))
    #expect(try !isShown(size: (1280, 960), changed: taken))
    #expect(try !isShown(size: (640, 481), changed: taken))
  }

  @Test func otherStylesShowNoThumbnail() throws {
    let bytes = file(thumbnail(), isProgressive: true)

    #expect(try !parts(of: bytes, .blurred, to: Self.target).contains { isThumbnail($0.image) })
    #expect(ImageCodecs().progressiveDecoder(.none, options: DecodeOptions()) == nil)
  }

  @Test("hostile thumbnails are ignored, and the image's own previews are shown")
  func hostileThumbnailsAreIgnored() throws {
    let good = thumbnail()
    let frame = try #require(good.indices.dropLast().first { good[$0] == 0xFF && good[$0 + 1] == 0xC0 })
    var huge = good
    huge.replaceSubrange((frame + 5)..<(frame + 9), with: [0xBB, 0x80, 0xFA, 0x00])
    let cut = Array(good.prefix(good.count / 2))
    let files = [
      file(huge), file(cut), file(Array(good.dropLast(40))), file(Array(good.prefix(20))), file([]),
      file(good, offset: 0x7FFF_FFFF),
      file(good, offset: 0xFFFF_FFFF), file(good, count: 0xFFFF_FFFF), file(good, count: 0x7FFF_FFFF),
      file(good, count: 2), file(good, offset: 0), file(Array(repeating: 0xFF, count: 500)),
    ]
    for (index, bytes) in files.enumerated() {
      let previews = try parts(of: bytes, every: 64, to: Self.target)
      #expect(!previews.isEmpty && !previews.contains { isThumbnail($0.image) }, "\(index)")
    }
  }
}
