import VitrineGraphics

/// The side of a button's title on which the image lies.
public nonisolated enum ImagePlacement: Hashable, Sendable, CaseIterable {
  /// Left or right of the title, independent of the language.
  case leading, trailing
  /// Above or below the title.
  case top, bottom

  var isBeside: Bool { self == .leading || self == .trailing }
  var isFirst: Bool { self == .leading || self == .top }
}

/// The horizontal alignment of a button's content that is narrower than the available width.
public nonisolated enum HorizontalAlignment: Hashable, Sendable, CaseIterable {
  /// Left, center and right, independent of the language.
  case left, center, right
  /// The full width: the image's box takes the width that the title leaves and is filled according to
  /// `Button.imageContentMode`. The title is not stretched but centered.
  case fill

  /// The fraction of the unused width on the left.
  var fraction: Double {
    switch self {
    case .left: 0
    case .center, .fill: 0.5
    case .right: 1
    }
  }
}

/// The vertical alignment of a button's content that is lower than the available height.
public nonisolated enum VerticalAlignment: Hashable, Sendable, CaseIterable {
  /// Top, center and bottom.
  case top, center, bottom
  /// The full height, as `HorizontalAlignment.fill` for the width.
  case fill

  /// The fraction of the unused height above the content.
  var fraction: Double {
    switch self {
    case .top: 0
    case .center, .fill: 0.5
    case .bottom: 1
    }
  }
}

/// The layout of a button's image and title, aligned as a group within the content rectangle.
nonisolated struct ButtonLayout: Hashable {
  var placement = ImagePlacement.leading
  var horizontal = HorizontalAlignment.center
  var vertical = VerticalAlignment.center
  var spacing = 8.0
  /// The insets from the frames that the image and the title would have.
  var imageInsets = Insets.zero
  var titleInsets = Insets.zero
  /// The size of the image's box; `nil` without an image.
  var image: Size?
  /// The size of the title; `nil` without a title.
  var title: Size?

  private var gap: Double { image == nil || title == nil ? 0 : spacing }

  /// The size of the image and the title together.
  var size: Size {
    let image = image ?? .zero
    let title = title ?? .zero
    return placement.isBeside
      ? Size(width: image.width + gap + title.width, height: max(image.height, title.height))
      : Size(width: max(image.width, title.width), height: image.height + gap + title.height)
  }

  /// Returns a layout whose image is no larger than `availableSize` without the insets, and the remaining width for
  /// the title.
  func fitted(into availableSize: Size) -> (layout: ButtonLayout, titleWidth: Double) {
    var fitted = self
    if let image {
      let largest = Rect(origin: .zero, size: availableSize).inset(by: imageInsets).size
      fitted.image = Size(width: min(image.width, largest.width), height: min(image.height, largest.height))
    }
    let usedWidth = placement.isBeside ? (fitted.image?.width ?? 0) + gap : 0
    return (fitted, max(0, availableSize.width - max(0, titleInsets.left + titleInsets.right) - usedWidth))
  }

  /// Returns the frames of image and title in `content`. The frame of a missing part has size zero.
  func frames(in content: Rect) -> (image: Rect, title: Rect) {
    var filled = self
    if let image {
      let title = title ?? .zero
      let isBeside = placement.isBeside
      filled.image = Size(
        width: horizontal == .fill ? content.width - (isBeside ? title.width + gap : 0) : image.width,
        height: vertical == .fill ? content.height - (isBeside ? 0 : title.height + gap) : image.height)
    }
    let (image, title) = filled.packed(in: content)
    return (
      self.image == nil ? image : moved(image, by: imageInsets),
      self.title == nil ? title : moved(title, by: titleInsets, isTitle: true)
    )
  }

  /// Moves a part by its insets: they shrink the rectangle in which the part is aligned. A part that fills the
  /// rectangle shrinks with it.
  private func moved(_ frame: Rect, by insets: Insets, isTitle: Bool = false) -> Rect {
    guard insets != .zero else { return frame }
    func moved(
      _ start: Double, _ length: Double, _ near: Double, _ far: Double, _ fraction: Double, _ fills: Bool
    )
      -> (Double, Double)
    {
      fills ? (start + near, max(0, length - near - far)) : (start + near - (near + far) * fraction, length)
    }
    let (x, width) = moved(
      frame.minX, frame.width, insets.left, insets.right, horizontal.fraction,
      horizontal == .fill && !isTitle)
    let (y, height) = moved(
      frame.minY, frame.height, insets.top, insets.bottom, vertical.fraction, vertical == .fill && !isTitle)
    return Rect(x: x, y: y, width: width, height: height)
  }

  /// Returns the frames of image and title, in a row or a column, without insets.
  private func packed(in content: Rect) -> (image: Rect, title: Rect) {
    let size = size
    let image = image ?? .zero
    let title = title ?? .zero
    let left = content.minX + (content.width - size.width) * horizontal.fraction
    let top = content.minY + (content.height - size.height) * vertical.fraction
    /// Each part is aligned separately on the cross axis.
    func frame(_ part: Size, after other: Size?) -> Rect {
      let origin =
        placement.isBeside
        ? Point(
          x: left + (other.map { $0.width + gap } ?? 0),
          y: top + (size.height - part.height) * vertical.fraction)
        : Point(
          x: left + (size.width - part.width) * horizontal.fraction,
          y: top + (other.map { $0.height + gap } ?? 0))
      return Rect(origin: origin, size: part)
    }
    return placement.isFirst
      ? (frame(image, after: nil), frame(title, after: image))
      : (frame(image, after: title), frame(title, after: nil))
  }
}
