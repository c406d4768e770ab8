/// What a picture was encoded as.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// Baseline or progressive, grey, colour or CMYK.
  case jpeg
  /// Any colour type and depth, interlaced or not; of an animated one the first picture.
  case png
  /// Lossy or lossless, with or without alpha; of an animation the first frame.
  case webp
  /// The first frame of a GIF.
  case gif
  /// Made in memory, not decoded: a test picture, a drawn glyph.
  case raw
}
