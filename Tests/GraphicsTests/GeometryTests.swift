import Testing
import VitrineGraphics

/// Rectangles, sizes, points and their arithmetic.
@Suite struct GeometryTests {
  private let box = Rect(x: 10, y: 20, width: 30, height: 40)

  @Test func edgesFollowFromOriginAndSize() {
    #expect([box.minX, box.midX, box.maxX] == [10, 25, 40])
    #expect([box.minY, box.midY, box.maxY] == [20, 40, 60])
    #expect(box.center == Point(x: 25, y: 40))
  }

  @Test func rightAndBottomEdgeAreOutside() {
    #expect(box.contains(Point(x: 10, y: 20)))
    #expect(!box.contains(Point(x: 40, y: 30)))
    #expect(!box.contains(Point(x: 20, y: 60)))
    #expect(!box.contains(Point(x: 9.9, y: 30)))
  }

  @Test func rectangleContainsItself() {
    #expect(box.contains(box))
    #expect(box.contains(box.inset(by: 1)))
    #expect(!box.contains(box.offset(by: Point(x: 1, y: 0))))
  }

  @Test(arguments: [Point(x: 1, y: 0), Point(x: -1, y: 0), Point(x: 0, y: 1), Point(x: 0, y: -1)])
  func rectangleBeyondOneEdgeIsNotContained(offset: Point) {
    #expect(!box.contains(box.offset(by: offset)))
  }

  @Test func intersectionIsTheSharedArea() {
    let other = Rect(x: 30, y: 50, width: 100, height: 100)

    #expect(box.intersection(other) == Rect(x: 30, y: 50, width: 10, height: 10))
    #expect(box.intersects(other))
  }

  @Test func touchingRectanglesDoNotIntersect() {
    let neighbour = box.offset(by: Point(x: 30, y: 0))

    #expect(!box.intersects(neighbour))
    #expect(box.intersection(neighbour) == .zero)
  }

  @Test(arguments: [(0.0, 0.0), (5, 0), (0, 5), (-3, 5), (.nan, 5)])
  func emptyRectangleIntersectsNothing(width: Double, height: Double) {
    let empty = Rect(x: 15, y: 25, width: width, height: height)

    #expect(empty.isEmpty)
    #expect(!box.intersects(empty))
    #expect(!empty.intersects(box))
    #expect(box.intersection(empty) == .zero)
    #expect(box.union(empty) == box)
    #expect(empty.union(box) == box)
  }

  @Test func unionEnclosesBothRectangles() {
    #expect(box.union(Rect(x: 0, y: 70, width: 1, height: 1)) == Rect(x: 0, y: 20, width: 40, height: 51))
  }

  @Test func insetsNeverMakeASizeNegative() {
    #expect(
      box.inset(by: Insets(top: 1, left: 2, bottom: 3, right: 4)) == Rect(x: 12, y: 21, width: 24, height: 36)
    )
    #expect(box.inset(by: 100).isEmpty)
    #expect(box.inset(by: 100).size == .zero)
    #expect(box.inset(by: -5) == Rect(x: 5, y: 15, width: 40, height: 50))
    #expect(box.inset(by: .zero) == box)
  }

  @Test func roundedOutCoversTheRectangle() {
    let rounded = Rect(x: -0.5, y: 0.2, width: 1, height: 0.3).roundedOut

    #expect(rounded == Rect(x: -1, y: 0, width: 2, height: 1))
    #expect(box.roundedOut == box)
  }

  @Test func multiplicationScalesRectanglesAndSizes() {
    #expect(box * 2 == Rect(x: 20, y: 40, width: 60, height: 80))
    #expect(Size(width: 3, height: 4) * 0.5 == Size(width: 1.5, height: 2))
  }

  @Test func pointsAreAddedAndSubtracted() {
    let a = Point(x: 1, y: 2)
    let b = Point(x: 10, y: 20)

    #expect(a + b == Point(x: 11, y: 22))
    #expect(b - a == Point(x: 9, y: 18))
  }
}
