/// What a picture was encoded as.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  case jpeg
  case png
  case webp
  case gif
  /// Made in memory, not decoded: a test picture, a drawn glyph.
  case raw
}
