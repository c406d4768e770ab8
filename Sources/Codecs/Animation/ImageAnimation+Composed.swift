import VitrineGraphics
import VitrineLoading

extension ImageAnimation {
  /// Creates the animation of an encoded image whose frames are composed when they are shown; `nil` for fewer than two
  /// frames.
  ///
  /// - Parameters:
  ///   - bytes: The encoded image, which the animation keeps.
  ///   - plan: The plan by which frames are decoded.
  ///   - tableByteCount: The number of bytes that the format keeps for each frame, in addition to the table.
  ///   - colorByteCount: The number of bytes that a decoder keeps for the conversion of colors.
  ///   - frameByteCount: The number of bytes that the format allocates during the decode of one frame.
  ///   - isComplete: False if more frames of the file are still to arrive.
  ///   - makeFrames: Returns a new decoder of the frames. Must retain nothing but `bytes` and tables.
  convenience init?(
    _ table: AnimationTable, of bytes: AnimationBytes, plan: DecodePlan, tableByteCount: Int,
    colorByteCount: Int = 0, frameByteCount: Int, isComplete: Bool,
    makeFrames: @escaping @Sendable () throws(ImageError) -> ComposedFrames
  ) {
    guard table.frames.count > 1 else { return nil }
    let tableBytes = ByteCount.product(
      table.frames.count, ByteCount.sum(AnimationTable.bytesPerFrame, tableByteCount))
    self.init(
      durations: table.frames.map(\.duration), loopCount: table.loopCount, frameByteCount: plan.resultBytes,
      byteCount: ByteCount.sum(bytes.count, tableBytes),
      decoderByteCount: ByteCount.sum(table.composingBytes, colorByteCount),
      decodingByteCount: ByteCount.sum(frameByteCount, plan.frameDrawingBytes), isComplete: isComplete,
      source: isComplete ? bytes.source : nil
    ) { (beginning) throws(AnimationError) in
      do throws(ImageError) {
        let frames = try makeFrames()
        frames.goOn(from: beginning)
        return frames
      } catch {
        throw AnimationError(error)
      }
    }
  }
}

extension DecodePlan {
  /// The bytes that scaling and rotating a frame of an animation allocates.
  var frameDrawingBytes: Int { drawingBytes(of: Canvas.Source(stored, hasAlpha: true)) }
}
