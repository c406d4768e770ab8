import VitrineGraphics

/// Decodes the frames of an animation and applies transforms to each.
final class TransformedFrames: FrameDecoding {
  fileprivate let decoder: any FrameDecoding
  /// The image whose animation is decoded.
  private let image: Image
  private let transform: any ImageTransform
  /// The size of the transformed first frame in pixels.
  private let width, height: Int

  init(_ decoder: any FrameDecoding, of image: Image, transform: any ImageTransform, width: Int, height: Int)
  {
    self.decoder = decoder
    self.image = image
    self.transform = transform
    (self.width, self.height) = (width, height)
  }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    let frame = Image(
      try decoder.frame(index, isCancelled: isCancelled), scale: image.scale, format: image.format,
      sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    guard !isCancelled() else { throw .cancelled }
    let result: Image
    do throws(ImageError) {
      result = try transform.apply(to: frame)
    } catch {
      throw .damaged("\(error)")
    }
    guard result.pixelWidth == width, result.pixelHeight == height else {
      throw .damaged("a transform gives frames of different sizes")
    }
    return result.bitmap
  }
}

extension TransformedFrames: CanvasSaving {
  func saveCanvases(countedIn ledger: MemoryLedger?) {
    (decoder as? any CanvasSaving)?.saveCanvases(countedIn: ledger)
  }

  func releaseSavedCanvases() -> Int { (decoder as? any CanvasSaving)?.releaseSavedCanvases() ?? 0 }
}

extension ImageTransform {
  /// Applies the transform to an image, and to all frames of an animated image if the transform asks for that.
  func applied(to image: Image, _ cancellation: DecodeCancellation) throws(ImageError) -> Image {
    let result = try apply(to: image, cancellation: cancellation)
    guard appliesToAnimation, let animation = image.animation, !result.isAnimated else { return result }
    let frames = ImageAnimation(
      durations: animation.durations, loopCount: animation.loopCount,
      frameByteCount: result.bitmap.byteCount, byteCount: animation.byteCount,
      decoderByteCount: animation.decoderByteCount,
      // The frame before the transform.
      decodingByteCount: animation.decodingByteCount.addingSaturated(animation.frameByteCount),
      isComplete: animation.isComplete
    ) { [width = result.pixelWidth, height = result.pixelHeight] (beginning) throws(AnimationError) in
      let decoder =
        if let begun = (beginning as? TransformedFrames)?.decoder {
          try animation.makeDecoder(goingOnFrom: begun)
        } else {
          try animation.makeDecoder()
        }
      return TransformedFrames(decoder, of: image, transform: self, width: width, height: height)
    }
    return Image(
      result.bitmap, animation: frames, scale: result.scale, format: result.format,
      sourceWidth: result.sourceWidth, sourceHeight: result.sourceHeight, isPreview: result.isPreview
    ).withRenderingMode(result.renderingMode).withUserData(result.userData)
  }
}
