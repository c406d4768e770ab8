import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Views that are drawn larger or smaller: commands, positions, touches and dirty regions.
@Suite("Magnification")
struct MagnificationTests {
  private let view = View(frame: Rect(x: 100, y: 100, width: 40, height: 20))
  private let child = View(frame: Rect(x: 10, y: 5, width: 10, height: 10))
  private let test: TestWindow

  init() { test = TestWindow(white: view, with: child) }

  private var commands: [DrawList.Command] { test.commandsOfViews }

  private func dirtyArea() -> Rect { test.window.takeDirtyRects().reduce(.zero) { $0.union($1) } }

  // MARK: Drawing

  @Test func viewAndSubviewsAreScaledAboutTheCenter() {
    view.magnification = 2

    #expect(test.fills(of: .white) == [Rect(x: 80, y: 90, width: 80, height: 40)])
    #expect(test.fills(of: .black).contains(Rect(x: 100, y: 100, width: 20, height: 20)))
    #expect(view.frame == Rect(x: 100, y: 100, width: 40, height: 20))
  }

  @Test func nestedMagnificationsMultiply() {
    view.magnification = 2
    child.magnification = 0.5

    #expect(test.fills(of: .black).contains(Rect(x: 105, y: 105, width: 10, height: 10)))
  }

  @Test func cornersBordersShadowsAndImagesAreScaled() throws {
    child.removeFromSuperview()
    view.cornerRadius = 3
    view.borderWidth = 2
    view.shadow = Shadow(radius: 4, offset: Point(x: 1, y: 2))
    view.contents = makeImage()
    view.magnification = 3
    let rect = Rect(x: 60, y: 80, width: 120, height: 60)

    let commands = commands

    #expect(
      commands.first
        == .shadow(
          Shadow(radius: 12, offset: Point(x: 3, y: 6)), of: rect, cornerRadius: 9, isHiddenInside: true))
    #expect(commands.contains(.pushOutline(rect, cornerRadius: 9)))
    #expect(commands.contains(.fill(rect, color: .white, cornerRadius: 9)))
    #expect(commands.contains(.border(rect, width: 6, color: .black, cornerRadius: 9)))
    let image = try #require(test.images.first)
    #expect(image.destination == rect && image.cornerRadius == 9 && !image.isMoving)
  }

  @Test func clipIsScaled() {
    view.clipsToBounds = true
    view.magnification = 0.5

    #expect(commands.contains(.pushClip(Rect(x: 110, y: 105, width: 20, height: 10))))
  }

  @Test(arguments: [1, 1.5, 2] as [Double])
  func textIsDrawnInAFontOfWholePixelsWithinItsBox(scale: Double) throws {
    let label = Label("text")
    label.font = .regular(12)
    label.frame = Rect(x: 150, y: 120, width: 100, height: 40)
    let test = TestWindow(label, scale: scale)

    for magnification in [0.3, 0.5, 0.77, 1.1, 2.3] {
      label.magnification = magnification
      let commands = test.drawList.commands
      let index = try #require(commands.firstIndex { $0.word == "text" })
      guard case .text(_, let font, _, let origin) = commands[index],
        case .pushClip(let box) = commands[index - 1]
      else {
        Issue.record("no clip before the text")
        continue
      }
      let pixels = font.size * scale
      let size = test.window.textMeasuring.size(of: "text", font: font)

      #expect(abs(pixels - pixels.rounded()) < 1e-9 && font.size <= 12 * magnification + 1e-6)
      #expect(box.inset(by: -1e-6).contains(Rect(origin: origin, size: size)))
      #expect(abs(Rect(origin: origin, size: size).midX - box.midX) < 1e-6)
    }
  }

  @Test func textThatIsNotMagnifiedIsNotClipped() {
    let test = TestWindow(Label("text"))
    test.window.subviews[0].frame = Rect(x: 0, y: 0, width: 100, height: 40)

    #expect(!test.drawList.commands.contains { $0.word == "pushClip" })
  }

  @Test func imagesMoveOnlyWhileTheSizeIsAnimated() {
    child.contents = makeImage()
    view.animate(duration: 1) { $0.frame.origin.x = 60 }
    test.draw()
    test.advance(by: 0.5)
    #expect(test.images.map(\.isMoving) == [false])

    for change in [
      { $0.magnification = 2 } as (inout AnimatableProperties) -> Void, { $0.frame.size.width = 80 },
    ] {
      view.animate(duration: 1, change)
      test.draw()
      test.advance(by: 0.5)
      #expect(test.images.map(\.isMoving) == [true])
      test.advance(by: 0.6)
      #expect(test.images.map(\.isMoving) == [false])
      #expect(!test.window.isDirty)
    }
  }

  // MARK: Odd values

  @Test(arguments: [0, -1, 0.009] as [Double])
  func viewThatIsTooSmallIsNeitherDrawnNorTouched(magnification: Double) {
    test.window.focus(view)

    view.magnification = magnification

    #expect(commands.isEmpty)
    #expect(test.window.hitTest(view.frame.center) === test.window)
    #expect(!view.isOnScreen && test.window.focusedView == nil)
    #expect(dirtyArea().contains(view.frame))
    view.backgroundColor = .black
    #expect(!test.window.isDirty)
    view.magnification = 1
    #expect(dirtyArea().contains(view.frame))
    #expect(test.fills(of: .black).contains(view.frame))
  }

  @Test(arguments: [.nan, .infinity, -.infinity] as [Double])
  func valueThatIsNotFiniteIsIgnored(magnification: Double) {
    view.magnification = 2

    view.magnification = magnification

    #expect(view.magnification == 2)
  }

  @Test func windowIsNotMagnified() {
    test.window.magnification = 2

    #expect(test.fills(of: .white) == [view.frame])
    #expect(test.window.convertToWindow(Point(x: 3, y: 4)) == Point(x: 3, y: 4))
  }

  // MARK: Positions

  @Test func touchesReachTheViewWhereItIsDrawn() {
    view.magnification = 2

    #expect(test.window.hitTest(Point(x: 81, y: 91)) === view)
    #expect(test.window.hitTest(Point(x: 79, y: 91)) === test.window)
    #expect(test.window.hitTest(Point(x: 101, y: 101)) === child)
    #expect(test.window.hitTest(Point(x: 119, y: 119)) === child)
    #expect(test.window.hitTest(Point(x: 121, y: 119)) === view)
    view.magnification = 0.5
    #expect(test.window.hitTest(Point(x: 101, y: 110)) === test.window)
  }

  @Test(arguments: [0.25, 1, 2] as [Double])
  func conversionsAreInverse(magnification: Double) {
    view.magnification = magnification
    view.boundsOrigin = Point(x: 3, y: -7)
    child.magnification = 0.5

    let point = child.convertFromWindow(Point(x: 140, y: 90))

    let back = child.convertToWindow(point)
    #expect(abs(back.x - 140) < 1e-9 && abs(back.y - 90) < 1e-9)
  }

  @Test func frameInTheWindowIsThatOfTheDrawing() {
    view.magnification = 2
    child.magnification = 0.5

    #expect(view.frameInWindow == Rect(x: 80, y: 90, width: 80, height: 40))
    #expect(child.frameInWindow == Rect(x: 105, y: 105, width: 10, height: 10))
    #expect(child.convertFromWindow(Point(x: 105, y: 105)) == .zero)
  }

  @Test func magnificationMayBringAViewOntoTheScreen() {
    let far = View(frame: Rect(x: 405, y: 100, width: 20, height: 20))
    test.window.addSubview(far)
    far.beginLoading()
    #expect(!far.isOnScreen && test.window.isLoaded)

    far.magnification = 2

    #expect(far.isOnScreen && !test.window.isLoaded)
  }

  @Test func viewsInAMagnifiedViewAreFoundWhereTheyAreDrawn() {
    let far = View(frame: Rect(x: 350, y: 100, width: 20, height: 20))
    far.beginLoading()
    let container = View(frame: test.window.bounds)
    container.addSubview(far)
    test.window.addSubview(container)
    #expect(far.isOnScreen && !test.window.isLoaded)

    container.magnification = 2

    #expect(!far.isOnScreen && test.window.isLoaded)
  }

  // MARK: Dirty regions

  @Test func changeRedrawsTheOldAndTheNewArea() {
    view.magnification = 2
    #expect(dirtyArea().contains(Rect(x: 80, y: 90, width: 80, height: 40)))
    view.magnification = 2
    #expect(!test.window.isDirty)

    view.magnification = 0.5
    #expect(dirtyArea().contains(Rect(x: 80, y: 90, width: 80, height: 40)))

    view.magnification = 2
    _ = dirtyArea()
    view.frame.origin.x = 200
    let area = dirtyArea()
    #expect(area.contains(Rect(x: 80, y: 90, width: 80, height: 40)))
    #expect(area.contains(Rect(x: 180, y: 90, width: 80, height: 40)))
  }

  @Test func changeOfASubviewRedrawsItWhereItIsDrawn() {
    view.magnification = 2
    _ = dirtyArea()

    child.backgroundColor = .white

    let area = dirtyArea()
    #expect(area.contains(Rect(x: 100, y: 100, width: 20, height: 20)))
    #expect(area.width < 30 && area.height < 30)
  }
}
