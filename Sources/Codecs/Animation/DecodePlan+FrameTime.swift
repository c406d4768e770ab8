import VitrineGraphics
import VitrineLoading

extension DecodePlan {
  /// Calls `decode` for one encoded frame. Throws `.decoding` if the frame takes longer than the limits allow.
  ///
  /// - Parameter decode: Decodes the frame, and stops when the cancellation is requested.
  func limitingTime<Result>(
    _ cancellation: DecodeCancellation, _ decode: (DecodeCancellation) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    let seconds = options.limits.secondsPerFrame
    guard seconds != .infinity else { return try decode(cancellation) }
    let clock = options.frameClock
    let end = clock.time(inSeconds: seconds)
    do throws(ImageError) {
      return try decode(DecodeCancellation { cancellation.isCancelled || clock.now >= end })
    } catch {
      guard case .cancelledLoad = error, !cancellation.isCancelled else { throw error }
      throw .decoding(format, message: "a frame that takes longer than \(seconds) s")
    }
  }
}
