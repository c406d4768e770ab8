import Synchronization
public import VitrineGraphics
public import VitrineLoading

/// A decoder whose images are encoded as text. `FakeDecoder.encodedImage(width: 640, height: 480)` returns such data.
///
/// Decoded images have a single color. Sizes and decode targets are respected, so that an image has the size that its
/// slot asked for. Any other data fails with `.notAnImage`. All calls are recorded.
public final class FakeDecoder: ImageDecoding {
  private struct Recorded {
    var calls: [DecodeOptions] = []
    var previewCalls: [FakeProgressiveDecoder.Call] = []
    var progressiveDecoders = 0
    var stops = 0
  }

  private let gate: Gate?
  private let previewGate: Gate?
  private let showsPreviews: Bool
  private let previewMemoryKept: Int
  private let recorded = Mutex(Recorded())

  /// Creates a decoder without recorded calls.
  ///
  /// - Parameters:
  ///   - gate: A gate that each decode passes first, if given.
  ///   - showsPreviews: True if the decoder makes previews: the image's color, with an alpha that grows with the bytes.
  ///   - previewGate: A gate that each preview passes first, if given.
  ///   - previewMemoryKept: The number of bytes that a preview decoder reports as kept after its first preview.
  public init(
    gate: Gate? = nil, showsPreviews: Bool = false, previewGate: Gate? = nil, previewMemoryKept: Int = 0
  ) {
    self.gate = gate
    self.showsPreviews = showsPreviews
    self.previewGate = previewGate
    self.previewMemoryKept = previewMemoryKept
  }

  /// The options of all decodes so far, in the order of the calls.
  public var calls: [DecodeOptions] { recorded.withLock { $0.calls } }

  /// The number of decodes that were stopped because their image was no longer needed.
  package var stopCount: Int { recorded.withLock { $0.stops } }

  /// The calls for previews so far, in their order.
  package var previewCalls: [FakeProgressiveDecoder.Call] { recorded.withLock { $0.previewCalls } }

  /// Returns the encoded data of an image.
  public static func encodedImage(width: Int, height: Int, color: Color = .black) -> [UInt8] {
    Array("\(width) \(height) \(color.red) \(color.green) \(color.blue) \(color.alpha)".utf8)
  }

  /// Returns the encoded data of an image, padded with spaces to `count` bytes.
  package static func encodedImage(width: Int, height: Int, color: Color = .black, count: Int) -> [UInt8] {
    let bytes = encodedImage(width: width, height: height, color: color)
    return bytes + Array(repeating: UInt8(ascii: " "), count: max(0, count - bytes.count))
  }

  /// Returns the size of the decoded pixels in bytes; 0 for data that is not an image.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    guard let size = Header(data)?.size(options) else { return 0 }
    return size.width * size.height * PixelFormat.bytesPerPixel
  }

  /// Waits at the gate, then returns the image that `data` describes.
  public func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try decode(data, options: options, cancellation: .never)
  }

  /// Waits at the gate, then returns the image that `data` describes. Throws `.cancelled` if the image is no longer
  /// needed.
  public func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image {
    recorded.withLock { $0.calls.append(options) }
    gate?.pass()
    if cancellation.isCancelled {
      recorded.withLock { $0.stops += 1 }
      throw .cancelled
    }
    guard let header = Header(data) else { throw .notAnImage(signature: Array(data.prefix(16))) }
    let size = header.size(options)
    guard size.width * size.height <= options.limits.pixels else {
      throw .tooLarge(.pixels(options.limits.pixels))
    }
    let bitmap = Bitmap(
      width: size.width, height: size.height, color: header.color, format: options.pixelFormat)
    return Image(bitmap, sourceWidth: header.width, sourceHeight: header.height)
  }

  /// Returns a decoder for previews, or `nil` if the decoder was created without `showsPreviews`.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    guard showsPreviews else { return nil }
    let number = recorded.withLock { recorded in
      recorded.progressiveDecoders += 1
      return recorded.progressiveDecoders - 1
    }
    return FakeProgressiveDecoder(
      number: number, style: style, options: options, imageDecoder: self, retainedBytes: previewMemoryKept)
  }

  func record(_ call: FakeProgressiveDecoder.Call) {
    recorded.withLock { $0.previewCalls.append(call) }
    previewGate?.pass()
  }
}

extension FakeDecoder {
  /// The contents of encoded data: size and color.
  struct Header {
    let width, height: Int
    let color: Color

    /// Returns `nil` for data that is not an encoded image, or not a complete one.
    init?(_ data: [UInt8]) {
      let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
      guard numbers.count == 6, numbers[0] > 0, numbers[1] > 0,
        numbers[2...].allSatisfy({ (0...255).contains($0) })
      else { return nil }
      (width, height) = (numbers[0], numbers[1])
      color = Color(
        red: UInt8(numbers[2]), green: UInt8(numbers[3]), blue: UInt8(numbers[4]), alpha: UInt8(numbers[5]))
    }

    /// Returns the size to which the image is decoded.
    func size(_ options: DecodeOptions) -> (width: Int, height: Int) {
      options.outputSize(sourceWidth: width, sourceHeight: height)
    }
  }
}
