import Testing
import VitrineGraphics

@Suite("Rotation of a panel") struct RotationTests {
  private let size = Size(width: 300, height: 200)

  @Test("the picture's top left corner goes clockwise round the panel")
  func cornerGoesClockwise() {
    let corners = Rotation.allCases.map { $0.onPanel(.zero, of: size) }

    #expect(
      corners == [.zero, Point(x: 200, y: 0), Point(x: 300, y: 200), Point(x: 0, y: 300)])
  }

  @Test("what is turned is turned back", arguments: Rotation.allCases)
  func turnsBack(rotation: Rotation) {
    let point = Point(x: 17.5, y: 42)

    #expect(rotation.upright(rotation.onPanel(point, of: size), of: size) == point)
    #expect(rotation.turned(rotation.turned(size)) == size)
  }
}
