import Synchronization
public import VitrineGraphics
public import VitrineLoading

/// Shows the pictures of a `FakeDecoder` while their bytes come: in their colour, the more opaque the more has come.
///
/// A byte of `FakeProgressiveDecoder.damage` makes it throw.
public final class FakeProgressiveDecoder: ProgressiveImageDecoding {
  /// One call of it.
  public struct Call: Hashable, Sendable {
    /// Which decoder was asked, from 0 on in the order in which they were made.
    public let decoder: Int
    /// What was asked of it when it was made.
    public let style: ImageRequest.Progressive
    /// As `style`.
    public let options: DecodeOptions
    /// Bytes that had come.
    public let count: Int
    /// What the server had said.
    public let expectedLength: Int?
  }

  /// Fails wherever it stands.
  public static let damage = UInt8(ascii: "!")

  private let number: Int
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private let whole: FakeDecoder
  private let memoryToKeep: Int
  private let hasBegun = Atomic(false)

  init(
    number: Int, style: ImageRequest.Progressive, options: DecodeOptions, whole: FakeDecoder, memoryKept: Int
  ) {
    self.number = number
    self.style = style
    self.options = options
    self.whole = whole
    memoryToKeep = memoryKept
  }

  /// What the pixels take, and what is kept.
  public func memoryNeeded(for data: [UInt8]) -> Int {
    whole.memoryNeeded(for: data, options: options) + memoryToKeep
  }

  /// What it was made to say, from its first picture on.
  public var memoryKept: Int { hasBegun.load(ordering: .relaxed) ? memoryToKeep : 0 }

  /// Waits at the gate, then makes the picture that `data` describes.
  public func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
    whole.note(
      Call(
        decoder: number, style: style, options: options, count: data.count, expectedLength: expectedLength))
    guard !data.contains(Self.damage) else { throw .decoding(.raw, message: "damaged") }
    guard let picture = FakeDecoder.Picture(data) else { return nil }
    hasBegun.store(true, ordering: .relaxed)
    let size = picture.size(options)
    let seen = UInt8(expectedLength.map { 255 * data.count / max(1, $0, data.count) } ?? 128)
    return Image(
      Bitmap(
        width: size.width, height: size.height,
        color: Color(
          red: picture.color.red, green: picture.color.green, blue: picture.color.blue, alpha: seen)),
      sourceWidth: picture.width, sourceHeight: picture.height, isPartial: true)
  }
}
