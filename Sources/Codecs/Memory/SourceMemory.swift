import VitrineGraphics
import VitrineLoading

/// The peak memory of a decode, computed from the header of an encoded image.
struct SourceMemory {
  let plan: DecodePlan
  /// The form in which the codec returns pixels: rows or the whole image.
  let source: Canvas.Source
  /// The bytes that the codec allocates during a decode: coefficients, planes, rows, tables that grow with the image.
  let codec: Int
  /// The size in bytes of the color profile as stored.
  var profile = 0
  /// True if the image is progressive or interlaced, so that a coarse version of the whole image comes first.
  var comesInPasses = false
  /// The bytes that previews take in addition to `codec`.
  var reservedForPreviews = 0
  /// True if previews are assembled row by row at the size of the result.
  var collectsRows = true
  /// The bytes for drawing the whole image; `nil` for those of a `source`, which previews take in any case.
  var wholeDrawing: Int?
  /// The bytes and tables of an animation, which its previews keep; 0 for a still image.
  var animation = 0

  /// The bytes of structures and fixed tables of a codec, an inflater and a scaler.
  private static let overhead = 128 << 10
  private var colorConversion: Int { ICCProfile.conversionBytes(profile) }

  /// The peak number of bytes for decoding the whole image.
  var fullImage: Int {
    ByteCount.sum(
      codec, plan.resultBytes, wholeDrawing ?? plan.drawingBytes(of: source), colorConversion, Self.overhead)
  }

  /// Returns the peak number of bytes for decoding a preview; 0 if the style and the format give no previews.
  func preview(_ style: ImageRequest.Progressive) -> Int {
    guard style == .scans || style == .blurred && comesInPasses else { return 0 }
    // A blur copies the image, and each blur pass makes another copy.
    let copies = (style == .blurred ? 3 : 1) + (collectsRows ? 1 : 0)
    var strips = source
    strips.isWhole = false
    // Counted for the preview, and for the decoder, which keeps the first frame as well.
    let animated = animation > 0 ? ByteCount.product(2, ByteCount.sum(animation, plan.resultBytes)) : 0
    return ByteCount.sum(
      animated, codec, reservedForPreviews, ByteCount.product(plan.resultBytes, copies),
      plan.drawingBytes(of: strips),
      colorConversion, Self.overhead)
  }
}

extension SourceMemory {
  /// Returns `nil` for bytes that are no image, and for an image that its decoder refuses before it allocates memory.
  init?(_ data: [UInt8], options: DecodeOptions) {
    do throws(ImageError) {
      switch ImageSignature.format(of: data) {
      case .jpeg: self = try JPEGDecoder.memory(data, options: options)
      case .png: self = try PNGDecoder.memory(data, options: options)
      case .webp: self = try WebPDecoder.memory(data, options: options)
      case .gif: self = try GIFDecoder.memory(data, options: options)
      case .raw, nil: return nil
      }
    } catch {
      return nil
    }
  }
}

extension DecodePlan {
  /// The size of the finished image in bytes.
  var resultBytes: Int { ByteCount.product(scaled.width, scaled.height, PixelFormat.bytesPerPixel) }

  /// Returns the bytes that `Canvas.draw` allocates in addition to the result: a strip of rows or the whole source, and
  /// the scaler's sums.
  func drawingBytes(of source: Canvas.Source) -> Int {
    let isScaled = source.size != scaled
    guard isScaled || orientation != .up else { return 0 }
    let rows = source.isWhole ? source.size.height : min(source.size.height, Canvas.stripHeight)
    let strip = ByteCount.product(source.size.width, rows, source.bytesPerPixel)
    let sums =
      isScaled
      ? ByteCount.sum(ByteCount.product(source.size.width, 24), ByteCount.product(scaled.width, 72)) : 0
    return ByteCount.sum(strip, sums)
  }
}

extension ICCProfile {
  /// Returns the bytes for converting colors with a profile of the given size in bytes; 0 for no profile. The profile
  /// is copied twice, its tables are unpacked, and a transform is built from them. Measured with Little CMS 2.14: less
  /// than four times the profile, and less than 2 MiB for the transform.
  static func conversionBytes(_ profile: Int) -> Int {
    profile > 0 ? ByteCount.sum(ByteCount.product(min(profile, largest), 4), 2 << 20) : 0
  }
}
