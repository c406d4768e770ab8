import VitrineGraphics

/// The arrangement of pages side by side.
///
/// Pages lie in slots of one width, numbered from left to right. Without loops, slot n has page n. With loops, slots go
/// on beyond both ends, and slot n has page n modulo the number of pages. A position is a slot number with a fraction:
/// at 1.5, the right half of slot 1 and the left half of slot 2 are visible. Positions do not depend on the width, so
/// that the visible page stays when the width changes.
nonisolated struct PageGeometry: Hashable {
  var count = 0
  /// The width of a page in points.
  var pageWidth = 0.0
  /// The gap between two pages in points.
  var spacing = 0.0
  /// True if the first page follows the last one.
  var loops = false

  /// The distance between the left edges of two slots in points, at least 1.
  var pitch: Double { max(1, pageWidth + spacing) }
  /// True if there is another page to move to.
  var canMove: Bool { count > 1 }
  var isEndless: Bool { loops && canMove }
  /// The positions at which a page is in place.
  var range: ClosedRange<Double> {
    isEndless
      ? -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude : 0...Double(max(0, count - 1))
  }

  /// Returns the page of a slot; `nil` beyond the ends.
  func page(at slot: Int) -> Int? {
    guard isEndless else { return (0..<count).contains(slot) ? slot : nil }
    let remainder = slot % count
    return remainder < 0 ? remainder + count : remainder
  }

  /// Returns the slot of a page that is nearest to a slot; of two, the one on the right.
  func slot(of page: Int, nearestTo slot: Int) -> Int {
    guard isEndless, let current = self.page(at: slot) else { return page }
    let forward = (page - current + count) % count
    return slot + (forward * 2 <= count ? forward : forward - count)
  }

  /// Returns the nearest slot that has a page.
  func limited(_ slot: Int) -> Int { isEndless ? slot : max(0, min(count - 1, slot)) }

  // MARK: Rubber band

  /// Returns the position shown for the position that a finger holds.
  func shown(forHeld position: Double) -> Double {
    isEndless
      ? position : RubberBand.shown(for: position, range: range, length: pageWidth / pitch)
  }

  /// Returns the position that a finger holds for the position shown, the inverse of `shown(forHeld:)`.
  func held(forShown position: Double) -> Double {
    isEndless
      ? position : RubberBand.pulled(to: position, range: range, length: pageWidth / pitch)
  }
}

/// A page in a slot.
nonisolated struct PagePlacement: Hashable {
  var slot: Int
  var page: Int
}
