import VitrineGraphics
import VitrineLoading

/// Decodes parts of a baseline JPEG: the MCUs that a region touches are copied into a JPEG of their own, which libjpeg
/// decodes.
///
/// Unchecked: the conversion of colors keeps no state between two calls.
final class JPEGRegionDecoder: ImageRegionDecoder, @unchecked Sendable {
  /// The number of bytes in which the header is looked for: the limit of a color profile, as much again for metadata.
  private static let largestHeader = 8 << 20
  /// The number of rows that are decoded at a time.
  private static let rowsAtOnce = Canvas.stripHeight

  let layout: RegionLayout
  let format = ImageFormat.jpeg
  private let index: JPEGIndex
  private let header: JPEGHeader
  private let orientation: Orientation
  private let pixelFormat: PixelFormat
  private let limits: DecodeLimits
  private let colors: ColorConversion?
  private let profileBytes: Int

  /// Reads all of the image once. Throws `.notSupported` for anything but a baseline JPEG with one scan, and one or
  /// three components.
  init(
    _ bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) {
    guard let (header, start) = Self.header(of: bytes) else { throw .notSupported }
    let segments = JPEGSegments(start)
    let opened: (index: JPEGIndex?, colors: ColorConversion?, size: PixelSize)
    do throws(ImageError) {
      opened = try start.withUnsafeBufferPointer { (buffer) throws(ImageError) in
        let reader = try JPEGReader(buffer, limits: options.limits)
        var plan = try DecodePlan(
          format: .jpeg, stored: reader.size, orientation: segments.orientation, options: options)
        guard header.isPlausible(byteCount: bytes.count) else {
          throw .decoding(.jpeg, message: "the pixels end early")
        }
        plan.convertColors(of: reader.colorModel, with: segments.profile)
        let index = try JPEGIndex(start: buffer, of: bytes, cancellation: cancellation)
        return (index, plan.colors, plan.stored)
      }
    } catch {
      throw .image(error)
    }
    guard let index = opened.index else { throw .notSupported }
    self.index = index
    self.header = header
    colors = opened.colors
    orientation = segments.orientation
    pixelFormat = options.pixelFormat
    limits = options.limits
    profileBytes = header.profileBytes
    layout = orientation.layout(of: opened.size)
  }

  /// Reads the bytes up to the first scan; `nil` if they do not hold the header of an image with one sequential scan.
  private static func header(of bytes: EncodedBytes) -> (JPEGHeader, [UInt8])? {
    var length = 64 << 10
    while true {
      let start = bytes.prefix(length)
      if let header = JPEGHeader(start) {
        return header.isSequential && !header.hasMultipleScans ? (header, start) : nil
      }
      guard start.count == length, length < min(bytes.count, largestHeader) else { return nil }
      length *= 4
    }
  }

  /// Returns the peak number of bytes of creating a decoder; 0 for an image that is decoded only as a whole.
  static func memory(_ bytes: EncodedBytes) -> Int {
    guard let (header, start) = header(of: bytes) else { return 0 }
    return ByteCount.sum(
      JPEGIndex.bytes(of: header), start.count, ICCProfile.conversionBytes(header.profileBytes),
      header.codecBytes(eighths: 8))
  }

  var retainedBytes: Int { ByteCount.sum(index.byteCount, ICCProfile.conversionBytes(profileBytes)) }

  /// No rows: each region is decoded alone.
  func rows(of region: ImageRegion) -> Range<Int>? { nil }

  func memoryNeeded(for region: ImageRegion) -> Int {
    guard layout.contains(region) else { return 0 }
    let part = Part(orientation.stored(region, of: layout), region.reduction, index)
    let rows = ByteCount.product(part.size.width, PixelFormat.bytesPerPixel, Self.rowsAtOnce)
    return ByteCount.sum(
      index.partBytes(part.mcus), JPEGIndex.scanBytes, rows, region.byteCount,
      header.resized(to: part.size).codecBytes(eighths: 8))
  }

  func decode(_ region: ImageRegion, cancellation: DecodeCancellation) throws(ImageError) -> Bitmap {
    guard layout.contains(region) else { throw .decoding(.jpeg, message: "a region outside of the image") }
    let area = orientation.stored(region, of: layout)
    let part = Part(area, region.reduction, index)
    var plan = try DecodePlan(
      format: .jpeg, stored: PixelSize(width: area.width, height: area.height), orientation: orientation,
      options: DecodeOptions(pixelFormat: pixelFormat, limits: .init(pixels: limits.pixels)))
    try plan.checkPixels(holdsSource: false)
    plan.cancellation = cancellation
    plan.convertColors(by: colors)
    return try index.withPart(part.mcus, cancellation: cancellation) { (bytes) throws(ImageError) in
      let reader = try JPEGReader(bytes, limits: limits)
      reader.cancellation = cancellation
      let size = try reader.start(eighths: 8 / region.reduction, as: pixelFormat, memory: 1 << 20)
      return try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
        try Self.draw(reader, size, from: part.origin, on: canvas)
      }
    }
  }

  /// Copies the pixels from a place on that a canvas has room for.
  private static func draw(
    _ reader: JPEGReader, _ size: PixelSize, from origin: (x: Int, y: Int), on canvas: Canvas
  ) throws(ImageError) {
    guard origin.x + canvas.size.width <= size.width, origin.y + canvas.size.height <= size.height else {
      throw .decoding(.jpeg, message: "a part of another size")
    }
    let bytesPerRow = size.width * PixelFormat.bytesPerPixel
    let rows = PixelBuffer(byteCount: bytesPerRow * rowsAtOnce, isZeroed: false)
    defer { withExtendedLifetime(rows) {} }
    guard let first = rows.bytes.baseAddress else { return }
    let shown = origin.y..<(origin.y + canvas.size.height)
    for top in stride(from: 0, to: shown.upperBound, by: rowsAtOnce) {
      try canvas.cancellation.check()
      let count = min(rowsAtOnce, shown.upperBound - top)
      guard try reader.read(first, count: count) == count else {
        throw .decoding(.jpeg, message: "the pixels end early")
      }
      for y in shown.clamped(to: top..<(top + count)) {
        let row = first + (y - top) * bytesPerRow + origin.x * PixelFormat.bytesPerPixel
        canvas.write(row, at: y - origin.y)
      }
    }
  }

  /// The MCUs that are decoded for an area. Chroma is interpolated between neighbors, so that an MCU more is decoded on
  /// each side.
  private struct Part {
    let mcus: PixelArea
    /// The size in pixels of the image.
    let size: PixelSize
    /// The place of the area in the decoded part.
    let origin: (x: Int, y: Int)

    init(_ area: PixelArea, _ reduction: Int, _ index: JPEGIndex) {
      func range(_ start: Int, _ length: Int, _ mcu: Int, _ count: Int) -> Range<Int> {
        let first = max(0, start * reduction / mcu - 1)
        let end = min(count, ((start + length) * reduction + mcu - 1) / mcu + 1)
        return first..<max(first, end)
      }
      let columns = range(area.x, area.width, index.mcuSize.width, index.mcuCount.width)
      let rows = range(area.y, area.height, index.mcuSize.height, index.mcuCount.height)
      mcus = PixelArea(
        x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
      size = PixelSize(
        width: columns.count * index.mcuSize.width, height: rows.count * index.mcuSize.height)
      origin = (
        area.x - columns.lowerBound * index.mcuSize.width / reduction,
        area.y - rows.lowerBound * index.mcuSize.height / reduction
      )
    }
  }
}
