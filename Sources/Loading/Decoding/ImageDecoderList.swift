import Synchronization
public import VitrineGraphics

/// Decoders of which the one that was added last is tried first (SDWebImage's `SDImageCodersManager`), so that an
/// application decodes formats of its own, or replaces the decoder of a format.
///
/// ```swift
/// let decoder = ImageDecoderList([ImageCodecs(), FilmDecoder()])
/// ```
///
/// A decoder that throws `.notAnImage` leaves the bytes to the one that was added before it. Every other error is the
/// result.
public struct ImageDecoderList: ImageDecoding {
  private var decoders: [any ImageDecoding]

  /// Creates a list of decoders, of which the last is tried first. An empty list decodes nothing.
  public init(_ decoders: [any ImageDecoding]) { self.decoders = decoders }

  /// Adds a decoder, which is tried before all others.
  public mutating func add(_ decoder: any ImageDecoding) { decoders.append(decoder) }

  /// The names of all decoders; `nil` if one of them has none.
  public var storageIdentifier: String? {
    let names = decoders.compactMap(\.storageIdentifier)
    // Each name with its length, so that no two lists have equal identifiers.
    return names.count == decoders.count && !names.isEmpty
      ? names.map { "\($0.utf8.count):\($0)" }.joined() : nil
  }

  /// Decodes with the first decoder that knows the format. Throws the error of that decoder, or `.notAnImage`.
  public func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try decode(data, options: options, cancellation: .never)
  }

  /// Decodes as `decode(_:options:)` does.
  public func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image {
    for decoder in decoders.reversed() {
      do throws(ImageError) {
        return try decoder.decode(data, options: options, cancellation: cancellation)
      } catch .notAnImage {
        continue
      }
    }
    throw .notAnImage(signature: Array(data.prefix(16)))
  }

  /// Returns the bytes that the decoder with the highest need may take.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    decoders.map { $0.memoryNeeded(for: data, options: options) }.max() ?? 0
  }

  /// Returns a decoder of previews that asks the decoders in the same order; those without previews are left out.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    let candidates = decoders.reversed().compactMap { $0.progressiveDecoder(style, options: options) }
    return candidates.count > 1 ? ProgressiveDecoderList(candidates) : candidates.first
  }
}

/// The preview decoders of an `ImageDecoderList`.
private final class ProgressiveDecoderList: ProgressiveImageDecoding {
  /// The decoders that may know the format. One that does not is removed.
  private let candidates: Mutex<[any ProgressiveImageDecoding]>

  init(_ candidates: [any ProgressiveImageDecoding]) { self.candidates = Mutex(candidates) }

  func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
    try image(of: data, expectedLength: expectedLength, cancellation: .never)
  }

  func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image? {
    while let decoder = candidates.withLock({ $0.first }) {
      do throws(ImageError) {
        return try decoder.image(of: data, expectedLength: expectedLength, cancellation: cancellation)
      } catch .notAnImage {
        candidates.withLock { _ = $0.removeFirst() }
      }
    }
    throw .notAnImage(signature: Array(data.prefix(16)))
  }

  func memoryNeeded(for data: [UInt8]) -> Int {
    candidates.withLock { $0 }.map { $0.memoryNeeded(for: data) }.max() ?? 0
  }

  var retainedBytes: Int {
    candidates.withLock { $0 }.reduce(0) { ByteCount.sum($0, $1.retainedBytes) }
  }
}
