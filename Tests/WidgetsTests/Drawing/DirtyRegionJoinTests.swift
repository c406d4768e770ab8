import Testing
import VitrineGraphics
import VitrineWidgets

/// Joins of dirty rectangles that cause further joins.
@Suite("Dirty region: joins")
struct DirtyRegionJoinTests {
  @Test func joinCausesAJoinWithAnEarlierRectangle() {
    var region = DirtyRegion()
    region.insert(Rect(x: 0, y: 0, width: 20, height: 10))
    region.insert(Rect(x: 0, y: 10, width: 10, height: 10))
    #expect(region.rects.count == 2)

    region.insert(Rect(x: 10, y: 10, width: 10, height: 10))

    #expect(region.rects == [Rect(x: 0, y: 0, width: 20, height: 20)])
  }

  @Test func emptyRectanglesAreDropped() {
    var region = DirtyRegion()
    region.insert(Rect(x: 5, y: 5, width: 0, height: 10))
    region.insert(Rect(x: 5, y: 5, width: .nan, height: 10))
    #expect(region.isEmpty)

    region.insert(Rect(x: 5, y: 5, width: 10, height: 10))
    #expect(region.takeRects(within: Rect(x: 0, y: 0, width: 5, height: 5)).isEmpty)
    #expect(region.isEmpty)
  }
}
