import VitrineGraphics
import VitrineLoading

extension ImageAnimation {
  /// Creates the animation of an encoded image whose frames are composed when they are shown; `nil` for fewer than two
  /// frames.
  ///
  /// - Parameters:
  ///   - data: The encoded image, which the animation keeps.
  ///   - plan: The plan by which frames are decoded.
  ///   - tableByteCount: The number of bytes that the format keeps for each frame, in addition to the table.
  ///   - frameByteCount: The number of bytes that the format allocates during the decode of one frame.
  ///   - makeFrames: Returns a new decoder of the frames. Must retain nothing but `data` and tables.
  convenience init?(
    _ table: AnimationTable, of data: [UInt8], plan: DecodePlan, tableByteCount: Int, frameByteCount: Int,
    makeFrames: @escaping @Sendable () throws(ImageError) -> ComposedFrames
  ) {
    guard table.frames.count > 1 else { return nil }
    let tableBytes = ByteCount.product(
      table.frames.count, ByteCount.sum(AnimationTable.bytesPerFrame, tableByteCount))
    self.init(
      durations: table.frames.map(\.duration), loopCount: table.loopCount, frameByteCount: plan.resultBytes,
      byteCount: ByteCount.sum(data.count, tableBytes),
      decoderByteCount: ByteCount.sum(table.composingBytes, frameByteCount)
    ) { () throws(AnimationError) in
      do throws(ImageError) { return try makeFrames() } catch { throw AnimationError(error) }
    }
  }
}
