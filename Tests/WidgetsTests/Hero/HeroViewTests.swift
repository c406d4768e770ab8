import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// An image that grows from a tile to the whole window, and back.
@Suite(.timeLimit(.minutes(5)))
struct HeroViewTests {
  private let test = TestWindow(size: Size(width: 400, height: 200))
  private let content = ZoomView()
  private let hero: HeroView
  private let tile = HeroTile(frame: Rect(x: 20, y: 10, width: 40, height: 40), cornerRadius: 6)
  private let whole = Rect(x: 200 - 800.0 / 6, y: 0, width: 800.0 / 3, height: 200)

  init() {
    content.contents = .solid(width: 400, height: 300)
    hero = HeroView(content: content) { [content] in content.contents }
    hero.tileToReturnTo = { [tile] in tile }
  }

  /// The image that the hero draws in motion; `nil` if the content is shown.
  private var flying: DrawList.ImageCommand? {
    for case .image(let command) in test.window.drawList(for: test.window.bounds).commands
    where command.isMoving { return command }
    return nil
  }

  @Test func imageGrowsFromItsTileToTheWholeWindow() throws {
    hero.open(from: tile, in: test.window)
    #expect(hero.stage == .opening)
    test.draw()
    let first = try #require(flying)
    #expect(first.destination == tile.frame)
    #expect(first.cornerRadius == 6)
    // A square tile crops an image of 4:3 at both sides.
    #expect(abs(first.source.minX - 50) < 1e-6 && first.source.width == 300 && first.source.height == 300)
    var widths: [Double] = []
    while hero.stage == .opening {
      test.advance(by: 1.0 / 60)
      if let width = flying?.destination.width { widths.append(width) }
    }
    #expect(widths == widths.sorted() && widths.count > 10)
    #expect(hero.stage == .open)
    #expect(flying == nil && !content.isHidden)
    #expect(test.window.isIdle)
  }

  @Test func imageReturnsIntoItsTileAndTheViewLeaves() throws {
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    var stages: [HeroView.Stage] = []
    hero.onStageChange = { stages.append($0) }
    hero.close()
    test.draw()
    #expect(abs(try #require(flying).destination.minX - whole.minX) < 1)
    test.advanceUntilIdle()
    #expect(stages == [.closing, .closed])
    #expect(hero.superview == nil)
  }

  @Test func imageFadesInFromAnOverlaidTileAndOutIntoIt() throws {
    let overlaid = HeroTile(frame: Rect(x: 0, y: 0, width: 400, height: 200), isOverlaid: true)
    hero.tileToReturnTo = { overlaid }
    /// The opacities of the image in each frame until a stage ends.
    func opacities(during stage: HeroView.Stage) -> [Double] {
      var opacities = [flying?.opacity ?? 0]
      while hero.stage == stage {
        test.advance(by: 1.0 / 60)
        if hero.stage == stage { opacities.append(flying?.opacity ?? 0) }
      }
      return opacities
    }

    hero.open(from: overlaid, in: test.window)
    let opening = opacities(during: .opening)
    #expect(opening.first == 0 && opening.last == 1)
    #expect(opening == opening.sorted() && Set(opening).count > 3)

    hero.close()
    let closing = opacities(during: .closing)
    #expect(closing.first == 1 && (closing.last ?? 1) < 0.1)
    #expect(closing == closing.sorted(by: >) && Set(closing).count > 3)
    #expect(hero.stage == .closed)
  }

  @Test func imageThatIsPulledOntoAnOverlaidTileDoesNotVanishAtOnce() throws {
    hero.tileToReturnTo = { HeroTile(frame: Rect(x: 0, y: 0, width: 400, height: 200), isOverlaid: true) }
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    test.press(at: Point(x: 200, y: 20))
    for y in stride(from: 30.0, through: 190, by: 20) { test.move(to: Point(x: 200, y: y)) }

    test.release()
    test.draw()

    #expect(hero.stage == .closing)
    #expect(try #require(flying).opacity == 1)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func closingInTheMiddleOfOpeningTurnsRoundWithoutAJump() throws {
    hero.open(from: tile, in: test.window)
    test.advance(by: 0.1)
    let before = try #require(flying).destination
    hero.close()
    test.draw()
    #expect(try #require(flying).destination == before)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func dragDownPullsTheImageAndPutsItBack() throws {
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    test.press(at: Point(x: 200, y: 40))
    for y in stride(from: 50.0, through: 160, by: 10) {
      test.advance(by: 1.0 / 60)
      test.move(to: Point(x: 200, y: y))
    }
    #expect(hero.stage == .dragged)
    let pulled = try #require(flying).destination
    #expect(pulled.height < 200 && pulled.minY > 0)
    test.release()
    #expect(hero.stage == .closing)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func shortDragReturnsToTheWholeWindow() {
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    test.drag(from: Point(x: 200, y: 40), to: Point(x: 200, y: 80), duration: 0.5)
    #expect(hero.stage == .opening)
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
    test.press(at: Point(x: 200, y: 40))
    test.move(to: Point(x: 200, y: 70))
    test.move(to: Point(x: 200, y: 120))
    #expect(hero.stage == .dragged)
    test.cancel()
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
  }

  @Test func sidewaysDragAndADragOfAnEnlargedImageAreLeftToTheContent() {
    hero.allowsDrag = { [content] in content.zoomScale < 1.01 }
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    test.drag(from: Point(x: 100, y: 40), to: Point(x: 300, y: 60), duration: 0.2)
    #expect(hero.stage == .open)
    content.setZoomScale(4, animated: false)
    test.drag(from: Point(x: 200, y: 40), to: Point(x: 200, y: 180), duration: 0.2)
    #expect(hero.stage == .open)
  }

  @Test func escapeClosesAndOtherKeysReachTheContent() {
    hero.open(from: nil, in: test.window)
    #expect(hero.stage == .open, "without a tile the content appears at once")
    test.key(.character("+"))
    test.advanceUntilIdle()
    #expect(content.zoomScale == 1.25)
    test.key(.escape)
    #expect(hero.stage == .closing)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func withoutAnImageTheContentAppearsAndLeavesAtOnce() {
    content.contents = nil
    hero.open(from: tile, in: test.window)
    #expect(hero.stage == .open)
    hero.close()
    #expect(hero.stage == .closed && hero.superview == nil)
  }

  @Test func removalInTheMiddleOfAMovementEndsIt() {
    hero.open(from: tile, in: test.window)
    test.advance(by: 0.1)
    hero.removeFromSuperview()
    #expect(hero.stage == .closed)
    test.advance(by: 1)
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
  }

  @Test func windowThatIsResizedWhileTheImageGrowsLeadsToItsNewSize() throws {
    hero.open(from: tile, in: test.window)
    test.advance(by: 0.1)
    test.window.frame.size = Size(width: 800, height: 600)
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
    #expect(content.frame == Rect(x: 0, y: 0, width: 800, height: 600))
  }
}
