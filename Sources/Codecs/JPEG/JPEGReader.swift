import CCodecs
import VitrineGraphics
import VitrineLoading

/// A libjpeg-turbo decompressor.
final class JPEGReader {
  let handle: UnsafeMutablePointer<vitrine_jpeg>
  /// The byte order of the pixels.
  private var format = PixelFormat.bgra
  /// The conversion from CMYK, if the image has a color profile.
  private var cmykConversion: ColorConversion?
  /// Checked between rows of blocks in each scan.
  var cancellation = DecodeCancellation.never
  /// The maximum number of samples that all scans together may unpack.
  private let sampleLimit: Int

  /// Reads the header. The bytes must outlive the reader.
  init(_ bytes: UnsafeBufferPointer<UInt8>, limits: DecodeLimits) throws(ImageError) {
    guard let handle = vitrine_jpeg_create(Self.scanLimit) else {
      throw .decoding(.jpeg, message: "out of memory")
    }
    self.handle = handle
    sampleLimit = Self.sampleLimit(limits)
    installCancellationCheck()
    guard vitrine_jpeg_open(handle, bytes.baseAddress, bytes.count) else { throw failure }
  }

  /// Creates a reader for an image that is still arriving; see `JPEGReader+Previews.swift`.
  init(limits: DecodeLimits) throws(ImageError) {
    guard let handle = vitrine_jpeg_create(Self.scanLimit) else {
      throw .decoding(.jpeg, message: "out of memory")
    }
    self.handle = handle
    sampleLimit = Self.sampleLimit(limits)
    installCancellationCheck()
    guard vitrine_jpeg_open_in_part(handle) else { throw failure }
  }

  deinit { vitrine_jpeg_close(handle) }

  /// The maximum number of scans, as in libjpeg-turbo's fuzz targets. Progressive encoders write about ten; thousands
  /// of scans would each cost a pass over the image.
  private static let scanLimit: Int32 = 100

  /// Returns sixteen samples for each pixel that the limits allow. A progressive image of three components and the
  /// usual ten scans unpacks fourteen samples per pixel, so an image of the maximum size passes. The bound also limits
  /// the time that a file of a hundred scans can take.
  private static func sampleLimit(_ limits: DecodeLimits) -> Int {
    ByteCount.product(max(0, limits.pixels), 16)
  }

  /// Makes libjpeg check for cancellation. The callback returns before libjpeg calls `longjmp`, so that no jump crosses
  /// Swift frames.
  private func installCancellationCheck() {
    handle.pointee.remaining_samples = UInt64(sampleLimit)
    handle.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    handle.pointee.is_cancelled = { reader in
      guard let reader else { return false }
      return Unmanaged<JPEGReader>.fromOpaque(reader).takeUnretainedValue().cancellation.isCancelled
    }
  }

  /// The size as encoded.
  var size: PixelSize {
    PixelSize(width: Int(handle.pointee.info.image_width), height: Int(handle.pointee.info.image_height))
  }

  /// True if libjpeg keeps the coefficients of the whole image in memory.
  var holdsSource: Bool { handle.pointee.has_multiple_scans }

  /// True if the image uses arithmetic coding.
  var isArithmetic: Bool { handle.pointee.info.arith_code != 0 }

  /// Returns true if libjpeg has read the same size, number of scans, coding and color model.
  func matches(_ header: JPEGHeader) -> Bool {
    size == header.size && holdsSource == header.hasMultipleScans && isArithmetic == header.isArithmetic
      && colorModel == header.colorModel
  }

  /// True if rows are cyan, magenta, yellow and black, which libjpeg does not convert to RGB.
  var isCMYK: Bool {
    let space = handle.pointee.info.jpeg_color_space
    return space == JCS_CMYK || space == JCS_YCCK
  }

  var colorModel: ColorConversion.Model {
    isCMYK ? .cmyk : handle.pointee.info.jpeg_color_space == JCS_GRAYSCALE ? .gray : .rgb
  }

  /// Starts decoding, scaled down as far as quality allows. Returns the form of the decoded image.
  ///
  /// - Parameter header: The header that tells how much memory libjpeg needs; libjpeg gets no more than this.
  func start(for plan: DecodePlan, header: JPEGHeader) throws(ImageError) -> Canvas.Source {
    format = plan.options.pixelFormat
    cmykConversion = isCMYK ? plan.colors : nil
    let eighths = JPEGDecoder.eighths(from: plan.stored, to: plan.scaled)
    let order = isCMYK ? JCS_CMYK : format == .bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA
    let memory = ByteCount.sum(header.codecBytes(eighths: eighths), 1 << 20)
    guard vitrine_jpeg_start(handle, UInt32(eighths), order, memory) else { throw failure }
    return source(outputSize, eighths: eighths)
  }

  /// Starts decoding an image without CMYK at `eighths`/8 of its size. Returns the size of the decoded image.
  ///
  /// - Parameter memory: The number of bytes that libjpeg may take for coefficients.
  func start(eighths: Int, as format: PixelFormat, memory: Int) throws(ImageError) -> PixelSize {
    self.format = format
    let order = format == .bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA
    guard vitrine_jpeg_start(handle, UInt32(eighths), order, memory) else { throw failure }
    return outputSize
  }

  /// Returns the form of an image decoded at `eighths`/8 of its size, whose sides were rounded up.
  func source(_ decoded: PixelSize, eighths: Int) -> Canvas.Source {
    var source = Canvas.Source(decoded, hasAlpha: false)
    source.extent = (Double(size.width * eighths) / 8, Double(size.height * eighths) / 8)
    return source
  }

  /// Writes the next `count` rows to `rows`, without gaps. Returns the number of rows written, which is less than
  /// `count` at the end of the image or of the received bytes.
  func read(_ rows: UnsafeMutableRawPointer, count: Int) throws(ImageError) -> Int {
    let width = outputSize.width
    let target = rows.assumingMemoryBound(to: UInt8.self)
    let read = Int(vitrine_jpeg_read_rows(handle, target, width * PixelFormat.bytesPerPixel, Int32(count)))
    guard read >= 0 else { throw failure }
    guard isCMYK else { return read }
    if let cmykConversion {
      cmykConversion.convert(rows, count: width * read)
    } else {
      CMYKConversion.convertToPixels(rows, count: width * read, format: format)
    }
    return read
  }

  private var outputSize: PixelSize {
    PixelSize(width: Int(handle.pointee.info.output_width), height: Int(handle.pointee.info.output_height))
  }

  var failure: ImageError {
    switch handle.pointee.stop {
    case vitrine_jpeg_cancelled: .cancelled
    case vitrine_jpeg_too_many_samples: .tooLarge(.samples(sampleLimit))
    default: .decoding(.jpeg, message: String(cString: vitrine_jpeg_message(handle)))
    }
  }
}
