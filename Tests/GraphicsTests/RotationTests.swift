import Testing
import VitrineGraphics

@Suite("Rotation of a panel") struct RotationTests {
  private let size = Size(width: 300, height: 200)

  @Test("the image's top left corner moves clockwise around the panel")
  func topLeftCornerMovesClockwise() {
    let corners = Rotation.allCases.map { $0.onPanel(.zero, of: size) }

    #expect(
      corners == [.zero, Point(x: 200, y: 0), Point(x: 300, y: 200), Point(x: 0, y: 300)])
  }

  @Test("rotating a point or a size to the panel and back restores it", arguments: Rotation.allCases)
  func rotationIsReversible(rotation: Rotation) {
    let point = Point(x: 17.5, y: 42)

    #expect(rotation.upright(rotation.onPanel(point, of: size), of: size) == point)
    #expect(rotation.turned(rotation.turned(size)) == size)
  }
}
