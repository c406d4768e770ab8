import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The images, titles and colors of a button by state.
@Suite("Button")
struct ButtonTests {
  private let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 40))
  private let test: TestWindow
  private let normal = makeImage()
  private let other = makeImage()

  init() { test = TestWindow(button) }

  @Test("AF-B12 a state without its own image shows the image of the normal state")
  func stateWithoutAnImageFallsBackToNormal() {
    button.setImage(normal, for: .normal)
    button.setImage(other, for: .selected)

    button.isHighlighted = true
    #expect(button.currentImage == normal)

    button.isHighlighted = false
    button.isSelected = true
    #expect(button.currentImage == other)
    #expect(test.images.map(\.image) == [other])
  }

  @Test func compoundStateWithoutAnEntryShowsNormal() {
    button.setImage(normal, for: .normal)
    button.setImage(other, for: .selected)
    button.isSelected = true

    button.isHighlighted = true
    #expect(button.currentImage == normal)

    button.setImage(other, for: [.selected, .highlighted])
    #expect(button.currentImage == other)
  }

  @Test func settingNilRestoresTheNormalImage() {
    button.setImage(normal, for: .normal)
    button.setImage(other, for: .disabled)
    button.isEnabled = false
    #expect(button.currentImage == other)

    button.setImage(nil, for: .disabled)

    #expect(button.currentImage == normal)
    #expect(button.image(for: .disabled) == nil)
  }

  @Test func gettersReturnTheEntryOfTheExactStateOnly() {
    button.setImage(normal, for: .normal)
    button.setBackgroundImage(other, for: .highlighted)

    #expect(button.image(for: .normal) == normal)
    #expect(button.image(for: .highlighted) == nil)
    #expect(button.backgroundImage(for: .highlighted) == other)
    #expect(button.backgroundImage(for: .normal) == nil)
  }

  @Test func focusDoesNotChangeTheCurrentImage() {
    button.setImage(normal, for: .normal)
    button.setImage(other, for: .highlighted)
    test.window.focus(button)

    #expect(button.currentImage == normal)
    button.isHighlighted = true
    #expect(button.currentImage == other)
  }

  @Test func highlightingDarkensImagesAndDisablingFadesThem() {
    button.setImage(normal, for: .normal)
    button.setBackgroundImage(other, for: .normal)

    button.isHighlighted = true
    #expect(test.images.map(\.tint.red) == [140, 140])

    button.isHighlighted = false
    button.isEnabled = false
    #expect(test.images.map(\.opacity) == [0.5, 0.5])
    #expect(test.images.map(\.tint) == [.white, .white])
  }

  @Test func imageSetForHighlightedIsNotDimmed() {
    button.setImage(normal, for: .normal)
    button.setImage(other, for: .highlighted)
    button.isHighlighted = true

    #expect(test.images.map(\.tint) == [.white])
  }

  @Test func dimmingCanBeSwitchedOff() {
    button.setImage(normal, for: .normal)
    button.adjustsImageWhenHighlighted = false
    button.adjustsImageWhenDisabled = false

    button.isHighlighted = true
    #expect(test.images.map(\.tint) == [.white])
    button.isEnabled = false
    #expect(test.images.map(\.opacity) == [1])
  }

  @Test func titlesFollowTheState() {
    button.setTitle("Play", for: .normal)
    button.setTitle("Stop", for: .selected)
    button.setTitleColor(.black, for: .selected)
    #expect(test.texts == ["Play"])
    #expect(button.currentTitleColor == .white)

    button.isSelected = true
    #expect(test.texts == ["Stop"])
    #expect(button.currentTitleColor == .black)

    button.setTitle(nil, for: .selected)
    #expect(test.texts == ["Play"])
  }

  @Test func imageOfAnotherStateDirtiesNothing() {
    button.setImage(normal, for: .normal)
    test.draw()

    button.setImage(other, for: .highlighted, transition: .crossDissolve)
    button.setTitle("x", for: .selected)

    #expect(!test.window.isDirty)
    #expect(test.window.isIdle)
  }

  @Test func newImageOfTheCurrentStateCrossDissolves() {
    button.setImage(normal, for: .normal)
    test.draw()

    button.setImage(other, for: .normal, transition: .crossDissolve(0.2))
    test.advance(by: 0.1)
    #expect(test.images.map(\.image) == [normal, other])

    test.advance(by: 0.2)
    #expect(test.images.map(\.image) == [other])
    #expect(test.window.isIdle)
  }

  @Test func stateChangeSwitchesImagesWithoutTransition() {
    button.setImage(normal, for: .normal, transition: .crossDissolve(0.2))
    button.setImage(other, for: .selected)
    test.advance(by: 0.1)

    button.isSelected = true
    test.draw()

    #expect(test.images.map(\.image) == [other])
    #expect(test.images.map(\.opacity) == [1])
    #expect(test.window.isIdle)
  }

  @Test func isShowingReportsWhetherAnEntryIsVisible() {
    #expect(button.isShowing(.image, .normal))
    #expect(!button.isShowing(.image, .highlighted))

    button.isHighlighted = true
    #expect(button.isShowing(.image, .highlighted))
    #expect(button.isShowing(.image, .normal))

    button.setImage(other, for: .highlighted)
    #expect(!button.isShowing(.image, .normal))
    #expect(button.isShowing(.background, .normal))
    #expect(!button.isShowing(.image, [.highlighted, .selected]))
  }

  @Test func pressTogglesTheSelectionBeforeActionsRun() {
    var received: [String] = []
    button.changesSelectionAsPrimaryAction = true
    button.addAction(for: .valueChanged) { received.append("value \($0.isSelected)") }
    button.addAction(for: .touchUpInside) { received.append("up \($0.isSelected)") }

    test.click(at: Point(x: 50, y: 20))
    test.window.focus(button)
    test.key(.space)

    #expect(received == ["value true", "up true", "value false", "up false"])
  }

  @Test func incompletePressDoesNotToggleTheSelection() {
    button.changesSelectionAsPrimaryAction = true
    test.press(at: Point(x: 50, y: 20))
    test.move(to: Point(x: 50, y: 250))
    test.release()
    test.press(at: Point(x: 50, y: 20))
    test.cancel()
    button.isEnabled = false
    test.click(at: Point(x: 50, y: 20))

    #expect(!button.isSelected)
  }

  @Test func pressDoesNotSelectAPlainButton() {
    var changes = 0
    button.addAction(for: .valueChanged) { _ in changes += 1 }
    test.click(at: Point(x: 50, y: 20))

    #expect(!button.isSelected)
    #expect(changes == 0)
  }

  @Test(arguments: [ControlState.highlighted, .disabled, [.selected, .highlighted], [.selected, .disabled]])
  func imageDimsOnlyInAStateWithoutItsOwnImage(state: ControlState) {
    button.setImage(normal, for: .normal)
    button.setBackgroundImage(normal, for: .normal)
    button.setImage(other, for: state)
    button.isHighlighted = state.contains(.highlighted)
    button.isEnabled = !state.contains(.disabled)
    button.isSelected = state.contains(.selected)

    let (background, image) = (test.images.first, test.images.last)

    #expect(image?.image == other)
    #expect(image?.tint == .white)
    #expect(image?.opacity == 1)
    #expect(background?.image == normal)
    // Black at 45 % over white, and half alpha.
    #expect(
      background?.tint == (state.contains(.highlighted) ? Color(red: 140, green: 140, blue: 140) : .white))
    #expect(background?.opacity == (state.contains(.disabled) ? 0.5 : 1))
  }

  @Test func titleColorFallsBackToNormal() {
    button.setTitle("a", for: .normal)
    #expect(button.currentTitleColor == .white)
    button.setTitleColor(.black, for: .normal)
    button.setTitleColor(Color(hex: 0xFF0000), for: .highlighted)
    #expect(button.currentTitleColor == .black)
    button.isHighlighted = true
    #expect(button.currentTitleColor == Color(hex: 0xFF0000))
    button.isSelected = true
    #expect(button.currentTitleColor == .black)
  }
}
