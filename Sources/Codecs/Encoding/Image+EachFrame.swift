import VitrineGraphics
import VitrineLoading

extension Image {
  /// Decodes the frames in order, one at a time, and calls `body` with each. A still image has one frame of 0 seconds.
  ///
  /// - Parameter format: The format of the errors: that of the file to write.
  func forEachFrame(
    encodedAs format: ImageFormat, _ body: (Frame) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard let animation else { return try body(Frame(bitmap: bitmap, duration: 0)) }
    let decoder: any FrameDecoding
    do throws(AnimationError) { decoder = try animation.makeDecoder() } catch {
      throw .encoding(format, error)
    }
    for (index, duration) in animation.durations.enumerated() {
      let bitmap: Bitmap
      do throws(AnimationError) {
        bitmap = try decoder.frame(index) { false }
      } catch {
        throw .encoding(format, error)
      }
      guard bitmap.width == pixelWidth, bitmap.height == pixelHeight else {
        throw .encoding(format, message: "frame \(index) has another size")
      }
      try body(Frame(bitmap: bitmap, duration: duration))
    }
  }
}

extension ImageError {
  /// The error of writing an image whose frames cannot be decoded.
  fileprivate static func encoding(_ format: ImageFormat, _ error: AnimationError) -> ImageError {
    switch error {
    case .damaged(let message): .encoding(format, message: message)
    case .cancelled: .cancelled
    }
  }
}
