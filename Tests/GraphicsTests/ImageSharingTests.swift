import Testing
import VitrineGraphics

/// Images that share their pixels, and the count of views that show them.
@Suite struct ImageSharingTests {
  private let bitmap = Bitmap(width: 4, height: 2, format: .bgra, isOpaque: true) { _, _ in }

  private final class ImageHolder {
    var showing: Image.Showing?

    init(_ image: Image) { showing = Image.Showing(image) }
  }

  @Test func imageIsShownUntilItsLastShowingEnds() {
    let image = Image(bitmap)
    let first = ImageHolder(image)
    let second = ImageHolder(image)
    #expect(image.isShown)

    first.showing = nil
    #expect(image.isShown)

    second.showing = nil
    #expect(!image.isShown)
  }

  @Test func previewKeepsItsRenderingMode() {
    let preview = Image(bitmap).withRenderingMode(.alwaysTemplate).asPreview

    #expect(preview.isPreview)
    #expect(preview.renderingMode == .alwaysTemplate)
    #expect(preview.asPreview === preview)
  }

  @Test func previewWithAnotherRenderingModeIsStillAPreview() {
    let preview = Image(bitmap, scale: 2, sourceWidth: 40, sourceHeight: 20, isPreview: true)
    let template = preview.withRenderingMode(.alwaysTemplate)

    #expect(template.isPreview)
    #expect([template.sourceWidth, template.sourceHeight] == [40, 20])
    #expect(template.scale == 2)
    #expect(template.withRenderingMode(.alwaysTemplate) === template)
  }
}
