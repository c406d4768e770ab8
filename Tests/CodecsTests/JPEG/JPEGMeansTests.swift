import CCodecs
import JPEGOracle
import Synchronization
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Images at an eighth or a quarter of their size, made of the means of blocks and of quarters of blocks.
@Suite struct JPEGMeansTests {
  private struct Case: CustomTestStringConvertible {
    var width: Int
    var height: Int
    var model = JPEGFixture.Model.rgb
    var subsamples = false
    var restartInterval: UInt32 = 0
    var quality: Int32 = 95
    var isProgressive = false
    var script: [jpeg_scan_info]?

    var testDescription: String {
      "\(width)x\(height) \(model)\(subsamples ? " 4:2:0" : "") restart \(restartInterval) quality \(quality)"
        + (isProgressive ? " progressive, \(script?.count ?? 10) scans" : "")
    }

    /// A file with edges, slopes and noise.
    var bytes: [UInt8] {
      var fixture = JPEGFixture.edgesAndNoise(width: width, height: height, model)
      fixture.subsamples = subsamples
      fixture.restartInterval = restartInterval
      fixture.quality = quality
      fixture.isProgressive = isProgressive
      fixture.script = script
      return fixture.bytes
    }
  }

  /// Calls `body` with the means of a file that are needed for a target; nil for a file that is left to libjpeg.
  private func withImage<Result>(
    _ bytes: [UInt8], target: Int = 1, _ body: (JPEGMeans?, DecodePlan) throws -> Result
  ) throws -> Result {
    try withImage(bytes, target: DecodeTarget(width: target, height: target, mode: .fit), body)
  }

  private func withImage<Result>(
    _ bytes: [UInt8], target: DecodeTarget, _ body: (JPEGMeans?, DecodePlan) throws -> Result
  ) throws -> Result {
    guard let header = JPEGHeader(bytes), header.isPlausible(byteCount: bytes.count) else {
      throw ImageError.decoding(.jpeg, message: "no header")
    }
    let plan = try DecodePlan(
      format: .jpeg, stored: header.size, orientation: .up, options: DecodeOptions(target: target))
    return try body(try JPEGMeans(header, of: bytes, for: plan), plan)
  }

  /// Returns the pixels and the size that libjpeg decodes for a plan.
  private func imageOfLibjpeg(
    _ bytes: [UInt8], _ plan: DecodePlan
  ) throws -> (pixels: [UInt8], size: PixelSize) {
    let header = try #require(JPEGHeader(bytes))
    return try bytes.withUnsafeBufferPointer { buffer in
      let reader = try JPEGReader(buffer, limits: DecodeLimits())
      let source = try reader.start(for: plan, header: header)
      var pixels = [UInt8](repeating: 0, count: source.size.width * source.size.height * 4)
      let count = try pixels.withUnsafeMutableBytes {
        try reader.read($0.baseAddress!, count: source.size.height)
      }
      return (Array(pixels.prefix(count * source.size.width * 4)), source.size)
    }
  }

  /// Compares means with the coefficients that libjpeg reads. For quarters, the factors of the inverse DCT are rounded,
  /// so that a mean may be off by one.
  private func expectMeansOfLibjpeg(_ bytes: [UInt8], _ image: JPEGMeans, _ comment: Comment = "") {
    for index in 0..<image.planeCount {
      #expect(hasMeansOfLibjpeg(bytes, image, index) == true, "component \(index) \(comment)")
    }
  }

  /// Returns `nil` if libjpeg does not read the coefficients of a component.
  private func hasMeansOfLibjpeg(_ bytes: [UInt8], _ image: JPEGMeans, _ component: Int) -> Bool? {
    let plane = image.plane(component)
    var samples = [UInt8](repeating: 0, count: plane.samples.count)
    guard
      jpeg_oracle_read_means(
        bytes, bytes.count, Int32(component), Int32(image.meansPerSide), &samples, plane.width, plane.width,
        plane.height)
    else { return nil }
    let tolerance = image.meansPerSide == 1 ? 0 : 1
    return zip(plane.samples, samples).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
  }

  private static let cases: [Case] = {
    var cases: [Case] = []
    for (width, height) in [(32, 32), (33, 47), (128, 96), (255, 129), (640, 360)] {
      for quality in [30, 75, 95, 100] as [Int32] {
        for subsamples in [false, true] {
          cases.append(Case(width: width, height: height, subsamples: subsamples, quality: quality))
        }
        cases.append(Case(width: width, height: height, model: .gray, quality: quality))
      }
      for interval in [1, 3, 17] as [UInt32] {
        cases.append(Case(width: width, height: height, subsamples: true, restartInterval: interval))
        cases.append(Case(width: width, height: height, model: .gray, restartInterval: interval))
      }
    }
    for var file in cases where file.width != 640 {
      file.isProgressive = true
      cases.append(file)
    }
    return cases
  }()

  /// Progressive images with other scans of DC coefficients than the usual two.
  private static let scripts: [Case] = {
    func scan(_ components: [Int32], _ first: Int32, _ last: Int32, _ before: Int32, _ after: Int32)
      -> jpeg_scan_info
    {
      let indices = components + Array(repeating: 0, count: 4 - components.count)
      return jpeg_scan_info(
        comps_in_scan: Int32(components.count),
        component_index: (indices[0], indices[1], indices[2], indices[3]),
        Ss: first, Se: last, Ah: before, Al: after)
    }
    let all: [Int32] = [0, 1, 2]
    let others = all.map { scan([$0], 1, 63, 0, 0) }
    let scripts = [
      [scan(all, 0, 0, 0, 0)] + others,
      [scan(all, 0, 0, 0, 3)] + others + (0..<3).map { scan(all, 0, 0, 3 - $0, 2 - $0) },
      [scan(all, 0, 0, 0, 1)] + others + all.reversed().map { scan([$0], 0, 0, 1, 0) },
      // The last bits never come.
      [scan(all, 0, 0, 0, 2), scan([1], 0, 0, 2, 1)] + others,
    ]
    return scripts.flatMap { script in
      [false, true].map { subsamples in
        Case(
          width: 97, height: 61, subsamples: subsamples, restartInterval: subsamples ? 2 : 0,
          isProgressive: true, script: script)
      }
    }
  }()

  @Test(arguments: cases + scripts)
  private func meansEqualTheCoefficientsOfLibjpeg(_ file: Case) throws {
    let bytes = file.bytes

    try withImage(bytes) { image, _ in
      let image = try #require(image)
      let plane = image.plane(0)
      #expect(plane.width == (file.width + 7) / 8 && plane.height == (file.height + 7) / 8)
      expectMeansOfLibjpeg(bytes, image)
    }
  }

  /// The target has an eighth of the size, for which quarters of blocks are needed.
  @Test(arguments: cases.filter { !$0.isProgressive && $0.width >= 128 })
  private func meansOfQuartersAreThoseOfTheCoefficientsOfLibjpeg(_ file: Case) throws {
    let bytes = file.bytes

    try withImage(bytes, target: file.width / 8) { image, _ in
      let image = try #require(image)
      let plane = image.plane(0)
      #expect(image.meansPerSide == 2)
      #expect(plane.width == (file.width + 3) / 4 && plane.height == (file.height + 3) / 4)
      expectMeansOfLibjpeg(bytes, image)
    }
  }

  private static let thumbnails = [10, 11, 13, 17, 20, 21, 27, 33, 40].flatMap { side in
    [(false, false), (false, true), (true, false)].map { (side, $0.0, $0.1) }
  }

  /// The reference scales all pixels by area. Scaling the smaller image of libjpeg by area is less exact.
  @Test(arguments: thumbnails)
  private func thumbnailIsNearToTheMeansOfAllPixels(
    side: Int, isGray: Bool, subsamples: Bool
  ) throws {
    let source = PixelSize(width: 320, height: 240)
    var fixture = JPEGFixture(width: source.width, height: source.height) { x, y in
      let isInside = (x - 120) * (x - 120) + (y - 100) * (y - 100) < 8100
      return Color(
        red: UInt8(x * 255 / 320), green: isInside ? 200 : UInt8(y), blue: isGray || !isInside ? 60 : 190)
    }
    if isGray {
      fixture.model = .gray
      fixture.samples = { x, y in [(x - 120) * (x - 120) + (y - 100) * (y - 100) < 8100 ? 210 : UInt8(y)] }
    }
    fixture.subsamples = subsamples
    let bytes = fixture.bytes
    let target = DecodeTarget(width: side, height: side, mode: .fit)

    let thumbnail = try decode(bytes, to: target)

    let whole = try decode(bytes)
    var isSuited = false
    let libjpeg = try withImage(bytes, target: target) { image, plan in
      isSuited = image != nil
      let (pixels, size) = try imageOfLibjpeg(bytes, plan)
      return try scaled(pixels, size, plan)
    }
    let exact = try scaled(
      whole.bitmap.withUnsafeBytes { Array($0) }, source,
      DecodePlan(
        format: .jpeg, stored: source, orientation: .up, options: DecodeOptions(target: target)))
    let own = thumbnail.bitmap.withUnsafeBytes { Array($0) }
    #expect(isSuited && own.count == exact.count)
    // libjpeg takes more coefficients of subsampled colors.
    if !subsamples { #expect(error(own, exact) < max(error(libjpeg, exact), 0.1), "0.1 is rounding") }
    #expect(error(own, exact) < 4, "42 dB")
  }

  /// Scales pixels by area.
  private func scaled(_ pixels: [UInt8], _ size: PixelSize, _ plan: DecodePlan) throws -> [UInt8] {
    var read = 0
    let bitmap = try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
      try canvas.draw(Canvas.Source(size, hasAlpha: false)) { rows, count in
        let byteCount = count * size.width * 4
        pixels.withUnsafeBytes { rows.copyMemory(from: $0.baseAddress! + read, byteCount: byteCount) }
        read += byteCount
      }
    }
    return bitmap.withUnsafeBytes { Array($0) }
  }

  /// The mean squared difference of the bytes.
  private func error(_ one: [UInt8], _ other: [UInt8]) -> Double {
    let sum = zip(one, other).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }
    return sum / Double(max(1, one.count))
  }

  /// The colors of a flat image are those of libjpeg, at every size, and at the edges.
  @Test(arguments: [1, 2, 5, 12, 13, 25]) func flatImageStaysFlat(side: Int) throws {
    var fixture = JPEGFixture(width: 203, height: 149) { _, _ in Color(red: 250, green: 3, blue: 120) }
    fixture.subsamples = true
    let bytes = fixture.bytes

    let thumbnail = try decode(bytes, to: DecodeTarget(width: side, height: side, mode: .fit))

    let expected = try decode(bytes).bitmap.withUnsafeBytes { Array($0.prefix(4)) }
    let pixels = thumbnail.bitmap.withUnsafeBytes { Array($0) }
    #expect(thumbnail.bitmap.width == side && !pixels.isEmpty)
    for (index, byte) in pixels.enumerated() { #expect(abs(Int(byte) - Int(expected[index % 4])) <= 1) }
  }

  @Test func unusualFilesAreLeftToLibjpeg() throws {
    func isLeft(_ change: (inout JPEGFixture) -> Void) throws -> Bool {
      var fixture = JPEGFixture(width: 64, height: 64) { x, _ in x < 32 ? .pureRed : .white }
      change(&fixture)
      return try withImage(fixture.bytes) { image, _ in image == nil }
    }

    #expect(try !isLeft { _ in })
    #expect(try !isLeft { $0.isProgressive = true })
    #expect(try isLeft { $0.isArithmetic = true })
    #expect(
      try isLeft {
        $0.isProgressive = true
        $0.isArithmetic = true
      })
    #expect(try isLeft { $0.isInterleaved = false })
    for model in [JPEGFixture.Model.cmyk, .ycck] {
      #expect(
        try isLeft {
          $0.model = model
          $0.samples = { _, _ in [1, 2, 3, 4] }
        })
    }
  }

  @Test func largerScalesAreLeftToLibjpeg() throws {
    let bytes = Case(width: 320, height: 320).bytes

    for bytes in [bytes, Case(width: 320, height: 320, subsamples: true).bytes] {
      #expect(try withImage(bytes, target: 20) { image, _ in image?.meansPerSide } == 1)
      #expect(try withImage(bytes, target: 21) { image, _ in image?.meansPerSide } == 2)
      #expect(try withImage(bytes, target: 40) { image, _ in image?.meansPerSide } == 2)
      #expect(try withImage(bytes, target: 41) { image, _ in image == nil })
    }
    let progressive = Case(width: 320, height: 320, isProgressive: true).bytes
    #expect(try withImage(progressive, target: 20) { image, _ in image?.meansPerSide } == 1)
    #expect(try withImage(progressive, target: 21) { image, _ in image == nil })
  }

  @Test(arguments: [false, true], [(1, false), (1, true), (5, false)])
  private func truncatedFilesAreLeftToLibjpeg(subsamples: Bool, file: (target: Int, isProgressive: Bool))
    throws
  {
    let bytes = Case(
      width: 48, height: 40, subsamples: subsamples, restartInterval: 2, isProgressive: file.isProgressive
    ).bytes
    let start = try #require(JPEGSegments(bytes).first { $0.marker == JPEGSegments.startOfScan }).payload
      .endIndex

    for count in start..<bytes.count - 4 {
      let left = try withImage(Array(bytes.prefix(count)), target: file.target) { image, _ in image == nil }
      #expect(left, "\(count) of \(bytes.count) bytes")
    }
  }

  /// A damaged file is left to libjpeg, or the damage is one that libjpeg does not notice either.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7], [1, 4])
  private func damagedFilesAreLeftToLibjpegOrReadInTheSameWay(bit: Int, target: Int) throws {
    for file in [
      Case(width: 40, height: 24), Case(width: 40, height: 40, model: .gray, restartInterval: 3),
      Case(width: 33, height: 40, subsamples: true),
    ] {
      let bytes = file.bytes
      for index in bytes.indices.dropFirst(2) {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        // A header that is refused or describes a large image says nothing about the scan.
        _ = try? withImage(damaged, target: target) { image, plan in
          guard let image, plan.stored.width * plan.stored.height <= 1 << 16 else { return }
          #expect((try? imageOfLibjpeg(damaged, plan)) != nil, "byte \(index) of \(file)")
          // To read coefficients, libjpeg also needs the end of the file.
          expectMeansOfLibjpeg(damaged.dropLast(2) + bytes.suffix(2), image, "byte \(index) of \(file)")
        }
      }
    }
  }

  /// Damage to AC coefficients is not noticed.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
  private func damagedProgressiveFilesAreLeftToLibjpegOrReadInTheSameWay(bit: Int) throws {
    for file in [
      Case(width: 40, height: 24, isProgressive: true),
      Case(width: 33, height: 40, subsamples: true, restartInterval: 3, isProgressive: true),
    ] {
      let bytes = file.bytes
      for index in bytes.indices.dropFirst(2) {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        _ = try? withImage(damaged) { image, plan in
          guard let image, plan.stored.width * plan.stored.height <= 1 << 16 else { return }
          for component in 0..<image.planeCount {
            #expect(hasMeansOfLibjpeg(damaged, image, component) != false, "byte \(index) of \(file)")
          }
        }
      }
    }
  }

  @Test(
    "a thumbnail of a progressive image equals that of the same coefficients in one scan", arguments: [8, 20])
  func thumbnailOfAProgressiveImage(side: Int) throws {
    var fixture = JPEGFixture(width: 400, height: 320, color: patternColor)
    fixture.subsamples = true
    let target = DecodeTarget(width: side, height: side, mode: .fit)
    let sequential = try decode(fixture.bytes, to: target).bitmap.withUnsafeBytes { Array($0) }
    fixture.isProgressive = true
    fixture.exif = exif(orientation: 1)

    let progressive = try decode(fixture.bytes, to: target).bitmap.withUnsafeBytes { Array($0) }

    #expect(progressive == sequential)
  }

  /// Cancels while each of the scans is read; a progressive image has a second one with more bits.
  @Test(arguments: [(false, 1), (false, 2), (true, 1), (true, 3)])
  private func readingIsCancelled(isProgressive: Bool, check: Int) throws {
    let bytes = Case(width: 128, height: 128, isProgressive: isProgressive).bytes
    let header = try #require(JPEGHeader(bytes))
    var plan = try DecodePlan(
      format: .jpeg, stored: header.size, orientation: .up,
      options: DecodeOptions(target: DecodeTarget(width: 1, height: 1)))
    let checks = Mutex(0)
    plan.cancellation = DecodeCancellation {
      checks.withLock {
        $0 += 1
        return $0 >= check
      }
    }

    #expect(throws: ImageError.cancelled) { try JPEGMeans(header, of: bytes, for: plan) }
    #expect(checks.withLock { $0 } == check)
  }

  @Test func cancelledDecodeEndsWithTheRowOfBlocks() throws {
    let bytes = Case(width: 64, height: 64).bytes
    let cancellation = DecodeCancellation { true }

    #expect(throws: ImageError.cancelled) {
      try JPEGDecoder.decode(
        bytes, options: DecodeOptions(target: DecodeTarget(width: 2, height: 2)), cancellation: cancellation)
    }
  }
}
