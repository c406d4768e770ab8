import Testing
import VitrineGraphics

@testable import VitrineImageWidgets

/// The path of a slow pan and zoom.
struct KenBurnsTests {
  private nonisolated static let view = Size(width: 1280, height: 800)
  private nonisolated static let images = [
    Size(width: 1600, height: 1200), Size(width: 1472, height: 920), Size(width: 1000, height: 1000),
    Size(width: 3, height: 2),
  ]

  @Test(arguments: images) func partsLieWithinTheImageAndHaveTheShapeOfTheView(image: Size) {
    let whole = Rect(origin: .zero, size: image).inset(by: -1e-9)

    for number in -3..<20 {
      let path = KenBurns(image: image, view: Self.view, number: number)
      for step in -1...11 {
        let part = path.part(at: Double(step) / 10)
        #expect(whole.contains(part))
        #expect(abs(part.width / part.height - 1.6) < 1e-9)
      }
    }
  }

  @Test func evenNumbersZoomInAndOddNumbersZoomOut() {
    let image = Size(width: 1600, height: 1000)

    let even = KenBurns(image: image, view: Self.view, number: 4)
    let odd = KenBurns(image: image, view: Self.view, number: 5)

    #expect(even.start == Rect(origin: .zero, size: image))
    #expect(abs(even.end.width - 1600 / KenBurns.zoom) < 1e-9)
    #expect((odd.start, odd.end) == (even.end, even.start))
  }

  @Test func speedIsConstant() {
    let path = KenBurns(image: Size(width: 1600, height: 1200), view: Self.view, number: 0)

    let widths = (0...4).map { path.part(at: Double($0) / 4).width }

    for index in 1...4 {
      #expect(abs((widths[index] - widths[index - 1]) - (widths[1] - widths[0])) < 1e-9)
    }
    #expect(path.part(at: .nan) == path.start)
  }

  @Test func viewWithoutASizeShowsTheWholeImage() {
    let image = Size(width: 40, height: 30)

    #expect(KenBurns(image: image, view: .zero, number: 1).part(at: 0.5) == Rect(origin: .zero, size: image))
  }
}
