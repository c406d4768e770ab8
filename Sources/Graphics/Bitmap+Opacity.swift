extension Bitmap {
  /// True if every alpha byte is 255. O(*n*) in the number of pixels.
  package var hasOnlyOpaquePixels: Bool { withUnsafeBytes { $0.hasOnlyOpaquePixels } }
}

extension UnsafeRawBufferPointer {
  /// True if the alpha of every pixel is 255. O(*n*); ends soon after the first pixel that is not opaque.
  ///
  /// - Precondition: The bytes are whole pixels, at an address that is a multiple of four.
  package var hasOnlyOpaquePixels: Bool {
    let pixels = assumingMemoryBound(to: UInt32.self)
    let pixelsAtOnce = 1024
    for start in Swift.stride(from: 0, to: pixels.count, by: pixelsAtOnce) {
      var all = UInt32.max
      for pixel in pixels[start..<Swift.min(start + pixelsAtOnce, pixels.count)] {
        all &= UInt32(littleEndian: pixel)
      }
      if all >> 24 != 0xFF { return false }
    }
    return true
  }
}
