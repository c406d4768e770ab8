import Vitrine

/// Views side by side, or one below the other, each with its own size.
final class ButtonStack: View {
  private let sizes: [Size]
  private let isVertical: Bool
  private let gap: Double

  init(_ items: [(view: View, size: Size)], isVertical: Bool = false, gap: Double = 24) {
    sizes = items.map(\.size)
    self.isVertical = isVertical
    self.gap = gap
    super.init()
    for (view, _) in items { addSubview(view) }
  }

  /// Creates a row of views of equal size.
  convenience init(_ views: [View], size: Size) { self.init(views.map { ($0, size) }) }

  override func sizeThatFits(_ size: Size) -> Size {
    let gaps = gap * Double(max(0, sizes.count - 1))
    let widths = sizes.map(\.width), heights = sizes.map(\.height)
    return isVertical
      ? Size(width: widths.max() ?? 0, height: heights.reduce(gaps, +))
      : Size(width: widths.reduce(gaps, +), height: heights.max() ?? 0)
  }

  override func layoutSubviews() {
    let frames = Self.frames(of: sizes, in: bounds.size, isVertical: isVertical, gap: gap)
    for (view, frame) in zip(subviews, frames) { view.frame = frame }
  }

  /// The smallest gap between views side by side, in points.
  private nonisolated static let leastGap = 8.0

  /// Returns the frames of views in an area that is as large as they need, or smaller: then the gaps of a row become
  /// narrower first, and then all its views do.
  nonisolated static func frames(of sizes: [Size], in area: Size, isVertical: Bool, gap: Double) -> [Rect] {
    var position = 0.0
    guard !isVertical else {
      return sizes.map { size in
        defer { position += size.height + gap }
        let width = min(size.width, area.width)
        return Rect(x: ((area.width - width) / 2).rounded(), y: position, width: width, height: size.height)
      }
    }
    let total = sizes.map(\.width).reduce(0, +)
    let gaps = Double(max(1, sizes.count - 1))
    let usedGap = min(gap, max(leastGap, ((area.width - total) / gaps).rounded(.down)))
    let factor = min(1, max(0, area.width - usedGap * Double(sizes.count - 1)) / max(1, total))
    return sizes.map { size in
      defer { position += size.width * factor + usedGap }
      return Rect(
        x: position, y: ((area.height - size.height) / 2).rounded(), width: size.width * factor,
        height: size.height)
    }
  }
}
