import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Tint")
struct TintTests {
  private let parent = View(frame: Rect(x: 0, y: 0, width: 100, height: 100))
  private let view = TintedView(frame: Rect(x: 0, y: 0, width: 40, height: 30))
  private let test: TestWindow
  private let red = Color(hex: 0xFF0000)
  private let green = Color(hex: 0x00FF00)

  init() {
    parent.addSubview(view)
    test = TestWindow(parent)
    view.changes = 0
  }

  @Test func tintIsInheritedFromTheNearestAncestor() {
    #expect(view.currentTintColor == View.standardTintColor)
    test.window.tintColor = red
    #expect(view.currentTintColor == red)
    view.tintColor = green
    #expect(view.currentTintColor == green)
    #expect(view.changes == 2)
    parent.tintColor = .white
    #expect(view.currentTintColor == green)
    #expect(view.changes == 2, "the view has its own tint")
    view.tintColor = nil
    #expect(view.currentTintColor == .white)
    #expect(view.changes == 3)
    parent.tintColor = red
    parent.tintColor = red
    #expect(view.changes == 4)
    view.tintColor = red
    #expect(view.changes == 4, "the same color, now from the view itself")
  }

  @Test func newSuperviewTintIsReportedToTheView() {
    let other = View()
    other.tintColor = green
    test.window.addSubview(other)

    other.addSubview(view)

    #expect(view.changes == 1)
    #expect(view.currentTintColor == green)
  }

  @Test func removalFromTheSuperviewRestoresTheStandardTint() {
    let other = View()
    test.window.addSubview(other)
    parent.tintColor = red
    view.changes = 0

    view.removeFromSuperview()
    #expect(view.changes == 1)
    #expect(view.currentTintColor == View.standardTintColor)
    parent.addSubview(view)
    other.addSubview(view)
    #expect(view.changes == 3, "once per move")
    view.removeFromSuperview()
    #expect(view.changes == 3, "the same color")
  }

  @Test func templateIsDrawnInTheTintColor() {
    let image = makeImage()
    view.contents = image.withRenderingMode(.alwaysTemplate)
    #expect(test.images.map(\.templateColor) == [View.standardTintColor])

    test.draw()
    parent.tintColor = red
    #expect(test.window.isDirty)
    #expect(test.images.map(\.templateColor) == [red])

    view.contents = image
    #expect(test.images.map(\.templateColor) == [nil])
  }

  @Test func imageRenderingModeOverridesTheViewRenderingMode() {
    let image = makeImage()
    view.tintColor = red
    for (ofImage, ofView, isTemplate) in [
      (Image.RenderingMode.automatic, Image.RenderingMode.automatic, false),
      (.automatic, .alwaysTemplate, true), (.automatic, .alwaysOriginal, false),
      (.alwaysTemplate, .automatic, true), (.alwaysTemplate, .alwaysOriginal, true),
      (.alwaysOriginal, .alwaysTemplate, false),
    ] {
      view.contents = image.withRenderingMode(ofImage)
      view.renderingMode = ofView
      #expect(test.images.map(\.templateColor) == [isTemplate ? red : nil])
    }
  }

  @Test func templateSharesThePixelsOfItsImage() {
    let image = makeImage()
    let template = image.withRenderingMode(.alwaysTemplate)

    #expect(template != image)
    #expect(template.withRenderingMode(.alwaysTemplate) == template)
    #expect(image.withRenderingMode(.automatic) == image)
    #expect(template.size == image.size)
    #expect(
      template.bitmap.withUnsafeBytes(\.baseAddress) == image.bitmap.withUnsafeBytes(\.baseAddress))
  }

  @Test func crossDissolveTintsOnlyTheTemplateImage() {
    view.tintColor = red
    view.contents = makeImage().withRenderingMode(.alwaysTemplate)
    test.draw()

    view.setContents(makeImage(), transition: .crossDissolve(0.2))
    test.advance(by: 0.1)

    #expect(test.images.map(\.templateColor) == [red, nil])
  }

  @Test func buttonTintsAndDimsItsTemplateImages() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 40))
    button.setImage(makeImage(), for: .normal)
    button.setBackgroundImage(makeImage(), for: .normal)
    button.renderingMode = .alwaysTemplate
    button.tintColor = red
    parent.addSubview(button)

    button.isHighlighted = true

    let (background, image) = (test.images.first, test.images.last)
    #expect(background?.templateColor == nil)
    #expect(image?.templateColor == red)
    #expect(image?.tint == Color(red: 140, green: 140, blue: 140))

    button.setBackgroundImage(makeImage().withRenderingMode(.alwaysTemplate), for: .normal)
    #expect(test.images.first?.templateColor == red)
  }
}

private final class TintedView: View {
  var changes = 0

  override func tintColorDidChange() {
    super.tintColorDidChange()
    changes += 1
  }
}
