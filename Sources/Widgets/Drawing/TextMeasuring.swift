public import VitrineGraphics

/// Measures text as the renderer will draw it. The host injects one into each `Window`.
public protocol TextMeasuring: AnyObject {
  /// Width and line height in points of one line of text; of an empty text the width is 0.
  func size(of text: String, font: Font) -> Size
}

/// Every character half as wide as the font is high: for windows that have no host, and for tests.
public final class MonospaceMeasuring: TextMeasuring {
  /// Measures without a font file; there is nothing to choose.
  public init() {}

  /// Half the font's size a character; 1.25 times the size high, of an empty text too.
  public func size(of text: String, font: Font) -> Size {
    Size(width: Double(text.count) * font.size / 2, height: font.size * 1.25)
  }
}
