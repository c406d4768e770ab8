import Testing
import Vitrine

@testable import VitrineDemo

/// The media bar: its frames, its program and the rows of buttons on the cards above.
struct MediaBarTests {
  @Test(arguments: [320.0, 480, 559, 560, 799, 800, 1280, 1920, 3840])
  func partsOfTheBarAreApartAndLargeEnough(width: Double) {
    let layout = MediaBarLayout(width: width)
    let bar = Rect(x: 0, y: 0, width: width, height: MediaBarLayout.height(forWidth: width))
    let texts = layout.title.width > 0 ? [layout.title, layout.detail] : []
    let parts = [layout.image] + texts + layout.buttons

    for (index, part) in parts.enumerated() {
      #expect(bar.contains(part))
      for other in parts[(index + 1)...] { #expect(!part.intersects(other), "\(part) and \(other)") }
    }
    for button in layout.buttons { #expect(min(button.width, button.height) >= 48) }
    #expect(layout.title.width > 0 || width < 480)
  }

  @Test(arguments: [0.0, 1, 64, 262])
  func barOfATinyWindowHasItsButtons(width: Double) {
    let layout = MediaBarLayout(width: width)

    #expect(layout.buttons.count == 4)
    #expect(layout.buttons.allSatisfy { $0.minX >= 0 && $0.width == 48 })
    #expect(layout.title.width == 0)
  }

  @Test func buttonsOfAWideBarAreInTheMiddle() {
    let layout = MediaBarLayout(width: 1280)

    #expect(layout.buttons.map(\.minX) == [544, 612, 680, 1208])
    #expect(layout.buttons[1] == Rect(x: 612, y: 16, width: 56, height: 56))
    #expect(layout.image == Rect(x: 16, y: 8, width: 96, height: 72))
  }

  @Test func programBeginsAgainAtBothEnds() {
    var program = MediaProgram(count: 3)
    var shown: [Int] = []
    for offset in [1, 1, 1, -1, -4] {
      program.step(by: offset)
      shown.append(program.index)
    }

    #expect(shown == [1, 2, 0, 2, 1])
  }

  @Test(arguments: [0, -5])
  func programWithoutItemsStays(count: Int) {
    var program = MediaProgram(count: count)
    program.step(by: 1)
    program.step(by: .min)

    #expect(program.count == 0)
    #expect(program.index == 0)
  }

  @Test func favoritesBelongToTheirItems() {
    var program = MediaProgram(count: 3)
    program.setFavorite(true)
    program.step(by: 1)
    #expect(!program.isFavorite)
    program.step(by: -1)
    #expect(program.isFavorite)
    program.setFavorite(false)

    #expect(!program.isFavorite)
  }

  private let icons = [Size(width: 64, height: 64), Size(width: 48, height: 48)]

  @Test func buttonsSideBySideAreCentered() {
    let frames = ButtonStack.frames(
      of: icons, in: Size(width: 128, height: 64), isVertical: false, gap: 16)

    #expect(frames == [Rect(x: 0, y: 0, width: 64, height: 64), Rect(x: 80, y: 8, width: 48, height: 48)])
  }

  @Test func gapsBecomeNarrowerBeforeButtonsDo() {
    func frames(_ width: Double) -> [Rect] {
      ButtonStack.frames(of: icons, in: Size(width: width, height: 64), isVertical: false, gap: 16)
    }

    #expect(frames(122).map(\.width) == [64, 48])
    #expect(frames(122)[1].minX == 74)
    #expect(frames(64).map(\.width) == [32, 24])
    #expect(frames(64)[1].minX == 40)
    #expect(frames(0).map(\.width) == [0, 0])
  }

  @Test func buttonsBelowEachOtherAreCentered() {
    let frames = ButtonStack.frames(
      of: icons, in: Size(width: 60, height: 128), isVertical: true, gap: 16)

    #expect(frames == [Rect(x: 0, y: 0, width: 60, height: 64), Rect(x: 6, y: 80, width: 48, height: 48)])
  }
}
