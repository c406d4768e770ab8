import VitrineGraphics

/// The places of page dots: in the middle, as many as fit. Where more pages follow, the last two dots are smaller.
nonisolated struct PageDotsLayout: Hashable {
  /// The diameter of a dot and the gap between two dots, in points.
  static let diameter = 8.0
  static let gap = 8.0
  /// The diameters at an end beyond which there are more pages, outermost first, as fractions of `diameter`.
  private static let endFractions = [0.5, 0.75]

  /// The dot of a page.
  struct Dot: Hashable {
    let page: Int
    let frame: Rect
  }

  let dots: [Dot]

  init(count: Int, current: Int, in bounds: Rect) {
    let pitch = Self.diameter + Self.gap
    let fitting = ((bounds.width + Self.gap) / pitch).rounded(.down).clamped(to: 0...1000)
    let shown = min(max(0, count), Int(fitting))
    let first = max(0, min(count - shown, current - shown / 2))
    let last = first + shown - 1
    // In whole points, so that all dots look alike.
    let left = (bounds.midX - Self.width(of: shown) / 2).rounded(.down)
    let middle = bounds.midY.rounded(.down)
    dots = (0..<shown).map { index in
      let page = first + index
      var fraction = 1.0
      if page != current {
        if first > 0, index < Self.endFractions.count { fraction = Self.endFractions[index] }
        let fromEnd = last - page
        if last < count - 1, fromEnd < Self.endFractions.count {
          fraction = min(fraction, Self.endFractions[fromEnd])
        }
      }
      let diameter = Self.diameter * fraction
      let center = left + Double(index) * pitch + Self.diameter / 2
      return Dot(
        page: page,
        frame: Rect(x: center - diameter / 2, y: middle - diameter / 2, width: diameter, height: diameter))
    }
  }

  /// Returns the width of a number of dots in points.
  static func width(of count: Int) -> Double { max(0, Double(count) * (diameter + gap) - gap) }
}
