import Testing
import VitrineGraphics
import VitrineWidgets

/// Compares the region with a bitmap: a limited number of rectangles must cover all inserted rectangles.
@Suite("Dirty region", .timeLimit(.minutes(5)))
nonisolated struct DirtyRegionTests {
  /// A set of unit squares.
  private struct Squares {
    static let side = 24
    var isDirty = [Bool](repeating: false, count: side * side)

    mutating func insert(_ rect: Rect) {
      for y in 0..<Self.side {
        for x in 0..<Self.side where Squares.contains(rect, x, y) { isDirty[y * Self.side + x] = true }
      }
    }

    /// Returns true if a rectangle of whole points contains a square.
    static func contains(_ rect: Rect, _ x: Int, _ y: Int) -> Bool {
      rect.minX <= Double(x) && Double(x + 1) <= rect.maxX && rect.minY <= Double(y)
        && Double(y + 1) <= rect.maxY
    }
  }

  private struct Random {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }

    /// Returns a random rectangle of whole points within the squares, sometimes an empty one.
    mutating func rect(longest: Int) -> Rect {
      let (x, y) = (below(Squares.side), below(Squares.side))
      return Rect(
        x: Double(x), y: Double(y), width: Double(min(below(longest + 1), Squares.side - x)),
        height: Double(min(below(longest + 1), Squares.side - y)))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func regionCoversEveryInsertedRectangle(seed: UInt64) {
    var random = Random(state: seed)
    var region = DirtyRegion()
    var model = Squares()
    let longest = [2, 4, 10][Int(seed % 3)]

    for _ in 0..<40 {
      let rect = random.rect(longest: longest)
      region.insert(rect)
      model.insert(rect)

      #expect(region.rects.count <= DirtyRegion.capacity)
      #expect(region.isEmpty == !model.isDirty.contains(true))
      #expect(uncovered(model, by: region.rects) == 0)
      let hasEmptyRect = region.rects.contains(where: \.isEmpty)
      #expect(!hasEmptyRect)
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func takeClipsToTheBoundsAndEmptiesTheRegion(seed: UInt64) {
    var random = Random(state: seed &* 977)
    var region = DirtyRegion()
    var model = Squares()
    let bounds = Rect(x: 4, y: 4, width: 12, height: 15)
    for _ in 0..<30 {
      let rect = random.rect(longest: 5)
      region.insert(rect)
      model.insert(rect.intersection(bounds))
    }

    let rects = region.takeRects(within: bounds)

    #expect(uncovered(model, by: rects) == 0)
    #expect(rects.allSatisfy { bounds.intersection($0) == $0 && !$0.isEmpty })
    #expect(region.isEmpty)
    #expect(region.takeRects(within: bounds).isEmpty)
  }

  @Test func thirteenthRectangleJoinsTheRectangleThatGrowsLeast() {
    var region = DirtyRegion()
    let corners = (0..<12).map { Rect(x: Double($0 % 4) * 100, y: Double($0 / 4) * 100, width: 4, height: 4) }
    for corner in corners { region.insert(corner) }
    #expect(region.rects.count == 12)

    region.insert(Rect(x: 110, y: 100, width: 4, height: 4))

    #expect(region.rects.count == 12)
    #expect(
      Set(region.rects)
        == Set(
          corners.filter { $0.minX != 100 || $0.minY != 100 } + [Rect(x: 100, y: 100, width: 14, height: 4)]))
  }

  @Test func touchingRectanglesAreJoined() {
    var region = DirtyRegion()

    region.insert(Rect(x: 0, y: 0, width: 10, height: 10))
    region.insert(Rect(x: 20, y: 0, width: 10, height: 10))
    region.insert(Rect(x: 10, y: 0, width: 10, height: 10))

    #expect(region.rects == [Rect(x: 0, y: 0, width: 30, height: 10)])
  }

  private func uncovered(_ model: Squares, by rects: [Rect]) -> Int {
    var count = 0
    for y in 0..<Squares.side {
      for x in 0..<Squares.side where model.isDirty[y * Squares.side + x] {
        if !rects.contains(where: { Squares.contains($0, x, y) }) { count += 1 }
      }
    }
    return count
  }
}
