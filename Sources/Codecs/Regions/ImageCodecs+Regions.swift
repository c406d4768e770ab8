import VitrineGraphics
package import VitrineLoading

extension ImageCodecs: ImageRegionDecoding {
  package func memoryForRegions(of bytes: EncodedBytes) -> Int {
    ImageSignature.format(of: bytes.prefix(16)) == .jpeg ? JPEGRegionDecoder.memory(bytes) : 0
  }

  /// Returns a decoder for a baseline JPEG with one scan, and one or three components.
  package func regionDecoder(
    for bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) -> any ImageRegionDecoder {
    guard ImageSignature.format(of: bytes.prefix(16)) == .jpeg else { throw .notSupported }
    return try JPEGRegionDecoder(bytes, options: options, cancellation: cancellation)
  }
}
