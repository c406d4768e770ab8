import VitrineGraphics
import VitrineLoading

/// The memory that decoding takes at once, computed from the header of an encoded image.
struct SourceMemory {
  let plan: DecodePlan
  /// The rows or the whole image that the codec hands out.
  let source: Canvas.Source
  /// Bytes that the codec holds while it works: coefficients, planes, rows, tables that grow with the image.
  let codec: Int
  /// Bytes of the colour profile as it is stored.
  var profile = 0
  /// True if the whole image comes coarse first: in scans, or interlaced.
  var comesInPasses = false
  /// Bytes that a preview decoder holds from one preview to the next, besides those of the codec.
  var heldForPreviews = 0
  /// True if previews are collected row by row at the size of the result.
  var collectsRows = true

  /// Structures and fixed tables of a codec, an inflater and a scaler.
  private static let overhead = 128 << 10
  /// A profile is copied twice, its tables are unpacked, and a transform is made of them. Measured with Little CMS 2.14: less
  /// than four times the profile, and less than 2 MiB for the transform.
  private var colorConversion: Int {
    profile > 0 ? ByteCount.sum(ByteCount.product(min(profile, ICCProfile.largest), 4), 2 << 20) : 0
  }

  /// All that a whole image takes.
  var whole: Int {
    ByteCount.sum(codec, plan.resultBytes, plan.drawingBytes(of: source), colorConversion, Self.overhead)
  }

  /// All that a preview takes; 0 where none is made.
  func preview(_ style: ImageRequest.Progressive) -> Int {
    guard style == .scans || style == .blurred && comesInPasses else { return 0 }
    // A blur copies the image, and each pass that copy.
    let copies = (style == .blurred ? 3 : 1) + (collectsRows ? 1 : 0)
    var strips = source
    strips.isWhole = false
    return ByteCount.sum(
      codec, heldForPreviews, ByteCount.product(plan.resultBytes, copies), plan.drawingBytes(of: strips),
      colorConversion, Self.overhead)
  }
}

extension SourceMemory {
  /// Returns `nil` for bytes that are no image, and for an image that its decoder refuses before it takes memory.
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
  /// Bytes of the finished image.
  var resultBytes: Int { ByteCount.product(scaled.width, scaled.height, PixelFormat.bytesPerPixel) }

  /// Bytes that `Canvas.draw` takes beside the result: a strip of rows, or the whole source, and the sums of the scaler.
  func drawingBytes(of source: Canvas.Source) -> Int {
    let isScaled = source.size != scaled
    guard isScaled || orientation != .up else { return 0 }
    let rows = source.isWhole ? source.size.height : min(source.size.height, Canvas.stripHeight)
    let strip = ByteCount.product(source.size.width, rows, PixelFormat.bytesPerPixel)
    let sums = isScaled ? ByteCount.sum(ByteCount.product(source.size.width, 16), scaled.width * 48) : 0
    return ByteCount.sum(strip, sums)
  }
}
