/// A decoder for frames that were made in memory.
final class MemoryFrames: FrameDecoding {
  private let bitmaps: [Bitmap]

  init(_ bitmaps: [Bitmap]) { self.bitmaps = bitmaps }

  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
    guard bitmaps.indices.contains(index) else { throw .damaged("no frame \(index)") }
    return bitmaps[index]
  }
}

extension ImageAnimation {
  /// Creates an animation of frames that are in memory, at least one.
  convenience init(_ frames: [Image.Frame], loopCount: Int) {
    let bitmaps = frames.map(\.bitmap)
    self.init(
      durations: frames.map(\.duration), loopCount: loopCount,
      frameByteCount: bitmaps.map(\.byteCount).max() ?? 0,
      // The first frame is the image's own bitmap.
      byteCount: bitmaps.dropFirst().reduce(0) { ByteCount.sum($0, $1.byteCount) }, decoderByteCount: 0,
      isComplete: true, firstFrameByteCount: bitmaps[0].byteCount
    ) { (_) throws(AnimationError) in MemoryFrames(bitmaps) }
  }
}
