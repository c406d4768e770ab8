import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@testable import VitrineSDLBackend

/// The choice of drawings that get a texture, and the frame in which they get it.
struct TextureChoiceTests {
  private func makeStore(frameBudget: Int = 100_000) -> TextureStore<PixelsInMemory> {
    TextureStore(maker: PixelsInMemory(), budget: 100_000, frameBudget: frameBudget)
  }

  private func makeImage(_ color: Color = .black) -> Image { Image(width: 20, height: 20) { _, _ in color } }

  /// Opens a frame and draws an image in a square.
  private func draw<Maker: TextureMaking>(
    _ image: Image, side: Int = 10, _ store: TextureStore<Maker>
  ) -> TextureStore<Maker>.Drawing {
    store.beginFrame()
    return store.drawing(
      of: DrawList.ImageCommand(image: image, destination: .zero),
      in: PixelRect(width: side, height: side), corners: CornerMask(radius: 0))
  }

  private func isTexture<Maker: TextureMaking>(_ drawing: TextureStore<Maker>.Drawing) -> Bool {
    if case .texture = drawing { true } else { false }
  }

  private func isChanging<Maker: TextureMaking>(_ drawing: TextureStore<Maker>.Drawing) -> Bool {
    if case .coarse(.changing) = drawing { true } else { false }
  }

  @Test func imageAtAReusedAddressIsDrawnWithItsOwnPixels() throws {
    let store = makeStore()
    var first: Image? = makeImage(.black)
    let address = ObjectIdentifier(try #require(first))
    #expect(isTexture(draw(try #require(first), store)))
    first = nil

    var others: [Image] = []
    for _ in 0..<1000 {
      let next = makeImage(.white)
      guard ObjectIdentifier(next) == address else {
        others.append(next)
        continue
      }
      guard case .texture(let pixels) = draw(next, store) else {
        Issue.record("no texture")
        return
      }
      #expect(pixels.bitmap.color(x: 5, y: 5) == .white)
      return
    }
    // The allocator of AddressSanitizer does not reuse addresses.
    #expect(others.count == 1000)
  }

  @Test func newSizeOfAnImageGetsATextureInItsSecondFrame() {
    let (store, image) = (makeStore(), makeImage())
    #expect(isTexture(draw(image, side: 10, store)))

    #expect(isChanging(draw(image, side: 11, store)))
    #expect(isTexture(draw(image, side: 11, store)))
  }

  @Test func sizeNotDrawnInThePreviousFrameCountsAsNew() {
    let (store, image) = (makeStore(), makeImage())
    #expect(isTexture(draw(image, side: 10, store)))
    #expect(isChanging(draw(image, side: 11, store)))
    #expect(isTexture(draw(image, side: 10, store)))

    #expect(isChanging(draw(image, side: 11, store)))
  }

  @Test func nextAnimationFrameGetsATextureImmediately() {
    let store = makeStore()
    for frame in [Color.black, .white].map(makeImage) { #expect(isTexture(draw(frame, store))) }
  }

  @Test func imageWithoutTexturesGetsOneInAnySizeImmediately() {
    let (store, image, other) = (makeStore(), makeImage(), makeImage())
    #expect(isTexture(draw(image, side: 10, store)))
    #expect(isTexture(draw(other, side: 10, store)))
    store.release(bytes: 400)
    #expect(store.count == 1)

    #expect(isTexture(draw(image, side: 11, store)))
  }

  @Test func releaseRemovesTexturesOfShownImagesByDefault() {
    let (store, image, other) = (makeStore(), makeImage(), makeImage())
    let showing = Image.Showing(image)
    _ = draw(image, store)
    _ = draw(other, store)

    store.release(bytes: .max)

    #expect(store.count == 1)
    withExtendedLifetime(showing) {}
  }

  @Test func texturesOfReleasedImagesAreRemovedWithinSixtyFourFrames() throws {
    let store = makeStore()
    var released: Image? = makeImage()
    _ = draw(try #require(released), store)
    released = nil

    for _ in 0..<64 { store.beginFrame() }

    #expect(store.count == 0)
  }

  @Test func imageOnePixelTooLargeIsScaled() throws {
    let image = Image(width: 20, height: 20) { x, _ in x == 0 ? .black : .white }

    guard case .texture(let pixels) = draw(image, side: 19, makeStore()) else {
      Issue.record("no texture")
      return
    }

    // Scaling keeps most of the black column; cropping instead would lose the column.
    #expect(pixels.bitmap.color(x: 0, y: 5).red < 40)
  }

  /// A texture maker like that of a GPU: each image needs an upload, and a mask takes four bytes per pixel.
  private struct UploadingMaker: TextureMaking {
    let pixelFormat = PixelFormat.bgra
    let bytesPerMaskPixel = 4
    let replacesColors = true

    func borrow(_ pixels: ImagePixels) -> ImagePixels? { nil }
    func make(_ pixels: ImagePixels, width: Int, height: Int) -> ImagePixels? { pixels }
    func make(_ mask: CoverageMask) -> CoverageMask? { mask }
  }

  @Test func opaqueImageOfNaturalSizeIsUploadedBeyondTheFrameBudget() {
    let store = TextureStore(maker: UploadingMaker(), budget: 100_000, frameBudget: 0)
    let images = (0..<3).map { _ in Image(width: 20, height: 20, format: .bgra) { _, _ in .black } }
    store.beginFrame()
    func draw(_ image: Image, opacity: Double) -> Bool {
      isTexture(
        store.drawing(
          of: DrawList.ImageCommand(image: image, destination: .zero, opacity: opacity),
          in: PixelRect(width: 20, height: 20), corners: CornerMask(radius: 0)))
    }

    #expect(draw(images[0], opacity: 0.5), "one texture is made in each frame")
    #expect(!draw(images[1], opacity: 0.5))
    #expect(draw(images[2], opacity: 1))
  }

  @Test func maskCostIsTheBytesOfItsTexture() throws {
    let store = TextureStore(maker: UploadingMaker(), budget: 100_000, frameBudget: 0)
    store.beginFrame()

    _ = store.mask(for: .corners(CornerMask(radius: 5).shape)) {
      CoverageMask(width: 5, height: 6, coverage: [UInt8](repeating: 0, count: 30))
    }

    #expect(store.byteCount == 120)
  }
}
