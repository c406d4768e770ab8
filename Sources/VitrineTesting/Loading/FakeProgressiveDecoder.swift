import Synchronization
package import VitrineGraphics
package import VitrineLoading

/// A preview decoder for the images of a `FakeDecoder`. Its previews have the image's color, with an alpha that grows
/// with the fraction of the bytes that have arrived (128 if the expected length is unknown).
///
/// Throws if the data contains the byte `FakeProgressiveDecoder.damage`.
package final class FakeProgressiveDecoder: ProgressiveImageDecoding {
  package struct Call: Hashable, Sendable {
    /// The number of the decoder that was called, counted from 0 in the order of creation.
    package let decoder: Int
    /// The style of previews with which the decoder was created.
    package let style: ImageRequest.Progressive
    /// The options with which the decoder was created.
    package let options: DecodeOptions
    /// The number of bytes that had arrived.
    package let count: Int
    /// The length of the body that the server declared; `nil` if unknown.
    package let expectedLength: Int?
  }

  /// A byte (`!`) that makes the decoder throw, at any position in the data.
  package static let damage = UInt8(ascii: "!")

  private let number: Int
  private let style: ImageRequest.Progressive
  private let options: DecodeOptions
  private let imageDecoder: FakeDecoder
  private let memoryToKeep: Int
  private let hasBegun = Atomic(false)

  init(
    number: Int, style: ImageRequest.Progressive, options: DecodeOptions, imageDecoder: FakeDecoder,
    retainedBytes: Int
  ) {
    self.number = number
    self.style = style
    self.options = options
    self.imageDecoder = imageDecoder
    memoryToKeep = retainedBytes
  }

  /// Returns the size in bytes of the pixels and of the memory that the decoder keeps.
  package func memoryNeeded(for data: [UInt8]) -> Int {
    imageDecoder.memoryNeeded(for: data, options: options) + memoryToKeep
  }

  /// The number of bytes that the decoder reports as kept: 0 before its first preview.
  package var retainedBytes: Int { hasBegun.load(ordering: .relaxed) ? memoryToKeep : 0 }

  /// Waits at the gate, then returns a preview of the image that `data` describes; `nil` if there are too few bytes.
  package func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
    imageDecoder.record(
      Call(
        decoder: number, style: style, options: options, count: data.count, expectedLength: expectedLength))
    guard !data.contains(Self.damage) else { throw .decoding(.raw, message: "damaged") }
    guard let header = FakeDecoder.Header(data) else { return nil }
    hasBegun.store(true, ordering: .relaxed)
    let size = header.size(options)
    let alpha = UInt8(expectedLength.map { 255 * data.count / max(1, $0, data.count) } ?? 128)
    return Image(
      Bitmap(
        width: size.width, height: size.height,
        color: Color(
          red: header.color.red, green: header.color.green, blue: header.color.blue, alpha: alpha)),
      sourceWidth: header.width, sourceHeight: header.height, isPreview: true)
  }
}
