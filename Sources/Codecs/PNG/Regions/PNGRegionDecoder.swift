import VitrineGraphics
import VitrineLoading

/// Decodes parts of a PNG that is not interlaced. The rows above a region are decompressed, from the nearest place that
/// was passed before, but not converted; the rows below are not read. Damage is found when a region reaches it.
///
/// Regions of the same rows take hardly more time together than one of them: they are decoded as one region.
///
/// Unchecked: the conversion of colors keeps no state between two calls.
final class PNGRegionDecoder: ImageRegionDecoder, @unchecked Sendable {
  /// The number of rows, in pixels of the scaled image, from the end of a region to the place where the next region
  /// goes on. Must exceed the rows that two tiles share (4).
  private static let rowsKept = 8

  let layout: RegionLayout
  let format = ImageFormat.png
  private let outline: PNGOutline
  private let rows: PNGRows
  private let rowLayout: PNGRowReader.Layout
  private let orientation: Orientation
  private let pixelFormat: PixelFormat
  private let limits: DecodeLimits
  private let colors: ColorConversion?

  /// Reads the chunks of the file except the pixels. Throws `.notSupported` for an interlaced or animated image.
  init(
    _ bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) {
    let outline = try PNGOutline(bytes)
    let structure = outline.structure
    do throws(ImageError) {
      try cancellation.check()
      let options = DecodeOptions(pixelFormat: options.pixelFormat, limits: options.limits)
      var plan = try DecodePlan(
        format: .png, stored: structure.size, orientation: structure.orientation, options: options)
      try plan.checkPassingPixels()
      guard structure.isPlausible else { throw .decoding(.png, message: "the pixels end early") }
      plan.convertColors(of: structure.colorModel, with: structure.profile)
      colors = plan.colors
    } catch {
      throw .image(error)
    }
    self.outline = outline
    orientation = structure.orientation
    pixelFormat = options.pixelFormat
    limits = options.limits
    layout = orientation.layout(of: structure.size)
    rowLayout = PNGRowReader.Layout(width: structure.size.width, bitsPerPixel: structure.bitsPerPixel)
    rows = PNGRows(bytes, rowLayout, height: structure.size.height, dataOffset: outline.dataOffset)
  }

  /// Returns the peak number of bytes of creating a decoder, including what it keeps; 0 for an image that is decoded
  /// only as a whole.
  static func memory(_ bytes: EncodedBytes) -> Int {
    guard let outline = try? PNGOutline(bytes), outline.structure.isPlausible else { return 0 }
    let size = outline.structure.size
    return retainedBytes(
      outline, PNGRowReader.Layout(width: size.width, bitsPerPixel: outline.structure.bitsPerPixel))
  }

  var retainedBytes: Int { Self.retainedBytes(outline, rowLayout) }

  private static func retainedBytes(_ outline: PNGOutline, _ rows: PNGRowReader.Layout) -> Int {
    ByteCount.sum(
      outline.byteCount, PNGRows.pointBytes(rows, height: outline.structure.size.height),
      ICCProfile.conversionBytes(outline.structure.profileBytes))
  }

  func rows(of region: ImageRegion) -> Range<Int>? {
    layout.contains(region) ? Part(region, of: self).rows : nil
  }

  func memoryNeeded(for region: ImageRegion) -> Int {
    guard layout.contains(region) else { return 0 }
    let part = Part(region, of: self)
    let source = part.source
    let strip = min(source.size.height, Canvas.stripHeight)
    return ByteCount.sum(
      rowLayout.readerBytes,
      PNGStrip.byteCount(
        width: source.size.width, bitsPerPixel: outline.structure.bitsPerPixel, rows: strip,
        palette: outline.palette.count),
      ByteCount.product(source.bytesPerRow, strip), ByteCount.product(source.size.width, 24),
      ByteCount.product(part.area.width, 48), outline.structure.codecBytes(width: source.size.width),
      // The decoder, and a place that is kept before an older one is released.
      2 * Inflater.byteCount, rowLayout.rowBytes, PNGFilter.padding, region.byteCount)
  }

  func decode(_ region: ImageRegion, cancellation: DecodeCancellation) throws(ImageError) -> Bitmap {
    guard layout.contains(region) else { throw .decoding(.png, message: "a region outside of the image") }
    let part = Part(region, of: self)
    var plan = try DecodePlan(
      format: .png, stored: PixelSize(width: part.area.width, height: part.area.height),
      orientation: orientation,
      options: DecodeOptions(pixelFormat: pixelFormat, limits: .init(pixels: limits.pixels)))
    try plan.checkPixels(holdsSource: false)
    plan.cancellation = cancellation
    plan.convertColors(by: colors)
    let kept = part.rows.upperBound - Self.rowsKept * region.reduction
    let reader = try rows.reader(at: part.rows.lowerBound, cancellation: cancellation)
    var strip = PNGStrip(outline, columns: part.columns)
    let source = part.source
    let format = source.swapsRedAndBlue ? .rgba : pixelFormat
    return try plan.bitmap(hasAlpha: source.hasAlpha) { (canvas) throws(ImageError) in
      try canvas.draw(source) { (pixels, count) throws(ImageError) in
        strip.begin(count)
        for _ in 0..<count { strip.add(try rows.next(reader, endPoint: kept)) }
        try strip.convert(count: count, to: pixels, format: format, bytesPerPixel: source.bytesPerPixel)
      }
    }
  }

  /// The part of the image as stored that a region shows.
  private struct Part {
    /// The area of the scaled image as stored.
    let area: PixelArea
    /// The columns and rows of the image.
    let columns, rows: Range<Int>
    /// The form in which the part is decoded.
    let source: Canvas.Source

    init(_ region: ImageRegion, of decoder: PNGRegionDecoder) {
      let structure = decoder.outline.structure
      area = decoder.orientation.stored(region, of: decoder.layout)
      // Less than a whole pixel of the scaled image at the last column and row.
      func range(_ start: Int, _ length: Int, _ limit: Int) -> Range<Int> {
        let first = start * region.reduction
        return first..<max(first, min(limit, first + length * region.reduction))
      }
      columns = range(area.x, area.width, structure.size.width)
      rows = range(area.y, area.height, structure.size.height)
      let size = PixelSize(width: columns.count, height: rows.count)
      let isScaled = size != PixelSize(width: area.width, height: area.height)
      var source = PNGDecoder.source(size, structure, scaledTo: isScaled ? decoder.pixelFormat : nil)
      source.isTile = true
      source.extent = (Double(area.width * region.reduction), Double(area.height * region.reduction))
      self.source = source
    }
  }
}
