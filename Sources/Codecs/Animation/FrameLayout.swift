/// The position of a frame on the canvas of an animation, and the rules for drawing the frame.
struct FrameLayout: Hashable, Sendable {
  /// The combination of a frame's pixels with those of the canvas.
  enum Blend: Hashable, Sendable {
    /// The pixels of the frame replace those of the canvas, also where they are transparent.
    case source
    /// The pixels of the frame are blended over those of the canvas.
    case over
  }

  /// The treatment of a frame's rectangle before the next frame is drawn.
  enum Disposal: Hashable, Sendable {
    /// The frame stays.
    case none
    /// The rectangle becomes transparent.
    case background
    /// The rectangle gets back the pixels that it had before the frame was drawn.
    case previous
  }

  /// The distance of the first column from the left edge of the canvas, 0 or more. The frame may extend beyond the
  /// canvas or lie outside of the canvas, where its pixels are not drawn.
  var x: Int
  /// The distance of the first row from the top edge of the canvas, 0 or more.
  var y: Int
  /// The size of the frame as encoded.
  var size: PixelSize
  /// The display time in seconds as stated in the file.
  var duration: Double
  var blend: Blend
  var disposal: Disposal
  /// True if pixels of the frame may be transparent.
  var hasAlpha: Bool

  /// Returns the size of the part that lies on a canvas; a side is 0 if the frame lies outside of the canvas.
  func visibleSize(on canvas: PixelSize) -> PixelSize {
    PixelSize(
      width: max(0, min(size.width, canvas.width - x)), height: max(0, min(size.height, canvas.height - y)))
  }

  /// Returns true if the frame lies on every pixel of a canvas.
  func covers(_ canvas: PixelSize) -> Bool { visibleSize(on: canvas) == canvas }

  /// True if nothing of the canvas shows through the frame.
  var replacesCanvas: Bool { blend == .source || !hasAlpha }
}
