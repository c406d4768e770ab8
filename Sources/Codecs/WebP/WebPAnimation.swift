import CCodecs
import VitrineGraphics
import VitrineLoading

/// The frames of an animated WebP (RFC 9649, section 2.7.1.1): their layouts, and their ranges in the file.
///
/// A frame whose header is damaged, or that extends beyond the canvas, ends the animation before that frame. Damage
/// inside the pixels is found when the frame is decoded.
struct WebPAnimation: Sendable {
  let table: AnimationTable
  /// The range of the compressed pixels of each frame in the file.
  private let ranges: [Range<Int>]
  /// The number of bytes that the decode of the largest frame allocates, without the tables of code groups.
  private let frameByteCount: Int
  private let colorByteCount: Int

  /// The number of bytes of the table for each frame.
  static let bytesPerFrame = AnimationTable.bytesPerFrame + MemoryLayout<Range<Int>>.stride

  /// Returns the number of bytes of the tables of an animation.
  static func tableBytes(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let count = WebPChunks(bytes).reduce(0) { $0 + ($1.kind == .frame ? 1 : 0) }
    // The capacity of a growing array is up to twice what it holds, and the smaller array is copied.
    return ByteCount.product(count, 3 * bytesPerFrame)
  }

  /// Reads the headers of all frames. O(frames).
  init(_ container: WebPContainer, _ bytes: UnsafeBufferPointer<UInt8>) {
    let canvas = container.canvas
    var layouts: [FrameLayout] = []
    var ranges: [Range<Int>] = []
    var frameByteCount = 0
    if container.isAnimated {
      for chunk in WebPChunks(bytes) where chunk.kind == .frame {
        guard let header = WebPFrameHeader(chunk, bytes), header.fits(canvas),
          let frame = header.frame(bytes), layouts.count < AnimationTable.largestFrameCount
        else { break }
        layouts.append(header.layout(hasAlpha: frame.hasAlpha))
        ranges.append(header.pixels)
        let pixels = ByteCount.product(frame.size.width, frame.size.height, PixelFormat.bytesPerPixel)
        frameByteCount = max(frameByteCount, ByteCount.sum(pixels, frame.codecBytes(canvas: canvas)))
      }
    }
    table = AnimationTable(canvas: canvas, frames: layouts, loopCount: container.loopCount)
    self.ranges = ranges
    self.frameByteCount = frameByteCount
    colorByteCount = ICCProfile.conversionBytes(container.profileBytes)
  }

  /// Returns the animation of a file; `nil` if the file has fewer than two frames, or its canvas exceeds the
  /// limits.
  func animation(of data: [UInt8], plan: DecodePlan) -> ImageAnimation? {
    guard table.frames.count > 1 else { return nil }
    let needsCanvas = !hasIndependentFrames
    guard (try? plan.checkPixels(holdsSource: true)) != nil else { return nil }
    let options = plan.options
    let composingByteCount = needsCanvas ? table.composingBytes : 0
    return ImageAnimation(
      durations: table.frames.map(\.duration), loopCount: table.loopCount, frameByteCount: plan.resultBytes,
      byteCount: ByteCount.sum(data.count, ByteCount.product(table.frames.count, Self.bytesPerFrame)),
      decoderByteCount: ByteCount.sum(composingByteCount, frameByteCount, colorByteCount)
    ) { () throws(AnimationError) in
      do throws(ImageError) {
        let plan = try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
          try WebPContainer(bytes).plan(options)
        }
        guard needsCanvas else { return WebPIndependentFrames(self, data, plan) }
        return ComposedFrames(
          table, plan: plan, source: Source(self, data, options.pixelFormat), blend: .webP)
      } catch {
        throw AnimationError(error)
      }
    }
  }

  /// True if every frame covers the canvas, and no pixel of another frame shows through. Such frames can be scaled
  /// while they are decoded.
  var hasIndependentFrames: Bool {
    table.frames.indices.allSatisfy {
      table.frames[$0].covers(table.canvas) && table.keyframe(for: $0) == $0
    }
  }

  /// Calls `body` with a frame, placed at the origin of the canvas.
  func withFrame<Result>(
    _ index: Int, of data: [UInt8], _ body: (WebPFrame) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let pixels = UnsafeBufferPointer(rebasing: bytes[ranges[index]])
      let packed = WebPData(bytes: pixels.baseAddress, size: pixels.count)
      guard let frame = try WebPFrame(packed, at: (0, 0), size: table.frames[index].size) else {
        throw .decoding(.webp, message: "less than a frame's header")
      }
      return try body(frame)
    }
  }

  /// Decodes single frames in full size.
  private final class Source: FrameSource {
    private let animation: WebPAnimation
    private let data: [UInt8]
    private let format: PixelFormat

    init(_ animation: WebPAnimation, _ data: [UInt8], _ format: PixelFormat) {
      self.animation = animation
      self.data = data
      self.format = format
    }

    func decodeFrame(
      _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
    ) throws(ImageError) {
      try animation.withFrame(index, of: data) { (frame) throws(ImageError) in
        let bytesPerRow = frame.size.width * PixelFormat.bytesPerPixel
        let memory = PixelBuffer(byteCount: bytesPerRow * frame.size.height, isZeroed: false)
        // A frame has at least one pixel, hence an address.
        let pixels = memory.bytes.baseAddress.unsafelyUnwrapped
        try frame.decode(to: pixels, size: frame.size, format: format, cancellation: cancellation)
        for y in 0..<frame.size.height { draw(pixels + y * bytesPerRow, y) }
        withExtendedLifetime(memory) {}
      }
    }
  }
}

/// Decodes frames that do not depend on each other, directly to the requested size.
private final class WebPIndependentFrames: FrameDecoding {
  private let animation: WebPAnimation
  private let data: [UInt8]
  private let plan: DecodePlan

  init(_ animation: WebPAnimation, _ data: [UInt8], _ plan: DecodePlan) {
    self.animation = animation
    self.data = data
    self.plan = plan
  }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    guard animation.table.frames.indices.contains(index) else { throw .damaged("no frame \(index)") }
    do throws(ImageError) {
      return try DecodeCancellation.with(isCancelled) { (cancellation) throws(ImageError) in
        var plan = plan
        plan.cancellation = cancellation
        return try animation.withFrame(index, of: data) { (frame) throws(ImageError) in
          try frame.bitmap(plan)
        }
      }
    } catch {
      throw AnimationError(error)
    }
  }
}
