import VitrineGraphics

/// How picture and title of a button lie to each other.
public nonisolated enum ButtonArrangement: Hashable, Sendable {
  /// Picture left of the title.
  case horizontal
  /// Picture above the title.
  case vertical
}

/// Where picture and title of a button go: together in the middle of the content, or at one side of it.
nonisolated struct ButtonLayout: Hashable {
  var arrangement = ButtonArrangement.horizontal
  var alignment = TextAlignment.center
  var spacing = 8.0
  /// Of the picture's box; nil where there is none.
  var image: Size?
  /// Of the title; nil where there is none.
  var title: Size?

  private var gap: Double { image == nil || title == nil ? 0 : spacing }

  /// Room that picture and title take.
  var size: Size {
    let image = image ?? .zero
    let title = title ?? .zero
    switch arrangement {
    case .horizontal:
      return Size(width: image.width + gap + title.width, height: max(image.height, title.height))
    case .vertical:
      return Size(width: max(image.width, title.width), height: image.height + gap + title.height)
    }
  }

  /// The layout with a picture that is no larger than its room, and what that leaves for the title's width.
  func fitted(into room: Size) -> (layout: ButtonLayout, titleWidth: Double) {
    var fitted = self
    if let image {
      fitted.image = Size(width: min(image.width, room.width), height: min(image.height, room.height))
    }
    let taken = arrangement == .horizontal ? (fitted.image?.width ?? 0) + gap : 0
    return (fitted, max(0, room.width - taken))
  }

  /// The places in `content`; zero for what is not there.
  func places(in content: Rect) -> (image: Rect, title: Rect) {
    let size = size
    let image = image ?? .zero
    let title = title ?? .zero
    let left = content.minX + alignment.offset(of: size.width, in: content.width)
    let top = content.midY - size.height / 2
    switch arrangement {
    case .horizontal:
      return (
        Rect(origin: Point(x: left, y: content.midY - image.height / 2), size: image),
        Rect(
          origin: Point(x: left + image.width + gap, y: content.midY - title.height / 2), size: title)
      )
    case .vertical:
      func x(_ width: Double) -> Double { left + alignment.offset(of: width, in: size.width) }
      return (
        Rect(origin: Point(x: x(image.width), y: top), size: image),
        Rect(origin: Point(x: x(title.width), y: top + image.height + gap), size: title)
      )
    }
  }
}
