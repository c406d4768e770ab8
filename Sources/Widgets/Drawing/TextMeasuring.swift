public import VitrineGraphics

/// Measures text as the renderer draws it, for views that draw text themselves; see `Window.textMeasuring`.
///
/// The host of a window on a screen has its own measuring, which agrees with its fonts. A test may pass another one to
/// its `TestWindow`.
@MainActor
public protocol TextMeasuring: AnyObject {
  /// Returns the width and the line height of one line of text, in points. The width of an empty text is 0.
  func size(of text: String, font: Font) -> Size
}

/// Measures text as if each character were half as wide as the font size, for windows without a host and for tests.
package final class MonospaceMeasuring: TextMeasuring {
  /// Creates a measuring that needs no font file.
  package init() {}

  /// Returns half the font size per character as width and 1.25 times the font size as height, also for an empty text.
  package func size(of text: String, font: Font) -> Size {
    Size(width: Double(text.count) * font.size / 2, height: font.size * 1.25)
  }
}
