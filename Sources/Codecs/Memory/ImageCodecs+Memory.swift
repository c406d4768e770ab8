public import VitrineLoading

extension ImageCodecs {
  /// The bytes that decoding takes at once, computed from the header: the result, the codec's buffers (all coefficients of a
  /// JPEG in scans, two bytes each; planes and rows), the pixels on their way to the result, and the conversion of
  /// colours.
  ///
  /// 0 for bytes that are no image, and for an image that `decode` refuses before it takes memory. Takes some microseconds.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int {
    SourceMemory(data, options: options)?.whole ?? 0
  }
}
