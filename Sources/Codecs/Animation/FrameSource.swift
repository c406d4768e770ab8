import VitrineGraphics
import VitrineLoading

/// A decoder of the single frames of one file format, before they are composed.
///
/// `ComposedFrames` calls `decodeFrame` in any order, skips frames that no later frame needs, and may decode a frame
/// again. Called by one thread at a time.
protocol FrameSource: AnyObject {
  /// Decodes a frame and calls `draw` for each of its rows, in any order.
  ///
  /// Throws `.decoding` for a damaged frame, before or after some rows were drawn, and `.cancelled`. Checks
  /// `cancellation` about once every 16 rows.
  ///
  /// - Parameters:
  ///   - index: The number of a frame in the animation table.
  ///   - draw: Draws a row of the frame. `pixels` has four bytes per pixel, in the pixel format of the decode and with
  ///     straight alpha, for the width in the frame's layout. `y` is the number of the row within the frame. The pixels
  ///     are read during the call only. Rows below the canvas are ignored.
  func decodeFrame(
    _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
  ) throws(ImageError)
}

extension DecodeCancellation {
  /// Calls `body` with a cancellation that asks `isCancelled`. The cancellation must not be used after `body` returns.
  static func with<Result>(
    _ isCancelled: () -> Bool, _ body: (DecodeCancellation) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    try withoutActuallyEscaping(isCancelled) { (isCancelled) throws(ImageError) in
      let question = Question(isCancelled: isCancelled)
      return try body(DecodeCancellation { question.isCancelled() })
    }
  }

  /// A closure for a `@Sendable` context. `@unchecked Sendable` because `with` calls decoders of this module, which use
  /// the closure on the calling thread only.
  private struct Question: @unchecked Sendable {
    let isCancelled: () -> Bool
  }
}

extension AnimationError {
  /// The error of a frame that cannot be decoded.
  init(_ error: ImageError) {
    switch error {
    case .cancelledLoad: self = .cancelled
    case .decoding(_, let message): self = .damaged(message)
    default: self = .damaged("beyond the limits")
    }
  }
}
