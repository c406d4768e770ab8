import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// A large image that becomes sharp in tiles when it is enlarged.
@Suite(.timeLimit(.minutes(5)))
struct ZoomTilesTests {
  private let test = TestWindow(size: Size(width: 400, height: 200))
  private let view = ZoomView(frame: Rect(x: 0, y: 0, width: 400, height: 200))
  private let source = FakeTileSource()
  private let attachment: TileAttachment
  private let layout = RegionLayout(
    sourceWidth: 6000, sourceHeight: 4000, isMirrored: false, isFlipped: false)

  init() {
    attachment = TileAttachment(source)
    view.attachment = attachment
    view.contents = Self.image()
    test.window.addSubview(view)
    test.draw()
  }

  private static func image(format: ImageFormat = .jpeg) -> Image {
    Image(
      Bitmap(width: 300, height: 200, color: .black), format: format, sourceWidth: 6000, sourceHeight: 4000)
  }

  private var commands: [DrawList.ImageCommand] {
    var list = DrawList(visibleRect: view.bounds)
    view.draw(into: &list)
    return list.commands.compactMap { if case .image(let command) = $0 { command } else { nil } }
  }

  private func loadAll() { for load in source.loads where load.completion != nil { load.finish() } }

  @Test func tilesOfTheVisiblePartAreLoadedCenterFirst() {
    view.setZoomScale(4, animated: false)
    #expect(source.opens == 1 && source.loads.isEmpty)
    #expect(source.shown === view.contents)
    #expect(view.isLoading)
    #expect(view.imageRoom == view.frame.size, "the whole image keeps its size")

    source.finishOpening(layout)

    #expect(source.loads.count == 6)
    #expect(
      source.loads.first?.region == ImageRegion(reduction: 4, x: 510, y: 254, width: 260, height: 260))
    loadAll()
    #expect(!view.isLoading)
    #expect(view.accessibilityValue == "400 %, 6 of 6 tiles")
  }

  @Test func wholeImageIsShownOnlyWhereATileIsMissing() {
    let whole = view.contents
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    #expect(commands.map(\.image) == [whole!])
    #expect(commands.first?.destination == view.bounds)

    let tile = source.loads[0].finish()
    #expect(commands.count == 6)
    #expect(commands.count { $0.image === whole } == 5)
    #expect(commands.last?.image === tile)

    loadAll()
    #expect(commands.count == 6 && !commands.contains { $0.image === whole })
    // The tiles cover the view without gaps, at whole pixels.
    #expect(commands.reduce(0) { $0 + $1.destination.width * $1.destination.height } == 400 * 200)
    #expect(commands.allSatisfy { $0.isMoving && $0.destination.minX.rounded() == $0.destination.minX })
  }

  @Test func tilesMoveWithTheImageWithoutLoads() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    loadAll()
    let before = commands.map(\.image)

    test.press(at: Point(x: 200, y: 100), finger: 1)
    for step in 1...5 {
      test.advance(by: 1.0 / 60)
      test.move(to: Point(x: 200 + 20 * Double(step), y: 100), finger: 1)
    }

    #expect(view.isZooming)
    #expect(source.loads.count == 6, "the image moves fast")
    #expect(Set(commands.map(\.image)).isSuperset(of: before.prefix(1)))
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(source.loads.count > 6)
  }

  @Test func slowMovementLoadsTiles() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    loadAll()
    test.press(at: Point(x: 200, y: 100), finger: 1)
    for step in 1...100 {
      test.advance(by: 1.0 / 60)
      test.move(to: Point(x: 200 - Double(step), y: 100), finger: 1)
    }
    // 1 point in a frame: 60 a second. The image moves over the edge of a column.
    #expect(view.isZooming)
    #expect(source.loads.count > 6)
  }

  @Test func otherScaleCancelsAndKeepsTheTilesUntilTheNewOnesAreThere() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    let tile = source.loads[0].finish()
    view.setZoomScale(8, animated: false)

    #expect(source.loads[1...5].allSatisfy { $0.isCancelled })
    #expect(source.loads.dropFirst(6).allSatisfy { $0.region.reduction == 2 })
    #expect(commands.contains { $0.image === tile })
    loadAll()
    #expect(!commands.contains { $0.image === tile })
  }

  @Test func wholeImageAgainReleasesEverything() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    source.loads[0].finish()
    view.setZoomScale(1, animated: false)

    #expect(source.loads[1...5].allSatisfy { $0.isCancelled })
    #expect(!source.isActive)
    #expect(!view.isLoading)
    #expect(commands.map(\.image) == [view.contents!])
  }

  @Test func leavingTheWindowAndAnotherImageReleaseEverything() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    view.contents = Self.image()
    #expect(source.loads[0...5].allSatisfy { $0.isCancelled })
    #expect(source.opens == 2, "the new image is enlarged as well")

    source.finishOpening(layout)
    view.removeFromSuperview()
    #expect(source.loads.allSatisfy { $0.isCancelled })
    #expect(!source.isActive)
    #expect(!view.isLoading)
  }

  @Test func imageThatIsDecodedOnlyAsAWholeIsLoadedWithMorePixels() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(nil)
    #expect(view.imageRoom == Size(width: 1600, height: 800))
    #expect(!view.isLoading)

    view.contents = Self.image()
    #expect(source.opens == 2)
    source.finishOpening(
      RegionLayout(sourceWidth: 600, sourceHeight: 400, isMirrored: false, isFlipped: false))
    #expect(source.loads.isEmpty, "another image at the same address")
  }

  @Test func smallImagesAndOtherFormatsHaveNoTiles() {
    for image in [
      Self.image(format: .webp),
      Image(
        Bitmap(width: 300, height: 200, color: .black), format: .jpeg, sourceWidth: 2400, sourceHeight: 1600),
    ] {
      view.contents = image
      view.reset()
      view.setZoomScale(4, animated: false)
      #expect(source.opens == 0)
      #expect(view.imageRoom == Size(width: 1600, height: 800))
    }
  }

  @Test func largePNGHasTiles() {
    view.contents = Self.image(format: .png)
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)

    #expect(source.loads.count == 6)
    #expect(view.imageRoom == view.frame.size, "the whole image keeps its size")
  }

  @Test func gestureOpensTheImageBeforeItRests() {
    test.press(at: Point(x: 150, y: 100), finger: 1)
    test.press(at: Point(x: 250, y: 100), finger: 2)
    test.move(to: Point(x: 350, y: 100), finger: 2)
    #expect(view.isZooming)
    #expect(source.opens == 1)
  }

  @Test func pressureReleasesTilesThatAreNotVisible() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    loadAll()
    source.onPressure?(false)
    #expect(commands.count == 6)
    source.onPressure?(true)
    #expect(commands.map(\.image) == [view.contents!])
    #expect(!source.isActive)
  }

  @Test func failedTileLeavesTheWholeImage() {
    view.setZoomScale(4, animated: false)
    source.finishOpening(layout)
    for load in source.loads { load.fail() }
    #expect(!view.isLoading)
    #expect(commands.map(\.image) == [view.contents!])
  }
}

/// Attaches a source of tiles to a view.
private final class TileAttachment: ViewAttachment {
  private let source: FakeTileSource

  init(_ source: FakeTileSource) { self.source = source }

  func boundsDidChange(of view: View) {}
  func didMoveToWindow(_ view: View) {}
  func drawOverlay(of view: View, into list: inout DrawList) {}
  func tileSource(for view: View) -> (any TileSource)? { source }
}

/// A source whose ends the test decides.
private final class FakeTileSource: TileSource {
  final class Load: TileLoad {
    let region: ImageRegion
    private(set) var completion: ((Image?) -> Void)?
    private(set) var isCancelled = false

    init(_ region: ImageRegion, _ completion: @escaping (Image?) -> Void) {
      self.region = region
      self.completion = completion
    }

    func cancel() {
      isCancelled = true
      completion = nil
    }

    @discardableResult func finish() -> Image {
      let image = Image(Bitmap(width: region.width, height: region.height, color: .white))
      completion.take()?(image)
      return image
    }

    func fail() { completion.take()?(nil) }
  }

  private(set) var layout: RegionLayout?
  private(set) var isActive = false
  var onPressure: ((_ isCritical: Bool) -> Void)?
  private(set) var opens = 0
  private(set) weak var shown: Image?
  private(set) var loads: [Load] = []
  private var opening: ((RegionLayout?) -> Void)?

  func open(for shown: Image, completion: @escaping @MainActor (RegionLayout?) -> Void) {
    opens += 1
    self.shown = shown
    isActive = true
    opening = completion
  }

  func finishOpening(_ layout: RegionLayout?) {
    self.layout = layout
    opening.take()?(layout)
  }

  func load(_ region: ImageRegion, completion: @escaping @MainActor (Image?) -> Void) -> any TileLoad {
    let load = Load(region, completion)
    loads.append(load)
    return load
  }

  func close() {
    isActive = false
    layout = nil
    opening = nil
  }
}
