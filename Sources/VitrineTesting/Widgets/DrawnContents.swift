public import VitrineGraphics
public import VitrineWidgets

/// The texts, images and rectangles that a drawing has added to a draw list, for tests of an application's own
/// `IndicatorDrawing` or `TransitionDrawing`.
///
/// ```swift
/// let drawn = DrawnContents(in: rect) { Dot().draw(IndicatorMoment(time: 0.5), in: rect, into: &$0) }
/// #expect(drawn.fills(of: .white) == [rect])
/// ```
public struct DrawnContents: Sendable {
  private let commands: [DrawList.Command]

  /// Calls `draw` with an empty list, and keeps what is added. Commands outside `visibleRect` are dropped, as on a
  /// screen.
  public init(in visibleRect: Rect, _ draw: (inout DrawList) -> Void) {
    var list = DrawList(visibleRect: visibleRect)
    draw(&list)
    self.init(list)
  }

  init(_ list: DrawList) { commands = list.commands }

  /// The visible lines of text, back to front.
  public var texts: [String] {
    commands.compactMap { if case .text(let text, _, _, _) = $0 { text } else { nil } }
  }

  /// The visible images, back to front. A dissolve yields both images, each with its opacity scaled by the progress.
  public var images: [DrawList.ImageCommand] {
    commands.flatMap { command -> [DrawList.ImageCommand] in
      switch command {
      case .image(let command): return [command]
      case .dissolve(var old, var new, let fraction):
        old.opacity *= 1 - fraction
        new.opacity *= fraction
        return [old, new]
      default: return []
      }
    }
  }

  /// Returns the rectangles filled with a color, back to front.
  public func fills(of color: Color) -> [Rect] {
    commands.compactMap {
      if case .fill(let rect, color, _) = $0 { rect } else { nil }
    }
  }
}
