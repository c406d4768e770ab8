import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

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

  @Test func imageIsLeftOfTheTitleByDefault() {
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)

    // 20 + 8 + 20 points, centered in 100.
    #expect(button.frame(of: .image) == Rect(x: 26, y: 10, width: 20, height: 20))
    let origins = test.drawList.commands.compactMap { command -> Point? in
      if case .text(_, _, _, let origin) = command { origin } else { nil }
    }
    #expect(origins == [Point(x: 54, y: 13.75)])
  }

  @Test func longTitleIsTruncated() {
    button.setTitle("abcdefghijklmnopqrstuvwxyz", for: .normal)
    button.titleFont = .regular(10)

    #expect(test.texts == ["abcdefghijklmn…"])
  }

  @Test func titleTallerThanTheButtonIsClipped() {
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)
    button.frame.size.height = 8

    #expect(test.drawList.commands.contains(.pushClip(button.frame)))
  }

  @Test func imageSizeFixesTheFrameBeforeAnImageIsSet() {
    button.contentInsets = .zero
    button.imageSize = Size(width: 30, height: 30)
    button.setTitle("abcd", for: .normal)
    let empty = button.frame(of: .image)

    button.setImage(makeImage(400, 300), for: .normal)

    #expect(empty.size == Size(width: 30, height: 30))
    #expect(button.frame(of: .image) == empty)
  }

  @Test func imageLargerThanTheButtonIsScaledToFit() {
    button.contentInsets = Insets(all: 10)
    button.setImage(makeImage(400, 400), for: .normal)

    #expect(test.images.map(\.destination) == [Rect(x: 40, y: 10, width: 20, height: 20)])
  }

  @Test func backgroundImageFillsTheBoundsWithRoundedCorners() {
    button.cornerRadius = 6
    button.setBackgroundImage(normal, for: .normal)

    #expect(test.images.map(\.destination) == [Rect(x: 0, y: 0, width: 100, height: 40)])
    #expect(test.images.map(\.cornerRadius) == [6])
  }

  @Test(arguments: ImagePlacement.allCases)
  func imagePlacementPutsTheImageOnThatSideOfTheTitle(placement: ImagePlacement) throws {
    button.frame.size.height = 80
    button.imagePlacement = placement
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)

    let image = button.frame(of: .image)
    let title = try #require(titleFrame)
    let gap =
      switch placement {
      case .leading: title.minX - image.maxX
      case .trailing: image.minX - title.maxX
      case .top: title.minY - image.maxY
      case .bottom: image.minY - title.maxY
      }

    #expect(gap == button.spacing)
    #expect(image.union(title).center == Point(x: 50, y: 40))
  }

  @Test(arguments: [HorizontalAlignment.left, .center, .right], [VerticalAlignment.top, .center, .bottom])
  func contentFollowsItsAlignment(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
    button.contentInsets = Insets(all: 2)
    button.contentHorizontalAlignment = horizontal
    button.contentVerticalAlignment = vertical
    button.setImage(makeImage(20, 20), for: .normal)

    let x: Double =
      switch horizontal {
      case .left: 2
      case .center, .fill: 40
      case .right: 78
      }
    let y: Double =
      switch vertical {
      case .top: 2
      case .center, .fill: 10
      case .bottom: 18
      }
    #expect(button.frame(of: .image) == Rect(x: x, y: y, width: 20, height: 20))
  }

  @Test func fillAlignmentGivesTheImageTheSpaceLeftByTheTitle() throws {
    button.contentInsets = Insets(all: 4)
    button.contentHorizontalAlignment = .fill
    button.contentVerticalAlignment = .fill
    button.setImage(makeImage(20, 20), for: .normal)
    #expect(button.frame(of: .image) == Rect(x: 4, y: 4, width: 92, height: 32))

    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)
    let title = try #require(titleFrame)
    #expect(button.frame(of: .image) == Rect(x: 4, y: 4, width: 92 - title.width - 8, height: 32))
    #expect(title.maxX == 96)
    #expect(title.midY == 20)

    button.imagePlacement = .top
    #expect(button.frame(of: .image) == Rect(x: 4, y: 4, width: 92, height: 32 - title.height - 8))
    #expect(titleFrame?.midX == 50)
  }

  @Test func attachmentIsToldWhenTheTitleChangesTheImageFrame() {
    let button = Button(title: "A rather long title")
    button.frame = Rect(x: 0, y: 0, width: 200, height: 60)
    button.setImage(makeImage(), for: .normal)
    button.contentHorizontalAlignment = .fill
    let test = TestWindow(button)
    let recorder = ImageWidthRecorder()
    button.attachment = recorder

    button.setTitle("A", for: .normal)
    button.setTitle("A", for: .normal)
    button.titleFont = .regular(11)
    button.titleFont = .regular(11)

    #expect(recorder.widths.count == 2)
    #expect(recorder.widths.last == button.frame(of: .image).width)
    #expect(recorder.widths == recorder.widths.sorted(), "\(recorder.widths)")
    withExtendedLifetime(test) {}
  }

  private final class ImageWidthRecorder: ViewAttachment {
    var widths: [Double] = []
    func boundsDidChange(of view: View) {
      if let button = view as? Button { widths.append(button.frame(of: .image).width) }
    }
    func didMoveToWindow(_ view: View) {}
    func drawOverlay(of view: View, into list: inout DrawList) {}
  }

  @Test func fillAlignmentDoesNotStretchATitleAlone() {
    button.setTitle("abcd", for: .normal)
    let oldFrame = titleFrame
    button.contentHorizontalAlignment = .fill
    button.contentVerticalAlignment = .fill

    #expect(titleFrame == oldFrame)
  }

  @Test(arguments: zip(HorizontalAlignment.allCases, [10.0, 4, -2, 10]))
  func imageInsetsShiftTheImageByItsAlignment(alignment: HorizontalAlignment, shift: Double) {
    button.contentHorizontalAlignment = alignment
    button.setImage(makeImage(20, 20), for: .normal)
    let (oldFrame, size) = (button.frame(of: .image), button.sizeThatFits(.zero))

    button.imageInsets = Insets(left: 10, right: 2)

    #expect(button.frame(of: .image).minX == oldFrame.minX + shift)
    #expect(button.frame(of: .image).width == oldFrame.width - (alignment == .fill ? 12 : 0))
    #expect(button.sizeThatFits(.zero) == size)
  }

  @Test func oppositeInsetsShiftImageAndTitle() throws {
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)
    let (image, title) = (button.frame(of: .image), try #require(titleFrame))

    button.imageInsets = Insets(top: -3, left: 4, bottom: 3, right: -4)
    button.titleInsets = Insets(top: 2, left: -5, bottom: -2, right: 5)

    #expect(button.frame(of: .image) == image.offset(by: Point(x: 4, y: -3)))
    #expect(titleFrame == title.offset(by: Point(x: -5, y: 2)))
  }

  @Test func oversizedInsetsHideTheImage() {
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)

    button.imageInsets = Insets(all: 1000)
    button.titleInsets = Insets(all: 1000)
    #expect(button.frame(of: .image).isEmpty)
    #expect(test.images.isEmpty)

    for odd in [Double.nan, .infinity, -.infinity, -100_000] {
      button.imageInsets = Insets(all: odd)
      button.titleInsets = Insets(all: odd)
      _ = test.drawList
    }
  }

  @Test func imageAloneIsCenteredWithoutTitleSpacing() {
    button.setImage(makeImage(20, 20), for: .normal)

    #expect(test.images.map(\.destination) == [Rect(x: 40, y: 10, width: 20, height: 20)])
    #expect(test.texts.isEmpty)
    #expect(button.sizeThatFits(.zero) == Size(width: 44, height: 36))
  }

  @Test func backgroundImageAloneFillsTheBounds() {
    button.setBackgroundImage(normal, for: .normal)

    #expect(test.images.map(\.destination) == [button.bounds])
    #expect(test.texts.isEmpty)
    #expect(button.sizeThatFits(.zero) == Size(width: 24, height: 16))
  }

  /// The frame of the drawn title.
  private var titleFrame: Rect? {
    for case .text(let text, let font, _, let origin) in test.drawList.commands {
      return Rect(origin: origin, size: test.window.textMeasuring.size(of: text, font: font))
    }
    return nil
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

  @Test func topPlacementStacksTheImageAboveTheTitle() {
    button.frame.size.height = 80
    button.imagePlacement = .top
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)

    #expect(button.frame(of: .image) == Rect(x: 40, y: 19.75, width: 20, height: 20))
  }

  @Test func sizeThatFitsAddsInsets() {
    button.setImage(makeImage(20, 20), for: .normal)
    button.setTitle("abcd", for: .normal)
    button.titleFont = .regular(10)

    #expect(button.sizeThatFits(.zero) == Size(width: 12 + 20 + 8 + 20 + 12, height: 36))
  }
}
