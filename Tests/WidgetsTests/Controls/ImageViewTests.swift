import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Image view")
struct ImageViewTests {
  private func view(_ image: Image?) -> ImageView {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 40))
    view.image = image
    return view
  }

  @Test func highlightedImageShowsWhileHighlighted() {
    let (normal, highlighted) = (makeImage(), makeImage())
    let view = view(normal)
    view.highlightedImage = highlighted
    let test = TestWindow(view)

    view.isHighlighted = true
    #expect(test.images.map(\.image) == [highlighted])

    view.isHighlighted = false
    #expect(test.images.map(\.image) == [normal])
  }

  @Test func imageShowsWithoutAHighlightedImage() {
    let normal = makeImage()
    let view = view(normal)
    let test = TestWindow(view)

    view.isHighlighted = true

    #expect(test.images.map(\.image) == [normal])
    #expect(!test.window.isDirty)
  }

  @Test func highlightedImageThatIsNotShownDirtiesNothing() {
    let view = view(makeImage())
    let test = TestWindow(view)

    view.setHighlightedImage(makeImage(), transition: .crossDissolve)

    #expect(!test.window.isDirty)
    #expect(test.window.isIdle)
  }

  @Test func setContentsSetsTheImage() {
    let view = view(nil)
    let image = makeImage()

    view.setContents(image, transition: .none)

    #expect(view.image == image)
    #expect(view.contents == image)
  }

  @Test func touchesPassThroughTheView() {
    let test = TestWindow(view(makeImage()))

    #expect(test.window.hitTest(Point(x: 10, y: 10)) === test.window)
  }

  @Test func crossDissolveShowsBothImagesAndEnds() {
    let (old, new) = (makeImage(), makeImage())
    let view = view(old)
    let test = TestWindow(view)

    view.setImage(new, transition: .crossDissolve(0.2))
    test.advance(by: 0.1)

    let middle = test.images
    #expect(middle.map(\.image) == [old, new])
    // The old image stays opaque under an opaque image that covers it.
    #expect(middle.first?.opacity == 1)
    #expect((0.2..<0.8).contains(middle.last?.opacity ?? 0))
    #expect(!test.window.isIdle)

    test.advance(by: 0.2)
    #expect(test.images.map(\.image) == [new])
    #expect(test.images.first?.opacity == 1)
    #expect(test.window.isIdle)
  }

  @Test func oldImageFadesOutUnlessTheNewImageCoversIt() {
    let view = view(makeImage())
    view.contentMode = .fit
    let test = TestWindow(view)

    view.setImage(makeImage(8, 4), transition: .crossDissolve(0.2))
    test.advance(by: 0.1)

    #expect((test.images.first?.opacity ?? 1) < 0.9)
  }

  @Test func viewRemovedFromItsWindowStopsItsFade() {
    let view = view(makeImage())
    let test = TestWindow(view)
    view.setImage(makeImage(), transition: .crossDissolve(0.2))

    view.removeFromSuperview()
    test.draw()

    #expect(test.window.isIdle)
  }
}
