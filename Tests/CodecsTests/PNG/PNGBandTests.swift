import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineCodecs
@testable import VitrineLoading

/// Tiles of PNGs that are decoded together, compared with tiles that are decoded alone.
@Suite(.timeLimit(.minutes(5))) struct PNGBandTests {
  typealias Case = PNGRegionTests.Case

  static let narrow = [(700, 1), (1, 700), (98, 97), (97, 98)].map { Case(width: $0.0, height: $0.1) }

  private func decoder(_ bytes: [UInt8]) throws(RegionError) -> any ImageRegionDecoder {
    try decoder(EncodedBytes(bytes))
  }

  private func decoder(_ bytes: EncodedBytes) throws(RegionError) -> any ImageRegionDecoder {
    try ImageCodecs().regionDecoder(for: bytes, options: DecodeOptions(), cancellation: .never)
  }

  /// Returns all tiles of an image, which overlap by four pixels, from top to bottom.
  private func tiles(of layout: RegionLayout, _ reduction: Int, side: Int) -> [ImageRegion] {
    let size = layout.size(reducedBy: reduction)
    return stride(from: 0, to: size.height, by: side).flatMap { y in
      stride(from: 0, to: size.width, by: side).map { x in
        let (left, top) = (max(0, x - 2), max(0, y - 2))
        return ImageRegion(
          reduction: reduction, x: left, y: top, width: min(size.width, x + side + 2) - left,
          height: min(size.height, y + side + 2) - top)
      }
    }
  }

  /// Returns the bands in which tiles are decoded that are requested at once.
  private func bands(_ tiles: [ImageRegion], of decoder: any ImageRegionDecoder) throws -> [RegionBand] {
    var queue = RegionQueue()
    for tile in tiles { _ = queue.add(tile, rows: try #require(decoder.rows(of: tile)), priority: .high) }
    var bands: [RegionBand] = []
    while let job = queue.next() {
      bands.append(job.band)
      _ = queue.end(job.number)
    }
    return bands
  }

  @Test(arguments: Case.all + Case.sizes + Case.orientations + narrow, ImageRegion.reductions)
  func tilesOfABandHaveThePixelsOfTilesAlone(_ png: Case, reduction: Int) throws {
    let bytes = png.bytes
    let (together, alone) = (try decoder(bytes), try decoder(bytes))
    let layout = together.layout
    var generator = SplitMix(state: UInt64(reduction))
    let tiles = tiles(of: layout, reduction, side: png.width > 1000 || png.height > 1000 ? 997 : 13)
      .shuffled(using: &generator)

    let bands = try bands(tiles, of: together)

    #expect(bands.count == Set(tiles.map { together.rows(of: $0) }).count, "a band for the same rows")
    #expect(Set(bands.flatMap(\.regions)) == Set(tiles))
    for band in bands {
      let bitmaps = band.bitmaps(of: try together.decode(band.whole, cancellation: .never))
      #expect(bitmaps.count == band.regions.count)
      for (region, bitmap) in zip(band.regions, bitmaps) {
        let expected = try alone.decode(region, cancellation: .never)
        #expect(bitmap.hasPixels(of: expected) && bitmap.isOpaque == expected.isOpaque, "\(region)")
      }
    }
  }

  @Test func opaqueTilesOfATransparentImageAreOpaque() throws {
    let fixture = PNGFixture(width: 40, height: 20) { x, y in [x, y, 3, x < 20 ? 255 : 100] }
    let decoder = try decoder(fixture.bytes)
    var band = RegionBand(ImageRegion(reduction: 1, x: 0, y: 0, width: 20, height: 20))
    let isAdded = band.add(
      ImageRegion(reduction: 1, x: 18, y: 0, width: 22, height: 20), byteLimit: 1 << 20)

    let bitmaps = band.bitmaps(of: try decoder.decode(band.whole, cancellation: .never))

    #expect(isAdded)
    #expect(bitmaps.map(\.isOpaque) == [true, false])
  }

  @Test func rowsAreThoseOfTheStoredImage() throws {
    let upright = try decoder(Case(width: 40, height: 60).bytes)
    let turned = try decoder(Case(width: 40, height: 60, orientation: 6).bytes)
    let tile = ImageRegion(reduction: 4, x: 2, y: 3, width: 5, height: 6)

    #expect(upright.rows(of: tile) == 12..<36)
    #expect(turned.rows(of: tile) == 32..<52, "the columns of the turned image, from the right")
    #expect(upright.rows(of: ImageRegion(reduction: 8, x: 0, y: 7, width: 1, height: 1)) == 56..<60)
    #expect(upright.rows(of: ImageRegion(reduction: 1, x: 0, y: 60, width: 1, height: 1)) == nil)
    let jpeg = try ImageCodecs().regionDecoder(
      for: EncodedBytes(JPEGRegionTests.Case(width: 64, height: 48).fixture.bytes), options: DecodeOptions(),
      cancellation: .never)
    #expect(jpeg.rows(of: ImageRegion(reduction: 1, x: 0, y: 0, width: 8, height: 8)) == nil)
  }

  /// Returns a file of 600 x 2000 pixels. It has 3.6 MB of noise, so that no points are kept except those near the ends of
  /// bands.
  private func noise() -> CountedBytes {
    var noise = SplitMix(state: 1)
    return CountedBytes(
      LargeFixtures.filteredPNG(width: 600, height: 2000) { _, _ in UInt8(truncatingIfNeeded: noise.next()) })
  }

  @Test(arguments: [1, 4])
  func tilesOfAScreenTakeOnePassOverTheFile(reduction: Int) throws {
    let bytes = noise()
    let decoder = try decoder(bytes.encoded)
    let tiles = tiles(of: decoder.layout, reduction, side: 500 / reduction)
    let bands = try bands(tiles.reversed(), of: decoder)
    bytes.reset()

    for band in bands { _ = try decoder.decode(band.whole, cancellation: .never) }

    #expect(bands.count == 4)
    #expect(Double(bytes.readCount) < 1.15 * Double(bytes.byteCount))
  }

  @Test func secondBandOfTheSameRowsReadsOnlyThem() throws {
    let bytes = noise()
    let decoder = try decoder(bytes.encoded)
    bytes.reset()

    for y in stride(from: 0, to: 2000, by: 500) {
      for x in [0, 300] {
        let region = ImageRegion(reduction: 1, x: x, y: y, width: 300, height: 500)
        _ = try decoder.decode(region, cancellation: .never)
      }
    }

    #expect(Double(bytes.readCount) < 2.3 * Double(bytes.byteCount))
  }

  @Test func tilesAboveDamageAreDecodedAndOthersFail() throws {
    var bytes = Case(width: 400, height: 400).bytes
    bytes[bytes.count * 5 / 8] ^= 0x40
    let (together, alone) = (try decoder(bytes), try decoder(bytes))
    let bands = try bands(tiles(of: together.layout, 1, side: 60), of: together)

    let results = try bands.map { band in
      let bitmap = try? together.decode(band.whole, cancellation: .never)
      for (index, region) in band.regions.enumerated() {
        let expected = try? alone.decode(region, cancellation: .never)
        #expect((bitmap == nil) == (expected == nil), "\(region)")
        guard let bitmap, let expected else { continue }
        try #require(band.bitmaps(of: bitmap).count == band.regions.count)
        #expect(band.bitmaps(of: bitmap)[index].hasPixels(of: expected), "\(region)")
      }
      return bitmap != nil
    }

    #expect(results.first == true && results.last == false)
    #expect(results == results.sorted { $0 && !$1 }, "no tiles after the damage")
  }

  @Test func bandIsRightAfterOneThatWasCancelled() throws {
    let bytes = Case(width: 400, height: 400).bytes
    let whole = try decode(bytes).bitmap
    let decoder = try decoder(bytes)
    let bands = try bands(tiles(of: decoder.layout, 1, side: 100), of: decoder)

    for checks in 0..<6 {
      for band in bands {
        let count = Count()
        let cancellation = DecodeCancellation {
          count.add(1)
          return count.value > checks
        }
        #expect(throws: ImageError.cancelled) { try decoder.decode(band.whole, cancellation: cancellation) }
      }
    }
    for band in bands.reversed() {
      let bitmap = try decoder.decode(band.whole, cancellation: .never)
      let rect = Rect(
        x: Double(band.whole.x), y: Double(band.whole.y), width: Double(band.whole.width),
        height: Double(band.whole.height))
      #expect(bitmap.hasPixels(of: whole.cropped(to: rect)))
    }
  }
}

/// A number that only grows.
private final class Count: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add(_ number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
}
