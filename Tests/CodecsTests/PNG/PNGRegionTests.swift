import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// Parts of PNGs, compared with the whole image.
@Suite(.timeLimit(.minutes(5))) struct PNGRegionTests {
  struct Case: CustomTestStringConvertible {
    var colorType = 2
    var depth = 8
    var width = 53
    var height = 41
    var isTransparent = false
    var orientation: UInt16 = 1

    var testDescription: String {
      "type \(colorType) depth \(depth) \(width)x\(height)\(isTransparent ? " tRNS" : "") up \(orientation)"
    }

    var bytes: [UInt8] {
      var chunks: [UInt8] = []
      if colorType == 3 {
        let palette = (0..<(3 << depth)).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        chunks += LargeFixtures.chunk("PLTE", palette)
      }
      if isTransparent { chunks += LargeFixtures.chunk("tRNS", transparency) }
      if orientation != 1 { chunks += LargeFixtures.chunk("eXIf", exif(orientation: orientation)) }
      return LargeFixtures.filteredPNG(
        width: width, height: height, depth: depth, colorType: colorType, chunks: chunks
      ) { index, y in UInt8(truncatingIfNeeded: index &* 7919 &+ y &* 104_729 &+ index &* y) }
    }

    private var transparency: [UInt8] {
      switch colorType {
      case 3: (0..<(1 << depth)).map { UInt8(truncatingIfNeeded: $0 &* 91) }
      case 0: [0, depth == 16 ? 7 : 1]
      default: [0, 1, 0, 2, 0, 3]
      }
    }

    static let all: [Case] = [
      (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8),
      (4, 16),
      (6, 8), (6, 16),
    ].flatMap { kind in
      let form = Case(colorType: kind.0, depth: kind.1)
      var transparent = form
      transparent.isTransparent = true
      return kind.0 >= 4 ? [form] : [form, transparent]
    }
    static let sizes = [(1, 1), (30_000, 2), (2, 30_000), (7, 9)].map { Case(width: $0.0, height: $0.1) }
    static let orientations = (1...8 as ClosedRange<UInt16>).map {
      Case(colorType: 0, depth: 2, orientation: $0)
    }
  }

  private func decoder(
    _ bytes: [UInt8], as format: PixelFormat = .bgra, limits: DecodeLimits = .init()
  ) throws(RegionError) -> any ImageRegionDecoder {
    try ImageCodecs().regionDecoder(
      for: EncodedBytes(bytes), options: DecodeOptions(pixelFormat: format, limits: limits),
      cancellation: .never)
  }

  /// Regions at the corners, of one pixel, of one row, and of all pixels; not from top to bottom.
  private func regions(_ size: (width: Int, height: Int), _ reduction: Int) -> [ImageRegion] {
    let (width, height) = (min(300, max(1, size.width / 3)), min(300, max(1, size.height / 4)))
    let (right, bottom) = (size.width - width, size.height - height)
    return [
      (right, bottom, width, height), (0, 0, width, height), (right, 0, width, height),
      (0, bottom, width, height),
      (right / 2, bottom / 2, width, height), (right / 2, bottom / 2, 1, 1), (0, bottom / 2, size.width, 1),
      (size.width - 1, size.height - 1, 1, 1), (0, 0, size.width, size.height),
    ].map { ImageRegion(reduction: reduction, x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
  }

  private func rect(_ region: ImageRegion) -> Rect {
    Rect(
      x: Double(region.x), y: Double(region.y), width: Double(region.width), height: Double(region.height))
  }

  @Test(arguments: Case.all + Case.sizes + Case.orientations, [PixelFormat.bgra, .rgba])
  func regionHasThePixelsOfTheWholeImage(_ png: Case, format: PixelFormat) throws {
    let bytes = png.bytes
    let decoder = try decoder(bytes, as: format)
    let whole = try decode(bytes, as: format).bitmap

    #expect((decoder.layout.sourceWidth, decoder.layout.sourceHeight) == (whole.width, whole.height))
    #expect(decoder.format == .png)
    for region in regions((whole.width, whole.height), 1) {
      let bitmap = try decoder.decode(region, cancellation: .never)
      #expect(bitmap.hasPixels(of: whole.cropped(to: rect(region))), "\(region)")
    }
  }

  @Test(arguments: Case.all + Case.sizes + Case.orientations)
  func scaledRegionHasTheMeansOfThePixels(_ png: Case) throws {
    let bytes = png.bytes
    let decoder = try decoder(bytes)
    let whole = try decode(bytes).bitmap

    for reduction in ImageRegion.reductions.dropFirst() {
      let all = decoder.layout.size(reducedBy: reduction)
      for region in regions(all, reduction) {
        let bitmap = try decoder.decode(region, cancellation: .never)
        #expect((bitmap.width, bitmap.height) == (region.width, region.height))
        let difference = difference(bitmap, whole, region, decoder.layout.origin(reducedBy: reduction))
        #expect(difference <= 1.51, "\(region)")
      }
    }
  }

  /// Returns the largest difference of a sample from the mean of the pixels that it shows, less the tolerance for the
  /// colors of nearly transparent pixels.
  private func difference(_ bitmap: Bitmap, _ whole: Bitmap, _ region: ImageRegion, _ origin: Point) -> Double
  {
    var largest = 0.0
    func pixels(_ place: Int, _ origin: Double, _ limit: Int) -> Range<Int> {
      let start = Int(origin) + place * region.reduction
      return max(0, start)..<min(limit, start + region.reduction)
    }
    bitmap.withUnsafeBytes { (result: UnsafeRawBufferPointer) in
      whole.withUnsafeBytes { (source: UnsafeRawBufferPointer) in
        for y in 0..<region.height {
          let rows = pixels(region.y + y, origin.y, whole.height)
          for x in 0..<region.width {
            let columns = pixels(region.x + x, origin.x, whole.width)
            var sums = SIMD4<Double>.zero
            for row in rows {
              for column in columns {
                let start = (row * whole.width + column) * 4
                let alpha = Double(source[start + 3])
                for channel in 0..<3 { sums[channel] += Double(source[start + channel]) * alpha }
                sums[3] += alpha
              }
            }
            let start = (y * region.width + x) * 4
            let alpha = sums[3] / Double(rows.count * columns.count)
            largest = max(largest, abs(Double(result[start + 3]) - alpha))
            guard alpha >= 1 else { continue }
            for channel in 0..<3 {
              let error = abs(Double(result[start + channel]) - sums[channel] / sums[3])
              largest = max(largest, alpha < 255 ? error - 4 / alpha : error)
            }
          }
        }
      }
    }
    return largest
  }

  @Test func regionsGoOnFromRowsThatWerePassed() throws {
    // 13.5 MB of rows: four points.
    let png = Case(width: 1500, height: 3000)
    let bytes = png.bytes
    let counted = CountedBytes(bytes)
    let whole = try decode(bytes).bitmap
    let decoder = try ImageCodecs().regionDecoder(
      for: counted.encoded, options: DecodeOptions(), cancellation: .never)
    func read(_ y: Int) throws -> Int {
      counted.reset()
      let region = ImageRegion(reduction: 1, x: 700, y: y, width: 100, height: 20)
      #expect(
        try decoder.decode(region, cancellation: .never).hasPixels(of: whole.cropped(to: rect(region))),
        "\(y)")
      return counted.readCount
    }

    let first = try read(2900)
    let second = try read(2890)
    let third = try read(1000)
    let fourth = try read(0)

    #expect(second < first / 2, "goes on from a point")
    #expect(third < first / 2)
    #expect(fourth < first / 2, "stops after the last row")
  }

  @Test func tilesOfOneImageAreDecodedByManyThreads() async throws {
    let bytes = Case(width: 900, height: 3000).bytes
    let whole = try decode(bytes).bitmap
    let decoder = try decoder(bytes)

    let areEqual = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<40 {
        group.addTask {
          let region = ImageRegion(reduction: 1, x: index * 20, y: index * 977 % 2900, width: 64, height: 64)
          let bitmap = try? decoder.decode(region, cancellation: .never)
          let expected = whole.cropped(
            to: Rect(x: Double(region.x), y: Double(region.y), width: 64, height: 64))
          return bitmap?.hasPixels(of: expected) == true
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }

    #expect(areEqual)
  }

  @Test func colorsAreConvertedAsThoseOfTheImage() throws {
    var fixture = PNGFixture(width: 60, height: 50, colorType: 2) { x, y in [x * 4, y * 5, 255 - x] }
    fixture.chunks = [("iCCP", Array("p\0\0".utf8) + PNGFixture.zlib(ProfileFixture.displayP3))]
    let whole = try decode(fixture.bytes).bitmap
    var plain = fixture
    plain.chunks = []
    #expect(try !whole.hasPixels(of: decode(plain.bytes).bitmap))
    let region = ImageRegion(reduction: 1, x: 10, y: 20, width: 30, height: 25)

    let bitmap = try decoder(fixture.bytes).decode(region, cancellation: .never)

    #expect(bitmap.hasPixels(of: whole.cropped(to: rect(region))))
  }

  @Test func interlacedAndAnimatedImagesAreDecodedOnlyAsAWhole() throws {
    var interlaced = PNGFixture(width: 9, height: 9) { _, _ in [1, 2, 3, 4] }
    interlaced.isInterlaced = true
    let animated = AnimatedPNGFixture.solid([.black, .white])
    var deep = PNGFixture(width: 3, height: 3, colorType: 3) { _, _ in [0] }
    deep.depth = 16

    for bytes in [interlaced.bytes, animated.bytes, deep.bytes] {
      #expect(ImageCodecs().memoryForRegions(of: EncodedBytes(bytes)) == 0)
      #expect {
        try decoder(bytes)
      } throws: { error in
        if case .notSupported = error as? RegionError { true } else { false }
      }
    }
  }

  @Test func truncatedFileIsRefusedAsByTheWholeDecoder() throws {
    let bytes = Case().bytes

    for count in [16, 40, bytes.count / 2, bytes.count - 3] {
      let part = Array(bytes.prefix(count))
      #expect {
        try decoder(part)
      } throws: { error in
        guard case .image(let cause)? = error as? RegionError else { return false }
        return cause.isDamage(of: .png)
      }
      #expect(ImageCodecs().memoryForRegions(of: EncodedBytes(part)) == 0)
    }
    #expect(throws: RegionError.self) { try decoder(PNGFixture.claiming(width: 20_000, height: 6_000)) }
  }

  @Test func rowsBeforeDamageAreShown() throws {
    var bytes = Case(width: 400, height: 400).bytes
    let whole = try decode(bytes).bitmap
    bytes[bytes.count * 3 / 4] ^= 0x40
    let decoder = try decoder(bytes)
    func part(_ y: Int) -> ImageRegion { ImageRegion(reduction: 1, x: 100, y: y, width: 200, height: 20) }

    for y in [0, 200] {
      let bitmap = try decoder.decode(part(y), cancellation: .never)
      #expect(bitmap.hasPixels(of: whole.cropped(to: rect(part(y)))))
    }
    #expect {
      try decoder.decode(part(380), cancellation: .never)
    } throws: { error in
      (error as? ImageError)?.isDamage(of: .png) == true
    }
    #expect(try decoder.decode(part(0), cancellation: .never).width == 200, "later regions are not affected")
  }

  @Test func missingRowsAreDamage() throws {
    // Compressed rows for half of the height that the header declares.
    var fixture = PNGFixture(width: 20, height: 10, colorType: 0) { x, y in [x + y] }
    let rows = PNGFixture.chunk("IDAT", PNGFixture.zlib(fixture.scanlines))
    fixture.height = 20
    let bytes =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + PNGFixture.chunk("IHDR", fixture.header) + rows
      + PNGFixture.chunk("IEND", [])
    let decoder = try decoder(bytes)

    #expect(
      try decoder.decode(ImageRegion(reduction: 1, x: 0, y: 0, width: 20, height: 10), cancellation: .never)
        .height == 10)
    #expect(throws: ImageError.self) {
      try decoder.decode(ImageRegion(reduction: 2, x: 0, y: 4, width: 10, height: 2), cancellation: .never)
    }
  }

  @Test func regionOutsideOfTheImageIsRefused() throws {
    let decoder = try decoder(Case().bytes)

    for region in [
      ImageRegion(reduction: 1, x: 0, y: 0, width: 54, height: 1),
      ImageRegion(reduction: 1, x: -1, y: 0, width: 2, height: 1),
      ImageRegion(reduction: 8, x: 0, y: 0, width: 8, height: 1),
      ImageRegion(reduction: 3, x: 0, y: 0, width: 1, height: 1),
      ImageRegion(reduction: 1, x: 0, y: .max, width: 1, height: .max),
      ImageRegion(reduction: 1, x: 5, y: 5, width: 0, height: 1),
    ] {
      #expect(throws: ImageError.self) { try decoder.decode(region, cancellation: .never) }
      #expect(decoder.memoryNeeded(for: region) == 0)
    }
  }

  @Test func limitsHoldForTheRegionAndForTwiceAsManyPassingPixels() throws {
    let bytes = Case(width: 40, height: 40).bytes
    let region = ImageRegion(reduction: 1, x: 0, y: 0, width: 40, height: 40)
    let half = ImageRegion(reduction: 2, x: 0, y: 0, width: 20, height: 20)

    let decoder = try decoder(bytes, limits: DecodeLimits(pixels: 800))
    #expect(throws: ImageError.tooLarge(.pixels(800))) { try decoder.decode(region, cancellation: .never) }
    #expect(try decoder.decode(half, cancellation: .never).width == 20)
    #expect(throws: RegionError.self) { try self.decoder(bytes, limits: DecodeLimits(pixels: 799)) }
    #expect(throws: RegionError.self) { try self.decoder(bytes, limits: DecodeLimits(side: 39)) }
  }

  @Test func memoryIsThatOfAFewRowsAndTheRegion() throws {
    let bytes = LargeFixtures.png(width: 8000, height: 8000, depth: 8, colorType: 2)
    let decoder = try decoder(bytes)
    let tile = ImageRegion(reduction: 8, x: 100, y: 100, width: 260, height: 260)

    #expect(decoder.retainedBytes < 4 << 20)
    #expect(ImageCodecs().memoryForRegions(of: EncodedBytes(bytes)) >= decoder.retainedBytes)
    #expect(decoder.memoryNeeded(for: tile) > tile.byteCount)
    #expect(decoder.memoryNeeded(for: tile) < 1 << 20)
  }

  @Test func cancellationStopsOpeningAndARegion() throws {
    let bytes = Case().bytes
    let cancelled = DecodeCancellation { true }

    #expect(throws: RegionError.self) {
      try ImageCodecs().regionDecoder(
        for: EncodedBytes(bytes), options: DecodeOptions(), cancellation: cancelled)
    }
    let decoder = try decoder(bytes)
    for y in [0, 30] {
      #expect(throws: ImageError.cancelled) {
        try decoder.decode(
          ImageRegion(reduction: 1, x: 0, y: y, width: 10, height: 10), cancellation: cancelled)
      }
    }
  }
}
