import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The frames of image, title and background image, and the size that fits them.
@Suite("Button: layout")
struct ButtonLayoutTests {
  private let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 40))
  private let test: TestWindow
  private let normal = makeImage()

  init() { test = TestWindow(button) }

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
