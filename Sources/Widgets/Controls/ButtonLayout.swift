import VitrineGraphics

/// On which side of a button's title its image lies.
public nonisolated enum ImagePlacement: Hashable, Sendable, CaseIterable {
  /// Left and right of the title, whatever the language.
  case leading, trailing
  /// Above and below the title.
  case top, bottom

  var isBeside: Bool { self == .leading || self == .trailing }
  var isFirst: Bool { self == .leading || self == .top }
}

/// Where content goes that is lower than its place.
public nonisolated enum VerticalAlignment: Hashable, Sendable, CaseIterable {
  /// At the upper edge, in the middle, at the lower edge.
  case top, center, bottom

  /// Distance from the upper edge, for something `height` high in a place `room` high.
  func offset(of height: Double, in room: Double) -> Double {
    switch self {
    case .top: 0
    case .center: (room - height) / 2
    case .bottom: room - height
    }
  }
}

/// Where picture and title of a button go: together in the middle of the content, or at one side of it.
nonisolated struct ButtonLayout: Hashable {
  var placement = ImagePlacement.leading
  var horizontal = TextAlignment.center
  var vertical = VerticalAlignment.center
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
    return placement.isBeside
      ? Size(width: image.width + gap + title.width, height: max(image.height, title.height))
      : Size(width: max(image.width, title.width), height: image.height + gap + title.height)
  }

  /// The layout with a picture that is no larger than its room, and what that leaves for the title's width.
  func fitted(into room: Size) -> (layout: ButtonLayout, titleWidth: Double) {
    var fitted = self
    if let image {
      fitted.image = Size(width: min(image.width, room.width), height: min(image.height, room.height))
    }
    let taken = placement.isBeside ? (fitted.image?.width ?? 0) + gap : 0
    return (fitted, max(0, room.width - taken))
  }

  /// The places in `content`; zero for what is not there.
  func places(in content: Rect) -> (image: Rect, title: Rect) {
    let size = size
    let image = image ?? .zero
    let title = title ?? .zero
    let left = content.minX + horizontal.offset(of: size.width, in: content.width)
    let top = content.minY + vertical.offset(of: size.height, in: content.height)
    /// Across the line that both lie on each is aligned for itself.
    func place(_ part: Size, after other: Size?) -> Rect {
      let origin =
        placement.isBeside
        ? Point(
          x: left + (other.map { $0.width + gap } ?? 0),
          y: top + vertical.offset(of: part.height, in: size.height))
        : Point(
          x: left + horizontal.offset(of: part.width, in: size.width),
          y: top + (other.map { $0.height + gap } ?? 0))
      return Rect(origin: origin, size: part)
    }
    return placement.isFirst
      ? (place(image, after: nil), place(title, after: image))
      : (place(image, after: title), place(title, after: nil))
  }
}
