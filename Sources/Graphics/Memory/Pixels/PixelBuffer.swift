/// Bytes allocated from `PixelMemory` and freed with their last owner.
///
/// `@unchecked Sendable` because the owner writes the bytes before it shares the buffer, and only reads them
/// afterwards.
package final class PixelBuffer: @unchecked Sendable {
  package var bytes: UnsafeMutableRawBufferPointer { block.bytes }

  private let memory: PixelMemory
  private let block: PixelMemory.Block

  /// - Parameters:
  ///   - byteCount: The size in bytes, 0 or more.
  ///   - isZeroed: False if the caller writes all bytes before it reads them.
  package init(byteCount: Int, isZeroed: Bool = true, in memory: PixelMemory = .shared) {
    self.memory = memory
    block = memory.allocate(byteCount, isZeroed: isZeroed)
  }

  deinit { memory.free(block) }
}
