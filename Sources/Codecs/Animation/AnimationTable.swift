import VitrineGraphics
import VitrineLoading

/// The layouts of all frames of an animation, read without decompressing pixels.
///
/// The canvas is transparent before the first frame. The background color that a file states is ignored, as browsers
/// do.
struct AnimationTable: Sendable {
  /// The maximum number of frames that a table can have.
  static let largestFrameCount = Int(Int32.max)
  /// The number of bytes that the table and the durations take for each frame.
  static let bytesPerFrame =
    MemoryLayout<FrameLayout>.stride + MemoryLayout<Int32>.stride + MemoryLayout<Double>.stride

  /// The size of the composed frames.
  let canvas: PixelSize
  let frames: [FrameLayout]
  /// The number of times that the animation is played; 0 for ever.
  let loopCount: Int
  /// The number of pixels on the canvas that the largest frame with the disposal `.previous` covers.
  let largestSavedArea: Int
  /// The number of frames from a keyframe to the last frame that depends on the keyframe, at most.
  let longestRun: Int
  private let keyframes: [Int32]

  /// Creates a table of at most `largestFrameCount` frames. O(frames).
  init(canvas: PixelSize, frames: [FrameLayout], loopCount: Int) {
    precondition(frames.count <= Self.largestFrameCount, "as many frames as an animation may have")
    self.canvas = canvas
    self.frames = frames
    self.loopCount = loopCount
    var keyframes: [Int32] = []
    keyframes.reserveCapacity(frames.count)
    var (largestSavedArea, longestRun) = (0, 0)
    var keyframe: Int32 = 0
    // True if every pixel of the canvas is transparent before the frame is drawn.
    var isClear = true
    for (index, frame) in frames.enumerated() {
      let covers = frame.covers(canvas)
      // A frame that is undone depends on the pixels below, even if it hides them.
      if isClear || (covers && frame.replacesCanvas && frame.disposal != .previous) {
        keyframe = Int32(index)
      }
      keyframes.append(keyframe)
      longestRun = max(longestRun, index - Int(keyframe))
      if frame.disposal == .previous {
        let visible = frame.visibleSize(on: canvas)
        largestSavedArea = max(largestSavedArea, ByteCount.product(visible.width, visible.height))
      }
      isClear = frame.disposal != .none && (isClear || (covers && frame.disposal == .background))
    }
    self.keyframes = keyframes
    self.largestSavedArea = largestSavedArea
    self.longestRun = longestRun
  }

  /// Returns the number of the latest frame, at `index` or before, that can be drawn on a transparent canvas. O(1).
  func keyframe(for index: Int) -> Int { Int(keyframes[index]) }

  /// The number of bytes of a canvas and of the saved rectangle.
  var composingBytes: Int {
    ByteCount.sum(
      ByteCount.product(canvas.width, canvas.height, PixelFormat.bytesPerPixel),
      ByteCount.product(largestSavedArea, PixelFormat.bytesPerPixel))
  }
}

extension DecodeLimits {
  /// Returns the number of frames after which an animation ends, at least 1.
  func frameLimit(of canvas: PixelSize) -> Int {
    min(
      frameLimit(canvasWidth: canvas.width, canvasHeight: canvas.height), AnimationTable.largestFrameCount)
  }
}
