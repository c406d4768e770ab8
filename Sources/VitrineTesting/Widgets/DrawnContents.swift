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
  /// Images in a group are as translucent as the group.
  public var images: [DrawList.ImageCommand] {
    var images: [DrawList.ImageCommand] = []
    var groups: [Double] = []
    func add(_ image: DrawList.ImageCommand, _ opacity: Double) {
      var image = image
      image.opacity *= groups.reduce(opacity, *)
      images.append(image)
    }
    for command in commands {
      switch command {
      case .image(let command): add(command, 1)
      case .dissolve(let old, let new, let fraction):
        add(old, 1 - fraction)
        add(new, fraction)
      case .pushGroup(_, let opacity): groups.append(opacity)
      case .popGroup: groups.removeLast()
      default: break
      }
    }
    return images
  }

  /// Returns the rectangles filled with a color, back to front.
  public func fills(of color: Color) -> [Rect] {
    commands.compactMap {
      if case .fill(let rect, color, _) = $0 { rect } else { nil }
    }
  }
}
