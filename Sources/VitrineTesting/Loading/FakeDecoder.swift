import Synchronization
public import VitrineGraphics
public import VitrineLoading

/// Decodes pictures that are written as text: `FakeDecoder.picture(width: 640, height: 480)` are their bytes.
///
/// Pixels are one colour; sizes and targets are obeyed, so what a slot gets has the size that it asked for.
/// Any other bytes fail with `.notAnImage`. Calls are recorded.
public final class FakeDecoder: ImageDecoding {
  private let gate: Gate?
  private let recorded = Mutex<[DecodeOptions]>([])

  /// A decoder that has been asked nothing.
  ///
  /// - Parameter gate: held up there, if given, before each decode.
  public init(gate: Gate? = nil) { self.gate = gate }

  /// What was asked for so far, in the order of the calls.
  public var calls: [DecodeOptions] { recorded.withLock { $0 } }

  /// The bytes of a picture.
  public static func picture(width: Int, height: Int, color: Color = .black) -> [UInt8] {
    Array("\(width) \(height) \(color.red) \(color.green) \(color.blue) \(color.alpha)".utf8)
  }

  /// What the pixels take.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 6, numbers[0] > 0, numbers[1] > 0 else { return 0 }
    let size =
      options.target?.outputSize(sourceWidth: numbers[0], sourceHeight: numbers[1])
      ?? (numbers[0], numbers[1])
    return size.0 * size.1 * PixelFormat.bytesPerPixel
  }

  /// Waits at the gate, then makes the picture that `data` describes.
  public func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    recorded.withLock { $0.append(options) }
    gate?.pass()
    let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
    guard numbers.count == 6, numbers[0] > 0, numbers[1] > 0,
      numbers[2...].allSatisfy({ (0...255).contains($0) })
    else { throw .notAnImage(signature: Array(data.prefix(16))) }
    let size =
      options.target?.outputSize(sourceWidth: numbers[0], sourceHeight: numbers[1]) ?? (
        numbers[0], numbers[1]
      )
    guard size.0 * size.1 <= options.limits.pixels else { throw .tooLarge(.pixels(options.limits.pixels)) }
    let color = Color(
      red: UInt8(numbers[2]), green: UInt8(numbers[3]), blue: UInt8(numbers[4]), alpha: UInt8(numbers[5]))
    return .solid(
      width: size.0, height: size.1, color: color, format: options.pixelFormat, sourceWidth: numbers[0],
      sourceHeight: numbers[1])
  }
}
