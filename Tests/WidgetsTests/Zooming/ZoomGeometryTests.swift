import Testing
import VitrineGraphics

@testable import VitrineWidgets

/// The limits of a zoom, and positions within them.
struct ZoomGeometryTests {
  /// A view of 400 x 200 with an image of 4:3, which fits in 266.67 x 200.
  private let geometry = ZoomGeometry(
    viewSize: Size(width: 400, height: 200), imageSize: Size(width: 4000, height: 3000))

  @Test func scaleOfOneFitsTheWholeImageInTheMiddle() {
    let frame = geometry.frame(at: ZoomPosition())
    #expect(abs(frame.width - 800.0 / 3) < 1e-9 && frame.height == 200)
    #expect(frame.midX == 200 && frame.minY == 0)
    #expect(geometry.fillScale == 1.5)
    #expect(geometry.toggleScale == 1.5)
  }

  @Test func doubleTapEnlargesAnImageThatFillsTheViewAlready() {
    let geometry = ZoomGeometry(
      viewSize: Size(width: 400, height: 300), imageSize: Size(width: 4000, height: 3000))
    #expect(geometry.fillScale == 1)
    #expect(geometry.toggleScale == 2.5)
  }

  @Test(
    "sizes that make no sense give a geometry that is not usable, and no NaN",
    arguments: [
      (Size.zero, Size(width: 1, height: 1)), (Size(width: 1, height: 1), .zero),
      (Size(width: .nan, height: 1), Size(width: 1, height: 1)),
      (Size(width: .infinity, height: .infinity), Size(width: 1, height: 1)),
    ]) func senselessSizes(view: Size, image: Size)
  {
    #expect(!ZoomGeometry(viewSize: view, imageSize: image).isUsable)
  }

  @Test(
    "extreme shapes fit the view and stay within the limits",
    arguments: [Size(width: 1, height: 1), Size(width: 30_000, height: 2), Size(width: 2, height: 65_535)])
  func extremeShapes(image: Size) {
    let geometry = ZoomGeometry(viewSize: Size(width: 400, height: 200), imageSize: image)
    #expect(geometry.isUsable)
    #expect(geometry.fittedSize.width <= 400 && geometry.fittedSize.height <= 200)
    let far = ZoomPosition(scale: 1e6, offset: Point(x: 1e9, y: -1e9))
    let limited = geometry.limited(far)
    #expect(limited.scale == geometry.maximumScale)
    #expect(geometry.horizontalRange(at: limited.scale).contains(limited.offset.x))
    #expect(geometry.verticalRange(at: limited.scale).contains(limited.offset.y))
    let largest = geometry.frame(at: limited)
    #expect(min(largest.width, largest.height) > 6, "the short side can be seen")
  }

  private nonisolated static let maximumScales: [(Size, Double)] = [
    (Size(width: 1, height: 1), 8), (Size(width: 4000, height: 3000), 8), (Size(width: 100, height: 2), 8),
    (Size(width: 800, height: 20_000), 50), (Size(width: 30_000, height: 300), 50),
    (Size(width: 30_000, height: 2), 600), (Size(width: 2, height: 65_535), 1000),
  ]

  @Test(
    "narrow images are enlarged until they cover the view, or their pixels are large",
    arguments: maximumScales)
  func narrowImages(image: Size, maximum: Double) {
    let view = Size(width: 400, height: 200)
    #expect(abs(ZoomGeometry(viewSize: view, imageSize: image).maximumScale - maximum) < 1e-6)
    for limit in [1.0, 2, 7] {
      #expect(ZoomGeometry(viewSize: view, imageSize: image, maximumScale: limit).maximumScale == limit)
    }
  }

  @Test func pointUnderTheFingersStaysInItsPlace() {
    let anchor = Point(x: 60, y: -30)
    let before = ZoomPosition(scale: 2, offset: Point(x: 10, y: 20))
    let after = before.scaled(by: 1.7, about: anchor)

    func imagePoint(_ position: ZoomPosition) -> Point {
      Point(
        x: (anchor.x - position.offset.x) / position.scale, y: (anchor.y - position.offset.y) / position.scale
      )
    }
    #expect(abs(imagePoint(before).x - imagePoint(after).x) < 1e-9)
    #expect(abs(imagePoint(before).y - imagePoint(after).y) < 1e-9)
  }

  @Test func wayBetweenTwoScalesKeepsTheirCommonPoint() {
    let anchor = Point(x: 60, y: -30)
    let start = ZoomPosition(scale: 1, offset: .zero)
    let goal = start.scaled(by: 4, about: anchor)
    for step in 0...10 {
      let position = start.moved(to: goal, fraction: Double(step) / 10)
      let x = (anchor.x - position.offset.x) / position.scale
      #expect(abs(x - anchor.x) < 1e-6)
    }
    #expect(start.moved(to: goal, fraction: 1).scale.rounded(toPlaces: 9) == 4)
    let half = start.moved(to: goal, fraction: 0.5).scale
    #expect(abs(half - 2) < 1e-9, "the scale changes at a constant rate")
  }

  @Test func stretchedPositionLeadsBackToTheHeldOne() {
    let anchor = Point(x: 40, y: 10)
    for held in [
      ZoomPosition(scale: 0.3, offset: Point(x: 5, y: 5)),
      ZoomPosition(scale: 20, offset: Point(x: 900, y: 0)),
      ZoomPosition(scale: 3, offset: Point(x: -700, y: 800)), ZoomPosition(scale: 2, offset: .zero),
    ] {
      let shown = geometry.stretched(held, about: anchor)
      #expect(shown.scale > 0.5 && shown.scale < 16)
      let back = geometry.held(shown, about: anchor)
      #expect(abs(back.scale / held.scale - 1) < 1e-6)
      #expect(abs(back.offset.x - held.offset.x) < 1e-4 && abs(back.offset.y - held.offset.y) < 1e-4)
    }
  }

  @Test func imageCanMoveUntilItsEdge() {
    let middle = ZoomPosition(scale: 3)
    #expect(geometry.canMove(middle, by: Point(x: 20, y: 3)))
    #expect(geometry.canMove(middle, by: Point(x: 3, y: -20)))
    let left = geometry.limited(ZoomPosition(scale: 3, offset: Point(x: 1000, y: 0)))
    #expect(!geometry.canMove(left, by: Point(x: 20, y: 3)))
    #expect(geometry.canMove(left, by: Point(x: -20, y: 3)))
    #expect(!geometry.canMove(ZoomPosition(), by: Point(x: 20, y: 0)))
  }
}

extension Double {
  fileprivate func rounded(toPlaces places: Int) -> Double {
    let factor = (0..<places).reduce(1.0) { product, _ in product * 10 }
    return (self * factor).rounded() / factor
  }
}
