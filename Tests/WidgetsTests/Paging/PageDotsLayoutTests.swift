import Testing
import VitrineGraphics

@testable import VitrineWidgets

@Suite("Page dots: layout")
struct PageDotsLayoutTests {
  private func layout(_ count: Int, current: Int, width: Double = 100) -> PageDotsLayout {
    PageDotsLayout(count: count, current: current, in: Rect(x: 0, y: 0, width: width, height: 24))
  }

  @Test func fewDotsLieInTheMiddle() {
    let dots = layout(3, current: 1).dots

    #expect(dots.map(\.page) == [0, 1, 2])
    #expect(dots.map(\.frame.minX) == [30, 46, 62])
    #expect(dots.allSatisfy { $0.frame.size == Size(width: 8, height: 8) && $0.frame.minY == 8 })
  }

  @Test func manyPagesShowAsManyDotsAsFitWithSmallerOnesAtTheEnds() {
    let middle = layout(100, current: 50).dots
    #expect(middle.map(\.page) == [47, 48, 49, 50, 51, 52])
    #expect(middle.map(\.frame.width) == [4, 6, 8, 8, 6, 4])
    let first = layout(100, current: 0).dots
    #expect(first.map(\.page) == [0, 1, 2, 3, 4, 5])
    #expect(first.map(\.frame.width) == [8, 8, 8, 8, 6, 4])
    let last = layout(100, current: 99).dots

    #expect(last.map(\.page) == [94, 95, 96, 97, 98, 99])
    #expect(last.map(\.frame.width) == [4, 6, 8, 8, 8, 8])
  }

  @Test func currentDotIsNeverSmall() {
    for current in 0..<20 {
      for width in stride(from: 8.0, through: 200, by: 9) {
        let dot = layout(20, current: current, width: width).dots.first { $0.page == current }
        #expect(dot?.frame.width == 8)
      }
    }
  }

  @Test func noDotsWithoutPagesOrSpace() {
    #expect(layout(0, current: 0).dots == [])
    #expect(layout(5, current: 0, width: 7).dots == [])
    #expect(layout(5, current: 0, width: 0).dots == [])
  }
}
