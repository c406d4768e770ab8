public import VitrineLoading

extension ImageCodecs {
  /// Returns the peak number of bytes that a decode allocates, computed from the header: the result, the codec's
  /// buffers (planes, rows, and for a JPEG with several scans all coefficients of two bytes each), the pixels before
  /// scaling, and the color conversion.
  ///
  /// Returns 0 for bytes that are no image, and for an image that `decode` refuses before it allocates memory. Takes
  /// some microseconds.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    SourceMemory(data, options: options)?.fullImage ?? 0
  }
}
