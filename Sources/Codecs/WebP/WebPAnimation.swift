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

  /// The frames whose headers have been read.
  struct FrameList: Sendable {
    fileprivate private(set) var layouts: [FrameLayout] = []
    fileprivate private(set) var ranges: [Range<Int>] = []
    /// The number of bytes that the decode of the largest frame allocates.
    fileprivate private(set) var frameByteCount = 0

    var count: Int { ranges.count }

    /// Appends the frame of a chunk. Returns false if the frame is not sound, or is one too many.
    mutating func append(
      _ chunk: WebPChunks.Chunk, of bytes: UnsafeBufferPointer<UInt8>, on canvas: PixelSize,
      limits: DecodeLimits
    ) -> Bool {
      guard let header = WebPFrameHeader(chunk, bytes), header.fits(canvas),
        let frame = header.frame(bytes), count < limits.frameLimit(of: canvas)
      else { return false }
      layouts.append(header.layout(hasAlpha: frame.hasAlpha))
      ranges.append(header.pixels)
      let pixels = ByteCount.product(frame.size.width, frame.size.height, PixelFormat.bytesPerPixel)
      frameByteCount = max(frameByteCount, ByteCount.sum(pixels, frame.codecBytes(canvas: canvas)))
      return true
    }
  }

  /// Returns the number of bytes of the tables of an animation.
  static func tableBytes(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    tableBytes(frameCount: WebPChunks(bytes).reduce(0) { $0 + ($1.kind == .frame ? 1 : 0) })
  }

  static func tableBytes(frameCount: Int) -> Int {
    // The capacity of a growing array is up to twice what it holds, and the smaller array is copied.
    ByteCount.product(frameCount, 3 * bytesPerFrame)
  }

  /// Reads the headers of all frames. O(frames).
  init(_ container: WebPContainer, _ bytes: UnsafeBufferPointer<UInt8>, limits: DecodeLimits) {
    var list = FrameList()
    if container.isAnimated {
      for chunk in WebPChunks(bytes) where chunk.kind == .frame {
        guard list.append(chunk, of: bytes, on: container.canvas, limits: limits) else { break }
      }
    }
    self.init(list, container)
  }

  /// Creates an animation of frames in the file of a container. O(frames).
  init(_ list: FrameList, _ container: WebPContainer) {
    self.init(
      list, canvas: container.canvas, loopCount: container.loopCount, profileBytes: container.profileBytes)
  }

  /// Creates an animation of frames that were read. O(frames).
  init(_ list: FrameList, canvas: PixelSize, loopCount: Int, profileBytes: Int) {
    table = AnimationTable(canvas: canvas, frames: list.layouts, loopCount: loopCount)
    ranges = list.ranges
    frameByteCount = list.frameByteCount
    colorByteCount = ICCProfile.conversionBytes(profileBytes)
  }

  /// Returns the animation of a file; `nil` if the file has fewer than two frames, or its canvas exceeds the
  /// limits.
  func animation(of bytes: AnimationBytes, plan: DecodePlan, isComplete: Bool = true) -> ImageAnimation? {
    guard table.frames.count > 1 else { return nil }
    let needsCanvas = !hasIndependentFrames
    guard (try? plan.checkPixels(holdsSource: true)) != nil else { return nil }
    let options = plan.options
    let composingByteCount = needsCanvas ? table.composingBytes : 0
    return ImageAnimation(
      durations: table.frames.map(\.duration), loopCount: table.loopCount, frameByteCount: plan.resultBytes,
      byteCount: ByteCount.sum(bytes.count, ByteCount.product(table.frames.count, Self.bytesPerFrame)),
      decoderByteCount: ByteCount.sum(composingByteCount, colorByteCount),
      decodingByteCount: ByteCount.sum(frameByteCount, plan.frameDrawingBytes), isComplete: isComplete,
      source: isComplete ? bytes.source : nil
    ) { (beginning) throws(AnimationError) in
      do throws(ImageError) {
        let plan = try WebPContainer.plan(bytes.beginning, options, isComplete: isComplete)
        guard needsCanvas else { return WebPIndependentFrames(self, bytes, plan) }
        let frames = ComposedFrames(
          table, plan: plan, source: Source(self, bytes, options.pixelFormat), blend: .webP)
        frames.goOn(from: beginning)
        return frames
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
    _ index: Int, of bytes: AnimationBytes, _ body: (WebPFrame) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    let segment = bytes.segment(at: ranges[index].lowerBound)
    return try segment.bytes.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let range = (ranges[index].lowerBound - segment.start)..<(ranges[index].upperBound - segment.start)
      let pixels = UnsafeBufferPointer(rebasing: bytes[range])
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
    private let bytes: AnimationBytes
    private let format: PixelFormat

    init(_ animation: WebPAnimation, _ bytes: AnimationBytes, _ format: PixelFormat) {
      self.animation = animation
      self.bytes = bytes
      self.format = format
    }

    func decodeFrame(
      _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
    ) throws(ImageError) {
      try animation.withFrame(index, of: bytes) { (frame) throws(ImageError) in
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
  private let bytes: AnimationBytes
  private let plan: DecodePlan

  init(_ animation: WebPAnimation, _ bytes: AnimationBytes, _ plan: DecodePlan) {
    self.animation = animation
    self.bytes = bytes
    self.plan = plan
  }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    guard animation.table.frames.indices.contains(index) else { throw .damaged("no frame \(index)") }
    do throws(ImageError) {
      return try DecodeCancellation.with(isCancelled) { (cancellation) throws(ImageError) in
        var plan = plan
        return try plan.limitingTime(cancellation) { (cancellation) throws(ImageError) in
          plan.cancellation = cancellation
          return try animation.withFrame(index, of: bytes) { (frame) throws(ImageError) in
            try frame.bitmap(plan)
          }
        }
      }
    } catch {
      throw AnimationError(error)
    }
  }
}
