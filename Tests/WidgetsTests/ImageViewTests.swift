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
    let (normal, highlighted) = (picture(), picture())
    let view = view(normal)
    view.highlightedImage = highlighted
    let test = TestWindow(view)

    view.isHighlighted = true
    #expect(test.pictures.map(\.image) == [highlighted])

    view.isHighlighted = false
    #expect(test.pictures.map(\.image) == [normal])
  }

  @Test func imageShowsWithoutAHighlightedImage() {
    let normal = picture()
    let view = view(normal)
    let test = TestWindow(view)

    view.isHighlighted = true

    #expect(test.pictures.map(\.image) == [normal])
    #expect(!test.window.isDirty)
  }

  @Test func highlightedImageThatIsNotShownDirtiesNothing() {
    let view = view(picture())
    let test = TestWindow(view)

    view.setHighlightedImage(picture(), transition: .crossDissolve)

    #expect(!test.window.isDirty)
    #expect(test.window.isIdle)
  }

  @Test func setContentsSetsTheImage() {
    let view = view(nil)
    let image = picture()

    view.setContents(image, transition: .none)

    #expect(view.image == image)
    #expect(view.contents == image)
  }

  @Test func touchesPassThroughTheView() {
    let test = TestWindow(view(picture()))

    #expect(test.window.hitTest(Point(x: 10, y: 10)) === test.window)
  }

  @Test func crossDissolveShowsBothImagesAndEnds() {
    let (old, new) = (picture(), picture())
    let view = view(old)
    let test = TestWindow(view)

    view.setImage(new, transition: .crossDissolve(0.2))
    test.advance(by: 0.1)

    let middle = test.pictures
    #expect(middle.map(\.image) == [old, new])
    // The old image stays opaque under an opaque image that covers it.
    #expect(middle.first?.opacity == 1)
    #expect((0.2..<0.8).contains(middle.last?.opacity ?? 0))
    #expect(!test.window.isIdle)

    test.advance(by: 0.2)
    #expect(test.pictures.map(\.image) == [new])
    #expect(test.pictures.first?.opacity == 1)
    #expect(test.window.isIdle)
  }

  @Test func oldImageFadesOutUnlessTheNewImageCoversIt() {
    let view = view(picture())
    view.contentMode = .fit
    let test = TestWindow(view)

    view.setImage(picture(8, 4), transition: .crossDissolve(0.2))
    test.advance(by: 0.1)

    #expect((test.pictures.first?.opacity ?? 1) < 0.9)
  }

  @Test func viewRemovedFromItsWindowStopsItsFade() {
    let view = view(picture())
    let test = TestWindow(view)
    view.setImage(picture(), transition: .crossDissolve(0.2))

    view.removeFromSuperview()
    test.draw()

    #expect(test.window.isIdle)
  }
}
