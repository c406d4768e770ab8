import Synchronization
import VitrineGraphics
import VitrineLoading

/// Pictures in part of whatever comes, told by its first bytes.
///
/// What it holds beside the picture that it gives out is what the format needs to go on, as
/// `ImageCodecs.progressiveDecoder` tells. None of it is taken before the header was judged.
final class ProgressiveDecoder: ProgressiveImageDecoding {
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private let state = Mutex(State())

  /// How far it is.
  private struct State {
    var stage = Stage.signature
    var seen = 0
  }

  private enum Stage {
    /// Too few bytes to tell the format.
    case signature
    case decoding(any PartialDecoder)
    /// No more pictures: all of it was seen, or none can be made.
    case over
  }

  init(_ style: ImageRequest.Progressive, options: DecodeOptions) {
    self.style = style
    self.options = options
  }

  func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
    try image(of: data, expectedLength: expectedLength, cancellation: .never)
  }

  func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image? {
    try state.withLock { (state) throws(ImageError) in
      guard data.count > state.seen else { return nil }
      state.seen = data.count
      if case .signature = state.stage { state.stage = try begin(data) }
      guard case .decoding(let decoder) = state.stage else { return nil }
      // Whatever is thrown ends it.
      state.stage = .over
      let part = try decoder.part(of: data, cancellation: cancellation)
      if !decoder.isFinished { state.stage = .decoding(decoder) }
      return part.map { image($0, received: data.count, expected: expectedLength) }
    }
  }

  func memoryNeeded(for data: [UInt8]) -> Int {
    let isOver = state.withLock { if case .over = $0.stage { true } else { false } }
    return isOver ? 0 : SourceMemory(data, options: options)?.preview(style) ?? 0
  }

  var memoryKept: Int {
    state.withLock { if case .decoding(let decoder) = $0.stage { decoder.memoryKept } else { 0 } }
  }

  private func begin(_ data: [UInt8]) throws(ImageError) -> Stage {
    let signatureLength = 12
    guard data.count >= signatureLength else { return .signature }
    switch ImageSignature.format(of: data) {
    case .jpeg: return .decoding(try PartialJPEG(style, options: options))
    case .png: return .decoding(PartialPNG(style, options: options))
    case .webp where style == .scans: return .decoding(PartialWebP(options))
    case .gif where style == .scans: return .decoding(PartialGIF(options))
    case .webp, .gif, .raw, nil: return .over
    }
  }

  private func image(_ part: PartialPicture, received: Int, expected: Int?) -> Image {
    var bitmap = part.image.bitmap
    if style == .blurred {
      let radius = PreviewBlur.radius(received: received, expected: expected, step: part.step)
      // As if the whole picture were blurred and then scaled.
      let scale = Double(bitmap.width) / Double(part.image.sourceWidth)
      bitmap = PreviewBlur.blurred(bitmap, radius: radius * scale)
    }
    return Image(
      bitmap, format: part.image.format, sourceWidth: part.image.sourceWidth,
      sourceHeight: part.image.sourceHeight, isPartial: true)
  }
}

/// Makes pictures of one format's beginning. Holds no bytes of it.
protocol PartialDecoder: AnyObject {
  /// What can be shown of `data`, which begins with what it was the last time; nil for nothing, or nothing new.
  /// Not to be called after it threw or is finished.
  func part(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> PartialPicture?
  /// Bytes that it holds for the next part, as `ImageCodecs.progressiveDecoder` tells.
  var memoryKept: Int { get }
  /// Whether nothing more is to come.
  var isFinished: Bool { get }
}

/// A picture in part.
struct PartialPicture {
  var image: Image
  /// How many scans or passes over the whole picture it shows, from 1.
  var step = 1
}
