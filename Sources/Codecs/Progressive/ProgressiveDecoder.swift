import Synchronization
import VitrineGraphics
import VitrineLoading

/// Decodes previews of an image in any supported format, detected by its signature.
///
/// The memory kept between previews depends on the format; see `ImageCodecs.progressiveDecoder`. None is allocated
/// before the header has been checked against the limits.
final class ProgressiveDecoder: ProgressiveImageDecoding {
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private let state = Mutex(State())

  /// The progress of the decoder.
  private struct State {
    var stage = Stage.signature
    var receivedByteCount = 0
  }

  private enum Stage {
    /// Too few bytes to detect the format.
    case signature
    case decoding(any PreviewDecoder)
    /// No further previews: the image is complete, or has no previews, or an error was thrown.
    case finished
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
      guard data.count > state.receivedByteCount else { return nil }
      state.receivedByteCount = data.count
      if case .signature = state.stage { state.stage = try begin(data) }
      guard case .decoding(let decoder) = state.stage else { return nil }
      // An error ends the previews.
      state.stage = .finished
      let preview = try decoder.preview(of: data, cancellation: cancellation)
      if !decoder.isFinished { state.stage = .decoding(decoder) }
      return preview.map { image($0, received: data.count, expected: expectedLength) }
    }
  }

  func memoryNeeded(for data: [UInt8]) -> Int {
    let known = state.withLock { state -> Int? in
      switch state.stage {
      case .signature: nil
      case .decoding(let decoder): decoder.memoryNeeded(for: data)
      case .finished: 0
      }
    }
    return known ?? SourceMemory(data, options: options)?.preview(style) ?? 0
  }

  var retainedBytes: Int {
    state.withLock { if case .decoding(let decoder) = $0.stage { decoder.retainedBytes } else { 0 } }
  }

  private func begin(_ data: [UInt8]) throws(ImageError) -> Stage {
    let signatureLength = 12
    guard data.count >= signatureLength else { return .signature }
    switch ImageSignature.format(of: data) {
    case .jpeg: return .decoding(try JPEGPreviewDecoder(style, options: options))
    case .png: return .decoding(PNGPreviewDecoder(style, options: options))
    case .webp where style == .scans: return .decoding(WebPPreviewDecoder(options))
    case .gif where style == .scans: return .decoding(GIFPreviewDecoder(options))
    case .webp, .gif, .raw, nil: return .finished
    }
  }

  private func image(_ preview: DecodedPreview, received: Int, expected: Int?) -> Image {
    var bitmap = preview.image.bitmap
    if style == .blurred {
      let radius = PreviewBlur.radius(received: received, expected: expected, step: preview.step)
      // Equivalent to blurring the full-size image before scaling.
      let scale = Double(bitmap.width) / Double(preview.image.sourceWidth)
      bitmap = PreviewBlur.blurred(bitmap, radius: radius * scale)
    }
    return Image(
      bitmap, animation: preview.image.animation, format: preview.image.format,
      sourceWidth: preview.image.sourceWidth,
      sourceHeight: preview.image.sourceHeight, isPreview: true)
  }
}

/// Decodes previews of one format. Keeps no copy of the received bytes, except those of an animation's complete frames.
protocol PreviewDecoder: AnyObject {
  /// Returns the next preview, or `nil` if there is nothing new to show. Must not be called again after an error or
  /// when `isFinished` is true.
  ///
  /// - Parameter data: All bytes received so far, beginning with those of the previous call.
  func preview(of data: [UInt8], cancellation: DecodeCancellation) throws(ImageError) -> DecodedPreview?
  /// Returns the peak number of bytes of `preview(of: data)`; `nil`, the default, if `SourceMemory` tells it.
  func memoryNeeded(for data: [UInt8]) -> Int?
  /// The number of bytes in memory between previews; see `ImageCodecs.progressiveDecoder`.
  var retainedBytes: Int { get }
  /// True if no further previews follow.
  var isFinished: Bool { get }
}

extension PreviewDecoder {
  func memoryNeeded(for data: [UInt8]) -> Int? { nil }
}

struct DecodedPreview {
  var image: Image
  /// The number of scans or passes over the whole image that the preview shows, from 1.
  var step = 1
}
