import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Previews of every format.
@Suite(.timeLimit(.minutes(5))) struct ProgressiveDecodingTests {
  private static let images: [[UInt8]] = {
    var baseline = JPEGFixture(width: 90, height: 120, color: patternColor)
    baseline.exif = exif(orientation: 6)
    var progressive = baseline
    progressive.isProgressive = true
    progressive.subsamples = true
    var png = PNGFixture(width: 50, height: 40) { x, y in [x * 5, y * 6, x + y, 255 - x] }
    png.chunks = [("eXIf", exif(orientation: 5))]
    var interlaced = png
    interlaced.isInterlaced = true
    var gif = GIFFixture(width: 60, height: 50) { x, y in UInt8((x * y / 3) % 4) }
    gif.frame = (5, 3, 40, 30)
    var lines = GIFFixture(width: 60, height: 50) { x, y in UInt8((x * y / 3) % 4) }
    lines.isInterlaced = true
    lines.transparentIndex = 2
    return [baseline.bytes, progressive.bytes, png.bytes, interlaced.bytes, gif.bytes, lines.bytes]
      + WebPFixture.all
  }()

  /// At an eighth of its size, a final JPEG is made of means, and is sharper than its previews.
  private static let targets = [
    nil, DecodeTarget(width: 20, height: 15), DecodeTarget(width: 33, height: 14, mode: .fit),
  ]

  @Test(
    "every preview has the size of the final image, and the last preview has its pixels",
    arguments: images.indices)
  func previewsHaveTheSizeOfTheFinalImage(index: Int) throws {
    let bytes = Self.images[index]
    for target in Self.targets {
      let complete = try decode(bytes, to: target, as: .rgba)

      let parts = try parts(of: bytes, every: 23, to: target, as: .rgba)

      for part in parts {
        let image = part.image
        #expect((image.pixelWidth, image.pixelHeight) == (complete.pixelWidth, complete.pixelHeight))
        #expect((image.sourceWidth, image.sourceHeight) == (complete.sourceWidth, complete.sourceHeight))
        #expect(image.isPreview && !complete.isPreview)
        #expect(image.format == complete.format && image.bitmap.format == .rgba)
      }
      #expect(!parts.isEmpty)
      let decibels = try #require(parts.last?.image.bitmap.decibels(against: complete.bitmap))
      // A smaller image of opaque lossy WebP is made from planes; its previews are scaled by libwebp.
      let isFromPlanes = target != nil && [WebPFixture.lossy, WebPFixture.lossyRows].contains(bytes)
      #expect(isFromPlanes ? decibels > 30 : decibels == .infinity)
      #expect(parts.last?.image.bitmap.isOpaque == complete.bitmap.isOpaque)
    }
  }

  @Test("the last preview equals the final image if bytes arrive one by one", arguments: images.indices)
  func lastPreviewEqualsTheFinalImageByteByByte(index: Int) throws {
    let bytes = Self.images[index]

    let parts = try parts(of: bytes, every: 1)

    #expect(try parts.last?.image.bitmap.decibels(against: decode(bytes).bitmap) == .infinity)
    #expect(Set(parts.map(\.count)).count == parts.count)
  }

  @Test("there is no preview decoder if previews are disabled")
  func disabledPreviewsHaveNoDecoder() {
    #expect(ImageCodecs().progressiveDecoder(.none, options: DecodeOptions()) == nil)
  }

  @Test("data that is not an image has no previews")
  func dataThatIsNotAnImageHasNoPreviews() throws {
    #expect(try parts(of: [UInt8]()).isEmpty)
    #expect(try parts(of: Array("<html>\(String(repeating: "x", count: 200))".utf8), every: 1).isEmpty)
    #expect(try parts(of: Array("BM4567890123456".utf8), every: 1).isEmpty)
  }

  @Test("previews beyond the limits are refused once, from the header", arguments: images.indices)
  func previewsBeyondTheLimitsAreRefusedOnce(index: Int) throws {
    let bytes = Self.images[index]
    for limits in [DecodeLimits(pixels: 1), DecodeLimits(side: 1)] {
      let options = DecodeOptions(limits: limits)
      let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: options))
      var thrown: [ImageError] = []
      for count in bytes.indices {
        do throws(ImageError) {
          let image = try decoder.image(of: Array(bytes.prefix(count)), expectedLength: nil)
          #expect(image == nil)
        } catch {
          thrown.append(error)
        }
      }
      #expect(thrown.count <= 1)
      let tooLarge = [ImageError.tooLarge(.pixels(1)), .tooLarge(.side(1))]
      #expect(thrown.allSatisfy { tooLarge.contains($0) })
    }
  }

  @Test(
    "previews of a WebP show a growing number of rows",
    arguments: [WebPFixture.lossyRows, WebPFixture.losslessRows])
  func webPPreviewsShowMoreAndMoreRows(bytes: [UInt8]) throws {
    let rows = try parts(of: bytes, every: 8).map { part in
      #expect(part.image.bitmap.isClear(from: part.image.bitmap.opaqueRows))
      return part.image.bitmap.opaqueRows
    }

    #expect(rows.count > 3 && rows == rows.sorted() && rows[0] < rows[rows.count - 1])
  }

  @Test("the opaque rows of a preview equal those of the final image, scaled or not", arguments: targets)
  func opaqueRowsOfPreviewsAreFinal(target: DecodeTarget?) throws {
    let jpeg = JPEGFixture(width: 48, height: 104, color: patternColor).bytes
    let png = PNGFixture(width: 48, height: 60, colorType: 2) { x, y in [x * 5, y * 4, x + y] }.bytes
    // A smaller image of opaque lossy WebP is made from planes; its previews are scaled by libwebp.
    let images = [jpeg, png, WebPFixture.losslessRows] + (target == nil ? [WebPFixture.lossyRows] : [])
    for bytes in images {
      let complete = try decode(bytes, to: target).bitmap
      let parts = try parts(of: bytes, every: bytes.count / 10, to: target)
      #expect(parts.count > 2)
      for bitmap in parts.map(\.image.bitmap) {
        let rows = bitmap.opaqueRows
        #expect(bitmap.colors[..<rows] == complete.colors[..<rows])
        #expect(bitmap.isClear(from: rows))
      }
    }
  }

  @Test("the previews of an animated WebP are its complete first frame, and then its complete frames")
  func animatedWebPHasItsFirstFrameAsPreview() throws {
    let parts = try parts(of: WebPFixture.animatedPreview, every: 1)

    #expect(parts.map(\.image.frameCount) == [1, 2])
    #expect(parts[0].count < WebPFixture.animatedPreview.count - 40)
  }

  @Test("SD-D18 previews of a GIF show a growing number of rows, of an animated GIF in its first frame")
  func gifPreviewsShowMoreAndMoreRows() throws {
    let fixture = GIFFixture(width: 60, height: 50) { x, y in UInt8((x * y / 3) % 4) }
    let bytes = fixture.bytes.dropLast() + fixture.bytes.dropFirst(13 + 12)
    let complete = try decode(fixture.bytes).bitmap

    let parts = try parts(of: Array(bytes), every: 8)

    for part in parts {
      let rows = part.image.bitmap.opaqueRows
      #expect(part.image.bitmap.colors[..<rows] == complete.colors[..<rows])
      #expect(part.image.bitmap.isClear(from: rows))
    }
    #expect(parts.count > 10)
    #expect(parts.last?.image.bitmap.decibels(against: complete) == .infinity)
    #expect(try #require(parts.last { !$0.image.isAnimated }).count < fixture.bytes.count + 8)
  }

  @Test("rows of an interlaced GIF are repeated below until the missing rows arrive")
  func interlacedGIFRepeatsRowsUntilTheMissingRowsArrive() throws {
    var fixture = GIFFixture(width: 60, height: 50) { x, y in UInt8((x * y / 3) % 4) }
    fixture.isInterlaced = true
    let complete = try decode(fixture.bytes).bitmap

    let parts = try parts(of: fixture.bytes, every: 8)

    let full = try #require(parts.first { $0.image.bitmap.isOpaque }).image.bitmap
    #expect(full.colors[49] == complete.colors[48])
    #expect(full.colors[24] == complete.colors[24])
    #expect(parts.last?.image.bitmap.decibels(against: complete) == .infinity)
  }
}
