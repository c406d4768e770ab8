import Testing

@testable import VitrineSDLBackend

struct PixelRectTests {
  private nonisolated static let outer = PixelRect(left: 2, top: 3, right: 9, bottom: 8)

  @Test(arguments: [
    PixelRect(left: 4, top: 4, right: 6, bottom: 6), PixelRect(left: 0, top: 0, right: 4, bottom: 5),
    PixelRect(left: 7, top: 0, right: 12, bottom: 20), PixelRect(left: 0, top: 5, right: 12, bottom: 6),
    PixelRect(left: 0, top: 0, right: 20, bottom: 20), PixelRect(left: 9, top: 0, right: 20, bottom: 20),
    outer,
  ])
  func rectanglesAroundAHoleCoverEachPixelOnce(hole: PixelRect) {
    let remaining = Self.outer.without(hole)

    for x in 0..<12 {
      for y in 0..<12 {
        let pixel = PixelRect(left: x, top: y, right: x + 1, bottom: y + 1)
        let isLeft = Self.outer.contains(pixel) && !hole.contains(pixel)
        #expect(remaining.count { $0.contains(pixel) } == (isLeft ? 1 : 0))
      }
    }
  }
}
