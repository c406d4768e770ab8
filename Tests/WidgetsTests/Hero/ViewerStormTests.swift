import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Random input on pages of images over the whole window: up to three fingers and the mouse, the wheel, keys, changes of
/// the size, and images that come, change and go.
@Suite("Viewer: random input", .timeLimit(.minutes(5)))
struct ViewerStormTests {
  private final class Pages: PageViewDataSource {
    var count = 5
    func numberOfPages(in pageView: PageView) -> Int { count }
    func pageView(_ pageView: PageView, viewForPage page: Int) -> View {
      let view = ZoomView()
      view.onTap = { _ in }
      view.contents = page % 4 == 3 ? nil : .solid(width: 400, height: 300)
      return view
    }
  }

  private let test = TestWindow(size: Size(width: 400, height: 300))
  private let pages = PageView()
  private let source = Pages()
  private let hero: HeroView
  private let tile = HeroTile(frame: Rect(x: 20, y: 10, width: 40, height: 40))

  init() {
    pages.dataSource = source
    hero = HeroView(content: pages) { [pages] in pages.view(forPage: pages.currentPage)?.contents }
    hero.tileToReturnTo = { [tile] in tile }
  }

  private var page: ZoomView? { pages.view(forPage: pages.currentPage) as? ZoomView }

  @Test(arguments: 0..<24)
  func nothingIsLeftInTheMiddleOfAMovement(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    var fingers: [Int64: Point] = [:]
    for _ in 0..<400 {
      if hero.stage == .closed { hero.open(from: tile, in: test.window) }
      act(&random, &fingers)
      if let frame = page?.imageFrame {
        #expect(frame.minX.isFinite && frame.minY.isFinite && frame.width.isFinite && frame.height.isFinite)
      }
    }

    for finger in fingers.keys.sorted() { test.release(finger: finger) }
    #expect(test.advanceUntilIdle(limit: 5))

    #expect(hero.stage == .open || hero.stage == .closed)
    #expect(!pages.isMoving && !pages.isDragging)
    for index in 0..<source.count {
      guard let view = pages.view(forPage: index) as? ZoomView else { continue }
      #expect(!view.isZooming)
      // A narrow image may be enlarged further.
      let maximum: Double = view.contents?.pixelHeight == 2 ? 1000 : 8
      #expect(view.zoomScale >= 1 && view.zoomScale <= maximum)
    }
    if hero.stage == .open { #expect(pages.frame == hero.bounds && !pages.isHidden) }
  }

  private func act(_ random: inout SplitMix, _ fingers: inout [Int64: Point]) {
    let size = test.window.frame.size
    let place = Point(
      x: Double.random(in: 0..<size.width, using: &random),
      y: Double.random(in: 0..<size.height, using: &random))
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<20: touch(&random, &fingers, at: place)
    case 20..<32: test.advance(by: Double.random(in: 0...0.1, using: &random))
    case 32: test.wheel(at: place, steps: Double.random(in: -3...3, using: &random))
    case 33: test.wheel(at: place, steps: 0, horizontal: Double.random(in: -2...2, using: &random))
    case 34:
      let keys: [Key] = [.left, .right, .enter, .character("+"), .character("-"), .home, .end, .up]
      test.key(keys.randomElement(using: &random) ?? .left)
    case 35: if Int.random(in: 0..<4, using: &random) == 0 { test.key(.escape) }
    case 36:
      let sizes = [Size(width: 400, height: 300), Size(width: 300, height: 400), Size(width: 90, height: 40)]
      test.window.frame.size = sizes.randomElement(using: &random) ?? size
    case 37:
      let images: [Image?] = [
        nil, .solid(width: 400, height: 300), .solid(width: 300, height: 400), .solid(width: 1, height: 1),
        .solid(width: 3000, height: 2),
      ]
      page?.contents = images.randomElement(using: &random) ?? nil
    case 38:
      let count = Int.random(in: 1...6, using: &random)
      let changes = ListChanges(from: Array(0..<source.count), to: Array(0..<count))
      pages.apply(changes) { source.count = count }
    default: test.advanceUntilIdle(limit: 0.4)
    }
  }

  /// Puts a finger down, moves it, or lifts it. Mostly small movements, as of a hand.
  private func touch(
    _ random: inout SplitMix, _ fingers: inout [Int64: Point], at place: Point
  ) {
    let finger: Int64 = [InputEvent.mouse, 1, 2, 3].randomElement(using: &random) ?? 1
    guard let last = fingers[finger] else {
      fingers[finger] = place
      return test.press(at: place, finger: finger)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      fingers[finger] = nil
      test.release(finger: finger)
    case 1:
      fingers[finger] = nil
      test.cancel(finger: finger)
    case 2:
      fingers[finger] = place
      test.move(to: place, finger: finger)
    default:
      let moved =
        last
        + Point(
          x: Double.random(in: -15...15, using: &random), y: Double.random(in: -10...25, using: &random))
      fingers[finger] = moved
      test.move(to: moved, finger: finger)
    }
  }
}
