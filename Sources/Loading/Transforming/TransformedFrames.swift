import VitrineGraphics

/// Decodes the frames of an animation and applies transforms to each.
final class TransformedFrames: FrameDecoding {
  /// The properties of an image that a transform may read, without the pixels.
  struct Properties: Sendable {
    private let scale: Double
    private let format: ImageFormat
    private let sourceWidth, sourceHeight: Int

    init(of image: Image) {
      (scale, format) = (image.scale, image.format)
      (sourceWidth, sourceHeight) = (image.sourceWidth, image.sourceHeight)
    }

    /// Returns an image of a frame with the properties.
    func image(_ frame: Bitmap) -> Image {
      Image(frame, scale: scale, format: format, sourceWidth: sourceWidth, sourceHeight: sourceHeight)
    }
  }

  fileprivate let decoder: any FrameDecoding
  /// The properties of the image whose animation is decoded. The image itself would keep its pixels in memory.
  private let properties: Properties
  private let transform: any ImageTransform
  /// The size of the transformed first frame in pixels.
  private let width, height: Int

  init(
    _ decoder: any FrameDecoding, of properties: Properties, transform: any ImageTransform, width: Int,
    height: Int
  ) {
    self.decoder = decoder
    self.properties = properties
    self.transform = transform
    (self.width, self.height) = (width, height)
  }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    let frame = properties.image(try decoder.frame(index, isCancelled: isCancelled))
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

extension TransformedFrames: DamageLocating {
  var damagedFrame: Int? { (decoder as? any DamageLocating)?.damagedFrame }
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
    // Not the images, which the animation would keep in memory.
    let properties = TransformedFrames.Properties(of: image)
    let (width, height) = (result.pixelWidth, result.pixelHeight)
    let frames = ImageAnimation(
      durations: animation.durations, loopCount: animation.loopCount,
      frameByteCount: result.bitmap.byteCount,
      // A first frame in memory is no longer that of the image.
      byteCount: animation.byteCount.addingSaturated(animation.firstFrameByteCount),
      decoderByteCount: animation.decoderByteCount,
      // The frame before the transform.
      decodingByteCount: animation.decodingByteCount.addingSaturated(animation.frameByteCount),
      isComplete: animation.isComplete, source: animation.source?.transformed(by: identifier)
    ) { (beginning) throws(AnimationError) in
      let decoder =
        if let begun = (beginning as? TransformedFrames)?.decoder {
          try animation.makeDecoder(goingOnFrom: begun)
        } else {
          try animation.makeDecoder()
        }
      return TransformedFrames(decoder, of: properties, transform: self, width: width, height: height)
    }
    return Image(
      result.bitmap, animation: frames, scale: result.scale, format: result.format,
      sourceWidth: result.sourceWidth, sourceHeight: result.sourceHeight, isPreview: result.isPreview
    ).withRenderingMode(result.renderingMode).withUserData(result.userData)
  }
}
