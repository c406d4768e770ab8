import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The bar at the top, in a window of the test.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HeaderTests {
  private static let titles = Options.screens.map(\.title)

  /// The screens that were chosen.
  private final class Choices {
    var screens: [Int] = []
  }

  /// A header in a window of its width.
  @MainActor
  private final class Bench {
    let test: TestWindow
    let header: Header
    private let choices = Choices()

    init(width: Double, height: Double = 600, selection: Int = 0, hasServer: Bool = true) {
      test = TestWindow(size: Size(width: width, height: height))
      header = Header(
        screens: HeaderTests.titles, onScreen: { [choices] in choices.screens.append($0) },
        onServerMode: hasServer ? { _ in } : nil, onClear: {})
      header.choose(screen: selection)
      let fitting = header.sizeThatFits(Size(width: width, height: height))
      header.frame = Rect(origin: .zero, size: fitting)
      test.window.addSubview(header)
      test.draw()
    }

    var chosen: [Int] { choices.screens }

    /// The buttons with their titles, in the order of the tree.
    var buttons: [PillButton] { Self.buttons(below: header) }

    private static func buttons(below view: View) -> [PillButton] {
      view.subviews.flatMap { ($0 as? PillButton).map { [$0] } ?? buttons(below: $0) }
    }

    func button(_ title: String) throws -> PillButton {
      try #require(buttons.first { $0.scriptTitle == title })
    }

    /// The part of the choice of screens in which its titles scroll.
    var row: Rect { buttons.first?.superview?.frameInWindow ?? .zero }

    func isWhollyVisible(_ button: PillButton) -> Bool { row.contains(button.frameInWindow) }
  }

  @Test func rowsFollowFromTheWidth() {
    let bench = Bench(width: 1280)
    func height(_ width: Double, _ height: Double) -> Double {
      bench.header.sizeThatFits(Size(width: width, height: height)).height
    }

    #expect(height(1280, 800) == 64)
    #expect(height(1024, 600) == 64)
    #expect(height(800, 600) == 112)
    #expect(height(320, 480) == 112)
    #expect(height(320, 240) == 48, "a low window has only the choice of screens")
  }

  @Test(arguments: [320.0, 400, 480, 640, 800, 1024, 1280, 1920])
  func titlesAreWholeAndControlsDoNotOverlap(width: Double) {
    let bench = Bench(width: width)

    for button in bench.buttons {
      #expect(button.frame.size == button.sizeThatFits(.zero), "\(button.scriptTitle)")
    }
    let controls = bench.header.subviews.dropLast().filter { !$0.isHidden }
    #expect(controls.count >= 3, "screens, behaviour and button")
    for (index, control) in controls.enumerated() {
      #expect(control.frame.minX >= 8 && control.frame.maxX <= width - 8)
      for other in controls.dropFirst(index + 1) { #expect(!control.frame.intersects(other.frame)) }
    }
  }

  @Test(arguments: [200.0, 320, 480, 800, 1280])
  func feedOfAnotherServerHasNoChoiceOfBehaviour(width: Double) throws {
    let bench = Bench(width: width, hasServer: false)

    #expect(bench.buttons.map(\.scriptTitle) == Self.titles + ["Clear cache"])
    #expect(!bench.test.texts.contains("Server"))
    #expect(bench.header.bounds.height == 64, "there is nothing for a second row")
    #expect(bench.header.sizeThatFits(Size(width: width, height: 240)).height == (width < 800 ? 48 : 64))
    let controls = bench.header.subviews.dropLast().filter { !$0.isHidden }
    for (index, control) in controls.enumerated() {
      #expect(control.frame.minX >= 8 && control.frame.maxX <= width - 8)
      for other in controls.dropFirst(index + 1) { #expect(!control.frame.intersects(other.frame)) }
    }
    #expect(try bench.button("Clear cache").isHidden == (width < 800), "it leaves the row to the titles")
  }

  @Test func fingerDragsTheTitlesOfANarrowHeader() throws {
    let bench = Bench(width: 320)
    let last = try bench.button("Animations")
    #expect(!bench.row.intersects(last.frameInWindow))

    bench.test.drag(from: Point(x: 250, y: 32), to: Point(x: 20, y: 32), duration: 0.2)
    bench.test.advanceUntilIdle()
    #expect(bench.isWhollyVisible(last))
    #expect(bench.chosen.isEmpty, "a drag chooses nothing")
    bench.test.tap(at: last.frameInWindow.center)

    #expect(bench.chosen == [6])
  }

  @Test func wheelMovesTheTitlesOfANarrowHeader() throws {
    let bench = Bench(width: 320)
    let first = try bench.button("Home").frameInWindow.minX

    bench.test.wheel(at: Point(x: 160, y: 32), steps: -1)
    bench.test.advanceUntilIdle()

    #expect(try bench.button("Home").frameInWindow.minX == first - 80)
  }

  @Test(arguments: [Key.tab, .right])
  func keysMoveTheFocusToWholeTitles(key: Key) throws {
    let bench = Bench(width: 320)
    bench.test.window.focus(try bench.button("Home"))

    for title in Self.titles.dropFirst() {
      bench.test.key(key)
      bench.test.advanceUntilIdle()
      let button = try bench.button(title)
      #expect(bench.test.window.focusedView === button)
      #expect(bench.isWhollyVisible(button), "\(title)")
    }
    bench.test.key(.enter)

    #expect(bench.chosen == [6])
  }

  @Test func chosenTitleMovesToTheMiddle() throws {
    let bench = Bench(width: 320)

    bench.header.choose(screen: 4)
    bench.test.advanceUntilIdle()

    let button = try bench.button("Transitions")
    #expect(button.isSelected)
    #expect(abs(button.frameInWindow.midX - 160) <= 0.5)
  }

  @Test func titleOfTheFirstScreenIsVisibleAtOnce() throws {
    let bench = Bench(width: 320, selection: 6)

    #expect(bench.isWhollyVisible(try bench.button("Animations")))
    bench.header.frame.size.width = 400
    bench.test.draw()
    #expect(bench.isWhollyVisible(try bench.button("Animations")))
  }

  @Test func titlesFadeOutAtAnEdgeBeyondWhichThereAreMore() {
    let bench = Bench(width: 320)
    let row = bench.row
    var fades: [Rect] { bench.test.images.map(\.destination) }
    let left = Rect(x: row.minX, y: row.minY, width: 16, height: row.height)
    let right = Rect(x: row.maxX - 16, y: row.minY, width: 16, height: row.height)

    #expect(fades == [right])
    bench.header.choose(screen: 4)
    bench.test.advanceUntilIdle()
    #expect(fades == [left, right])
    bench.header.choose(screen: 6)
    bench.test.advanceUntilIdle()

    #expect(fades == [left])
    #expect(Bench(width: 800).test.images.isEmpty, "all titles are visible")
  }

  @Test func keysThatNoViewHasHandledDoNotMoveTheTitles() throws {
    let bench = Bench(width: 320)
    let first = try bench.button("Home").frameInWindow.minX
    bench.test.window.focus(try bench.button("Home"))

    for key: Key in [.left, .down, .pageDown, .end] { bench.test.key(key) }
    bench.test.advanceUntilIdle()

    #expect(try bench.button("Home").frameInWindow.minX == first)
  }
}
