import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// Parts of JPEGs, compared with the whole image.
@Suite(.timeLimit(.minutes(5))) struct JPEGRegionTests {
  struct Case: CustomTestStringConvertible {
    var width = 211
    var height = 157
    var model = JPEGFixture.Model.rgb
    var subsamples = true
    var restartInterval: UInt32 = 0
    var quality: Int32 = 90

    var testDescription: String {
      "\(width)x\(height) \(model)\(subsamples ? " 4:2:0" : "") restart \(restartInterval) quality \(quality)"
    }

    var fixture: JPEGFixture {
      var fixture = JPEGFixture.edgesAndNoise(width: width, height: height, model)
      fixture.subsamples = subsamples
      fixture.restartInterval = restartInterval
      fixture.quality = quality
      return fixture
    }
  }

  private func decoder(_ bytes: [UInt8]) throws(RegionError) -> any ImageRegionDecoder {
    try ImageCodecs().regionDecoder(for: EncodedBytes(bytes), options: DecodeOptions(), cancellation: .never)
  }

  /// Returns the whole image at a fraction of its size, without its orientation.
  private func whole(_ bytes: [UInt8], reduction: Int) throws -> (size: PixelSize, pixels: [UInt8]) {
    try bytes.withUnsafeBufferPointer { buffer in
      let reader = try JPEGReader(buffer, limits: DecodeLimits())
      let size = try reader.start(eighths: 8 / reduction, as: .bgra, memory: 1 << 20)
      var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
      _ = try pixels.withUnsafeMutableBytes { try reader.read($0.baseAddress!, count: size.height) }
      return (size, pixels)
    }
  }

  /// Regions at the corners, across MCUs, of one pixel, and of all pixels.
  private func regions(_ size: (width: Int, height: Int), _ reduction: Int) -> [ImageRegion] {
    let (width, height) = (max(1, size.width / 3), max(1, size.height / 4))
    let (right, bottom) = (size.width - width, size.height - height)
    return [
      (0, 0, size.width, size.height), (0, 0, width, height), (right, 0, width, height),
      (0, bottom, width, height),
      (right, bottom, width, height), (right / 2, bottom / 2, width, height), (right / 2, bottom / 2, 1, 1),
      (0, bottom / 2, size.width, 1), (size.width - 1, size.height - 1, 1, 1),
    ].map { ImageRegion(reduction: reduction, x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
  }

  @Test(
    arguments: [
      Case(), Case(subsamples: false), Case(model: .gray), Case(restartInterval: 1), Case(restartInterval: 5),
      Case(restartInterval: 14), Case(width: 700, height: 60, quality: 100),
      Case(width: 700, height: 60, subsamples: false, restartInterval: 3, quality: 20),
      Case(width: 1, height: 1),
      Case(width: 17, height: 300), Case(width: 16, height: 16),
    ])
  func regionHasThePixelsOfTheWholeImage(_ jpeg: Case) throws {
    let bytes = jpeg.fixture.bytes
    let decoder = try decoder(bytes)

    #expect((decoder.layout.sourceWidth, decoder.layout.sourceHeight) == (jpeg.width, jpeg.height))
    for reduction in ImageRegion.reductions {
      let (size, pixels) = try whole(bytes, reduction: reduction)
      let reduced = decoder.layout.size(reducedBy: reduction)
      #expect(reduced == (size.width, size.height))
      for region in regions(reduced, reduction) {
        let bitmap = try decoder.decode(region, cancellation: .never)

        #expect((bitmap.width, bitmap.height) == (region.width, region.height))
        let expected = (region.y..<(region.y + region.height)).flatMap { (y: Int) -> ArraySlice<UInt8> in
          let start = (y * size.width + region.x) * 4
          return pixels[start..<(start + region.width * 4)]
        }
        #expect(bitmap.withUnsafeBytes { Array($0) } == expected, "\(region)")
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt16>)
  func regionIsTurnedAsTheImage(orientation: UInt16) throws {
    var fixture = Case(width: 90, height: 50).fixture
    fixture.exif = exif(orientation: orientation)
    let decoder = try decoder(fixture.bytes)
    let image = try ImageCodecs().decode(fixture.bytes, options: DecodeOptions()).bitmap
    let layout = decoder.layout
    #expect((layout.sourceWidth, layout.sourceHeight) == (image.width, image.height))

    for region in regions((image.width, image.height), 1) {
      let bitmap = try decoder.decode(region, cancellation: .never)
      let expected = image.cropped(
        to: Rect(
          x: Double(region.x), y: Double(region.y), width: Double(region.width), height: Double(region.height)
        ))
      #expect(bitmap.hasPixels(of: expected), "\(region)")
    }
    // 90 x 50 is 12 x 7 at an eighth: the last column and row have 2 pixels each, wherever they are shown.
    let origin = layout.origin(reducedBy: 8)
    let (isMirrored, isFlipped) = ([2, 3, 6, 7].contains(orientation), [3, 4, 7, 8].contains(orientation))
    #expect(origin == Point(x: isMirrored ? -6 : 0, y: isFlipped ? -6 : 0))
  }

  @Test func colorsAreConvertedAsThoseOfTheImage() throws {
    var fixture = Case().fixture
    fixture.profile = ProfileFixture.displayP3
    let image = try ImageCodecs().decode(fixture.bytes, options: DecodeOptions()).bitmap
    let region = ImageRegion(reduction: 1, x: 30, y: 40, width: 50, height: 60)

    let bitmap = try decoder(fixture.bytes).decode(region, cancellation: .never)

    #expect(bitmap.hasPixels(of: image.cropped(to: Rect(x: 30, y: 40, width: 50, height: 60))))
  }

  @Test func otherImagesAreDecodedOnlyAsAWhole() throws {
    var progressive = Case().fixture
    progressive.isProgressive = true
    var arithmetic = Case().fixture
    arithmetic.isArithmetic = true
    var separate = Case().fixture
    separate.isInterleaved = false
    var cmyk = JPEGFixture(width: 40, height: 40) { _, _ in .white }
    cmyk.samples = { x, y in [UInt8(x), UInt8(y), 0, 0] }
    cmyk.model = .cmyk
    let gif = GIFFixture(width: 3, height: 2) { _, _ in 0 }

    for bytes in [
      progressive.bytes, arithmetic.bytes, separate.bytes, cmyk.bytes, gif.bytes, [], [0xFF, 0xD8],
    ] {
      #expect(throws: RegionError.self) { try decoder(bytes) }
    }
  }

  @Test func damagedImageIsLeftToTheWholeDecoder() throws {
    let bytes = Case().fixture.bytes

    for count in [bytes.count / 2, bytes.count * 9 / 10] {
      #expect(throws: RegionError.self) { try decoder(Array(bytes.prefix(count))) }
    }
  }

  @Test func regionOutsideOfTheImageIsRefused() throws {
    let decoder = try decoder(Case().fixture.bytes)

    for region in [
      ImageRegion(reduction: 1, x: 0, y: 0, width: 212, height: 1),
      ImageRegion(reduction: 1, x: -1, y: 0, width: 2, height: 1),
      ImageRegion(reduction: 8, x: 0, y: 0, width: 28, height: 1),
      ImageRegion(reduction: 3, x: 0, y: 0, width: 1, height: 1),
      ImageRegion(reduction: 1, x: 0, y: .max, width: 1, height: .max),
      ImageRegion(reduction: 1, x: 5, y: 5, width: 0, height: 1),
    ] {
      #expect(throws: ImageError.self) { try decoder.decode(region, cancellation: .never) }
      #expect(decoder.memoryNeeded(for: region) == 0)
    }
  }

  @Test func cancellationStopsTheIndexAndARegion() throws {
    let bytes = Case().fixture.bytes
    let cancelled = DecodeCancellation { true }

    #expect(throws: RegionError.self) {
      try ImageCodecs().regionDecoder(
        for: EncodedBytes(bytes), options: DecodeOptions(), cancellation: cancelled)
    }
    let decoder = try decoder(bytes)
    #expect(throws: ImageError.cancelled) {
      try decoder.decode(
        ImageRegion(reduction: 1, x: 0, y: 0, width: 10, height: 10), cancellation: cancelled)
    }
  }

  @Test func bytesThatChangeAfterTheIndexGiveAnErrorOrOtherPixels() throws {
    let bytes = Case(restartInterval: 5).fixture.bytes
    let changing = ChangingBytes(bytes)
    let decoder = try ImageCodecs().regionDecoder(
      for: changing.encoded, options: DecodeOptions(), cancellation: .never)
    let region = ImageRegion(reduction: 1, x: 20, y: 20, width: 100, height: 100)

    for count in [0, 100, bytes.count / 2] {
      changing.bytes = Array(bytes.prefix(count))
      #expect(throws: ImageError.self) { try decoder.decode(region, cancellation: .never) }
    }
    for seed in 0..<200 {
      var other = bytes
      for index in 0..<8 { other[(seed &* 7919 &+ index &* 104_729) % bytes.count] ^= UInt8(1 << (seed % 8)) }
      changing.bytes = other
      _ = try? decoder.decode(region, cancellation: .never)
    }
    changing.bytes = bytes
    #expect(try decoder.decode(region, cancellation: .never).width == 100)
  }

  @Test func bytesThatComeInSmallPiecesGiveTheSamePixels() throws {
    let bytes = Case(width: 400, height: 300).fixture.bytes
    let pieces = EncodedBytes(count: bytes.count) { offset, buffer in
      let count = min(buffer.count, 1000, bytes.count - offset)
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
      }
      return count
    }
    let region = ImageRegion(reduction: 2, x: 20, y: 20, width: 100, height: 100)

    let inPieces = try ImageCodecs().regionDecoder(
      for: pieces, options: DecodeOptions(), cancellation: .never)

    #expect(
      try inPieces.decode(region, cancellation: .never)
        .hasPixels(of: decoder(bytes).decode(region, cancellation: .never)))
  }
}

/// Bytes that change between two calls. Used by one thread.
private final class ChangingBytes: @unchecked Sendable {
  var bytes: [UInt8]
  private let count: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    count = bytes.count
  }

  var encoded: EncodedBytes {
    EncodedBytes(count: count) { offset, buffer in
      let count = min(buffer.count, max(0, self.bytes.count - offset))
      guard count > 0 else { return 0 }
      self.bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
      }
      return count
    }
  }
}
