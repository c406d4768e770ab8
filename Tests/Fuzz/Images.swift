import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Decodes an image in full size and for two targets that need different scales, frames of an animation, and previews in
/// steps.
enum Images {
  /// Low limits, for many images per second.
  private static let limits = DecodeLimits(pixels: 1 << 15)

  private static let targets: [DecodeTarget?] = [
    nil, DecodeTarget(width: 9, height: 7), DecodeTarget(width: 40, height: 200, mode: .fit),
  ]

  static func fuzz(_ bytes: [UInt8], as format: ImageFormat) -> Bool {
    guard ImageSignature.format(of: bytes) == format else { return false }
    if format == .jpeg { JPEGCoefficients.check(bytes) }
    var previewedPixels = 0
    for target in targets {
      let options = DecodeOptions(
        target: target, pixelFormat: target == nil ? .bgra : .rgba, limits: limits)
      do throws(ImageError) {
        let image = try ImageCodecs().decode(bytes, options: options)
        check(image, target: target)
        decodeFrames(of: image)
        if let animation = image.animation {
          Playbacks.check(bytes.suffix(400), durations: animation.durations)
        }
      } catch {
        check(error)
      }
      for style in [ImageRequest.Progressive.scans, .blurred] {
        receivePreviews(bytes, style, options, &previewedPixels)
      }
    }
    return true
  }

  /// Decodes frames in order, seeks back and ahead, plays the last frames backward with saved canvases, and checks that
  /// a frame has the same pixels each time.
  private static func decodeFrames(of image: Image) {
    guard let animation = image.animation else { return }
    precondition(animation.frameCount > 1, "more than one frame")
    guard let decoder = try? animation.makeDecoder() else { preconditionFailure("a decoder") }
    let ledger = MemoryLedger(budget: 1 << 20)
    (decoder as? any CanvasSaving)?.saveCanvases(countedIn: ledger)
    let last = animation.frameCount - 1
    let order = [0, 1, 2, 3, 1, last, 0, 2, last / 2, last] + (max(0, last - 11)...last).reversed()
    var sums: [Int: Int] = [:]
    for index in order where index <= last {
      do throws(AnimationError) {
        let frame = try decoder.frame(index) { false }
        precondition(frame.width == image.pixelWidth && frame.height == image.pixelHeight, "one size")
        precondition(frame.hasOnlyOpaquePixels || !frame.isOpaque, "opaque if it says so")
        let sum = frame.withUnsafeBytes { $0.reduce(0) { $0 &* 31 &+ Int($1) } }
        precondition(sums[index] == nil || sums[index] == sum, "the same pixels each time")
        sums[index] = sum
      } catch {
        precondition(error != .cancelled, "damaged")
      }
    }
    precondition(ledger.usage.total <= ledger.budget, "canvases within the budget")
    precondition((decoder as? any CanvasSaving)?.releaseSavedCanvases() ?? 0 <= ledger.budget, "counted")
    precondition(ledger.usage.total == 0, "all canvases are released")
  }

  /// The number of pixels of a JPEG's source, summed over all previews of one input, after which no more are made: a
  /// thousand bytes may declare so many that each preview takes a second.
  private static let previewedPixelsLimit = 32 << 20

  /// Decodes previews in steps derived from the bytes. Some runs change earlier bytes between steps.
  private static func receivePreviews(
    _ bytes: [UInt8], _ style: ImageRequest.Progressive, _ options: DecodeOptions,
    _ previewedPixels: inout Int
  ) {
    guard let decoder = ImageCodecs().progressiveDecoder(style, options: options) else { return }
    var numbers = bytes.reduce(UInt32(truncatingIfNeeded: bytes.count)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    func next(_ bound: Int) -> Int {
      numbers = numbers &* 1_664_525 &+ 1_013_904_223
      return Int(numbers >> 8) % max(1, bound)
    }
    var bytes = bytes
    let isHonest = next(4) > 0
    let sourcePixels = JPEGHeader(bytes).map { $0.size.width * $0.size.height } ?? 0
    var count = 0
    while count < bytes.count, previewedPixels < previewedPixelsLimit {
      previewedPixels += sourcePixels
      count = min(bytes.count, count + 1 + next(next(3) == 0 ? bytes.count : 40))
      if !isHonest { bytes[next(count)] ^= UInt8(next(256)) }
      do throws(ImageError) {
        // A copy each time, so that a decoder that keeps a pointer to earlier bytes is detected.
        let data = Array(bytes.prefix(count))
        let expected = next(3) == 0 ? nil : next(2 * bytes.count)
        guard let image = try decoder.image(of: data, expectedLength: expected) else { continue }
        precondition(image.isPreview, "in part")
        check(image, target: options.target)
        decodeFrames(of: image)
      } catch {
        check(error)
      }
    }
  }

  /// Checks the invariants of every image.
  private static func check(_ image: Image, target: DecodeTarget?) {
    precondition(image.pixelWidth * image.pixelHeight <= limits.pixels, "within the limit")
    let size = target?.outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    precondition(image.pixelWidth == size?.width ?? image.sourceWidth, "as wide as requested")
    precondition(image.pixelHeight == size?.height ?? image.sourceHeight, "as high as requested")
    // Reads every pixel, so that a sanitizer detects pixels out of bounds.
    let isOpaque = image.bitmap.hasOnlyOpaquePixels
    precondition(isOpaque || !image.bitmap.isOpaque, "opaque if it says so")
  }

  private static func check(_ error: ImageError) {
    switch error {
    case .decoding, .tooLarge: break
    default: preconditionFailure("not an error of a decoder: \(error)")
    }
  }
}
