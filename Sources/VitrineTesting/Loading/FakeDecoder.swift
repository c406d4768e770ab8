import Synchronization
public import VitrineGraphics
public import VitrineLoading

/// Decodes pictures that are written as text: `FakeDecoder.picture(width: 640, height: 480)` are their bytes.
///
/// Pixels are one colour; sizes and targets are obeyed, so what a slot gets has the size that it asked for.
/// Any other bytes fail with `.notAnImage`. Calls are recorded.
public final class FakeDecoder: ImageDecoding {
  private struct Recorded {
    var calls: [DecodeOptions] = []
    var partCalls: [FakeProgressiveDecoder.Call] = []
    var progressiveDecoders = 0
    var stops = 0
  }

  private let gate: Gate?
  private let partGate: Gate?
  private let showsParts: Bool
  private let partMemoryKept: Int
  private let recorded = Mutex(Recorded())

  /// A decoder that has been asked nothing.
  ///
  /// - Parameters:
  ///   - gate: held up there, if given, before each decode.
  ///   - showsParts: whether it makes a `FakeProgressiveDecoder` when it is asked.
  ///   - partGate: held up there, if given, before each picture in part.
  ///   - partMemoryKept: bytes that a `FakeProgressiveDecoder` says it keeps once it has made a picture.
  public init(
    gate: Gate? = nil, showsParts: Bool = false, partGate: Gate? = nil, partMemoryKept: Int = 0
  ) {
    self.gate = gate
    self.showsParts = showsParts
    self.partGate = partGate
    self.partMemoryKept = partMemoryKept
  }

  /// What was asked for so far, in the order of the calls.
  public var calls: [DecodeOptions] { recorded.withLock { $0.calls } }

  /// The number of decodes that were stopped because their image was no longer needed.
  public var stopCount: Int { recorded.withLock { $0.stops } }

  /// Which pictures in part were asked for so far, in the order of the calls.
  public var partCalls: [FakeProgressiveDecoder.Call] { recorded.withLock { $0.partCalls } }

  /// The bytes of a picture.
  public static func picture(width: Int, height: Int, color: Color = .black) -> [UInt8] {
    Array("\(width) \(height) \(color.red) \(color.green) \(color.blue) \(color.alpha)".utf8)
  }

  /// The bytes of a picture that comes to so many in all.
  public static func picture(width: Int, height: Int, color: Color = .black, count: Int) -> [UInt8] {
    let bytes = picture(width: width, height: height, color: color)
    return bytes + Array(repeating: UInt8(ascii: " "), count: max(0, count - bytes.count))
  }

  /// What the pixels take.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    guard let size = Picture(data)?.size(options) else { return 0 }
    return size.width * size.height * PixelFormat.bytesPerPixel
  }

  /// Waits at the gate, then makes the picture that `data` describes.
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
    guard let picture = Picture(data) else { throw .notAnImage(signature: Array(data.prefix(16))) }
    let size = picture.size(options)
    guard size.width * size.height <= options.limits.pixels else {
      throw .tooLarge(.pixels(options.limits.pixels))
    }
    return .solid(
      width: size.width, height: size.height, color: picture.color, format: options.pixelFormat,
      sourceWidth: picture.width, sourceHeight: picture.height)
  }

  /// A `FakeProgressiveDecoder`, if it shows parts.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    guard showsParts else { return nil }
    let number = recorded.withLock { recorded in
      recorded.progressiveDecoders += 1
      return recorded.progressiveDecoders - 1
    }
    return FakeProgressiveDecoder(
      number: number, style: style, options: options, whole: self, memoryKept: partMemoryKept)
  }

  func note(_ call: FakeProgressiveDecoder.Call) {
    recorded.withLock { $0.partCalls.append(call) }
    partGate?.pass()
  }
}

extension FakeDecoder {
  /// What the bytes of a picture say.
  struct Picture {
    let width: Int
    let height: Int
    let color: Color

    /// Nil for other bytes, and for fewer than all numbers.
    init?(_ data: [UInt8]) {
      let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
      guard numbers.count == 6, numbers[0] > 0, numbers[1] > 0,
        numbers[2...].allSatisfy({ (0...255).contains($0) })
      else { return nil }
      (width, height) = (numbers[0], numbers[1])
      color = Color(
        red: UInt8(numbers[2]), green: UInt8(numbers[3]), blue: UInt8(numbers[4]), alpha: UInt8(numbers[5]))
    }

    /// The size that it is decoded to.
    func size(_ options: DecodeOptions) -> (width: Int, height: Int) {
      options.outputSize(sourceWidth: width, sourceHeight: height)
    }
  }
}
