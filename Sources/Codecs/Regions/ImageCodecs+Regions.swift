import VitrineGraphics
package import VitrineLoading

extension ImageCodecs: ImageRegionDecoding {
  package func memoryForRegions(of bytes: EncodedBytes) -> Int {
    switch ImageSignature.format(of: bytes.prefix(16)) {
    case .jpeg: JPEGRegionDecoder.memory(bytes)
    case .png: PNGRegionDecoder.memory(bytes)
    default: 0
    }
  }

  /// Returns a decoder for a baseline JPEG with one scan, and one or three components, or for a PNG that is neither
  /// interlaced nor animated.
  package func regionDecoder(
    for bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) -> any ImageRegionDecoder {
    switch ImageSignature.format(of: bytes.prefix(16)) {
    case .jpeg: try JPEGRegionDecoder(bytes, options: options, cancellation: cancellation)
    case .png: try PNGRegionDecoder(bytes, options: options, cancellation: cancellation)
    default: throw .notSupported
    }
  }
}
