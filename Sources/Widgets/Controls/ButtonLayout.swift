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

/// Where the content of a button goes that is narrower than its place.
public nonisolated enum HorizontalAlignment: Hashable, Sendable, CaseIterable {
  /// At the left edge, in the middle, at the right edge, whatever the language.
  case left, center, right
  /// All over it: the image's box takes what the title leaves, and is filled as `Button.imageContentMode` says. A title
  /// is not stretched; it lies in the middle of its room.
  case fill

  /// Which share of the room that is left over lies on the left.
  var share: Double {
    switch self {
    case .left: 0
    case .center, .fill: 0.5
    case .right: 1
    }
  }
}

/// Where the content of a button goes that is lower than its place.
public nonisolated enum VerticalAlignment: Hashable, Sendable, CaseIterable {
  /// At the upper edge, in the middle, at the lower edge.
  case top, center, bottom
  /// All over it, as `HorizontalAlignment.fill`.
  case fill

  /// Which share of the room that is left over lies above.
  var share: Double {
    switch self {
    case .top: 0
    case .center, .fill: 0.5
    case .bottom: 1
    }
  }
}

/// Where picture and title of a button go: together in the middle of the content, or at one side of it.
nonisolated struct ButtonLayout: Hashable {
  var placement = ImagePlacement.leading
  var horizontal = HorizontalAlignment.center
  var vertical = VerticalAlignment.center
  var spacing = 8.0
  /// Distances from the edges of the place that the picture, and the title, would have.
  var imageInsets = Insets.zero
  var titleInsets = Insets.zero
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
      let largest = Rect(origin: .zero, size: room).inset(by: imageInsets).size
      fitted.image = Size(width: min(image.width, largest.width), height: min(image.height, largest.height))
    }
    let taken = placement.isBeside ? (fitted.image?.width ?? 0) + gap : 0
    return (fitted, max(0, room.width - max(0, titleInsets.left + titleInsets.right) - taken))
  }

  /// The places in `content`; zero for what is not there.
  func places(in content: Rect) -> (image: Rect, title: Rect) {
    var filled = self
    if let image {
      let title = title ?? .zero
      let besides = placement.isBeside
      filled.image = Size(
        width: horizontal == .fill ? content.width - (besides ? title.width + gap : 0) : image.width,
        height: vertical == .fill ? content.height - (besides ? 0 : title.height + gap) : image.height)
    }
    let (image, title) = filled.packed(in: content)
    return (
      self.image == nil ? image : moved(image, by: imageInsets),
      self.title == nil ? title : moved(title, by: titleInsets, isTitle: true)
    )
  }

  /// Insets make the room smaller in which a part is aligned; of what fills it they take their share.
  private func moved(_ place: Rect, by insets: Insets, isTitle: Bool = false) -> Rect {
    guard insets != .zero else { return place }
    func moved(
      _ start: Double, _ length: Double, _ near: Double, _ far: Double, _ share: Double, _ fills: Bool
    )
      -> (Double, Double)
    {
      fills ? (start + near, max(0, length - near - far)) : (start + near - (near + far) * share, length)
    }
    let (x, width) = moved(
      place.minX, place.width, insets.left, insets.right, horizontal.share, horizontal == .fill && !isTitle)
    let (y, height) = moved(
      place.minY, place.height, insets.top, insets.bottom, vertical.share, vertical == .fill && !isTitle)
    return Rect(x: x, y: y, width: width, height: height)
  }

  /// The places of both side by side, or one below the other, without their insets.
  private func packed(in content: Rect) -> (image: Rect, title: Rect) {
    let size = size
    let image = image ?? .zero
    let title = title ?? .zero
    let left = content.minX + (content.width - size.width) * horizontal.share
    let top = content.minY + (content.height - size.height) * vertical.share
    /// Across the line that both lie on each is aligned for itself.
    func place(_ part: Size, after other: Size?) -> Rect {
      let origin =
        placement.isBeside
        ? Point(
          x: left + (other.map { $0.width + gap } ?? 0),
          y: top + (size.height - part.height) * vertical.share)
        : Point(
          x: left + (size.width - part.width) * horizontal.share,
          y: top + (other.map { $0.height + gap } ?? 0))
      return Rect(origin: origin, size: part)
    }
    return placement.isFirst
      ? (place(image, after: nil), place(title, after: image))
      : (place(image, after: title), place(title, after: nil))
  }
}
