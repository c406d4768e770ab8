import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The calls in a frame, and the visibility of views.
@Suite("Window: frames, keys and visibility")
struct WindowFrameTests {
  private final class Observer: FrameObserver {
    let name: String
    let log: Log
    var onFrame: (() -> Void)?

    init(_ name: String, _ log: Log) {
      self.name = name
      self.log = log
    }

    func frame(at now: Double) -> NextFrame {
      log.names.append(name)
      onFrame?()
      return .never
    }
  }

  private final class Log {
    var names: [String] = []
  }

  private final class MovingView: View {
    var onMove: ((MovingView) -> Void)?
    override func didMoveToWindow() { onMove?(self) }
  }

  private let test = TestWindow(size: Size(width: 100, height: 100))
  private let log = Log()

  // MARK: Frames

  @Test func observersAreCalledInTheOrderOfTheirRequests() {
    let observers = ["a", "b", "c", "d"].map { Observer($0, log) }
    for observer in [2, 0, 3, 1].map({ observers[$0] }) { test.window.requestFrames(for: observer, at: 0) }

    test.window.update(at: 1)

    #expect(log.names == ["c", "a", "d", "b"])
  }

  @Test func observerIsCalledAtItsRequestedTime() {
    test.window.requestFrames(for: Observer("a", log), at: 1)

    test.window.update(at: 0.999)
    #expect(log.names.isEmpty)
    test.window.update(at: 1)
    #expect(log.names == ["a"])
  }

  @Test func observerCancelledByAnEarlierObserverIsNotCalled() {
    let first = Observer("first", log)
    let second = Observer("second", log)
    first.onFrame = { [test] in test.window.cancelFrames(for: second) }
    test.window.requestFrames(for: first, at: 0)
    test.window.requestFrames(for: second, at: 0)

    test.window.update(at: 1)

    #expect(log.names == ["first"])
    #expect(test.window.isIdle)
  }

  // MARK: Dirty regions

  @Test func dirtyRectanglesAreRoundedOutToWholePoints() {
    let view = View(frame: Rect(x: 10.3, y: 20.6, width: 5.2, height: 5))
    test.window.addSubview(view)
    test.draw()
    view.backgroundColor = .white
    test.draw()

    #expect(test.lastDirtyRects == [Rect(x: 10, y: 20, width: 6, height: 6)])
  }

  @Test func removedViewDirtiesItsFrame() {
    let view = View(frame: Rect(x: 10, y: 20, width: 30, height: 40))
    test.window.addSubview(view)
    test.draw()

    view.removeFromSuperview()

    #expect(test.window.isDirty)
    test.draw()
    #expect(test.lastDirtyRects == [Rect(x: 10, y: 20, width: 30, height: 40)])
  }

  // MARK: Visibility

  @Test func windowIsLoadedWhileAClippedViewIsPending() {
    let panel = View(frame: Rect(x: 0, y: 0, width: 20, height: 20))
    let waiting = View(frame: Rect(x: 40, y: 0, width: 20, height: 20))
    waiting.pendingSlots = 1
    panel.addSubview(waiting)
    test.window.addSubview(panel)
    #expect(!test.window.isLoaded)

    panel.clipsToBounds = true
    #expect(test.window.isLoaded)
  }

  @Test(arguments: ["hidden", "transparent", "untouchable", "seen"])
  func hitTestSkipsViewsThatCannotBeTouched(how: String) {
    let below = View(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    let view = View(frame: below.frame)
    test.window.addSubview(below)
    test.window.addSubview(view)
    switch how {
    case "hidden": view.isHidden = true
    case "transparent": view.alpha = 0
    case "untouchable": view.isUserInteractionEnabled = false
    default: break
    }

    #expect(test.window.hitTest(Point(x: 10, y: 10)) === (how == "seen" ? view : below))
  }

  // MARK: Keys

  @Test func unhandledKeysScrollTheFrontmostScrollView() {
    let views = (0..<2).map { _ in ScrollView(frame: Rect(x: 0, y: 0, width: 100, height: 100)) }
    for view in views {
      view.contentSize = Size(width: 100, height: 1000)
      test.window.addSubview(view)
    }

    test.key(.down)
    test.advanceUntilIdle()

    #expect(views.map(\.contentOffset.y) == [0, ScrollView.step])
  }

  @Test func keysWithModifiersDoNotSetTheFocus() {
    test.window.addSubview(Button(frame: Rect(x: 0, y: 0, width: 50, height: 50)))

    test.key(.enter, modifiers: .shift)
    #expect(test.window.focusedView == nil)
    test.key(.enter)
    #expect(test.window.focusedView != nil)
  }

  // MARK: View tree changes during moves

  @Test func viewThatMovesWhileBeingAddedStaysInItsNewSuperview() {
    let other = View()
    let moving = MovingView()
    test.window.addSubview(other)
    test.window.addSubview(moving)
    let panel = View()
    test.window.addSubview(panel)
    moving.onMove = { moving in
      moving.onMove = nil
      other.addSubview(moving)
    }

    panel.addSubview(moving)

    #expect(moving.superview === other)
    #expect(panel.subviews.isEmpty)
    #expect(other.subviews.count == 1)
  }

  @Test func viewRemovedByASiblingWhileBothAreAddedHasNoWindow() {
    let panel = View()
    let first = MovingView()
    let second = View()
    panel.addSubview(first)
    panel.addSubview(second)
    first.onMove = { first in
      first.onMove = nil
      second.removeFromSuperview()
    }

    test.window.addSubview(panel)

    #expect(first.window === test.window)
    #expect(second.window == nil)
    #expect(panel.subviews.count == 1)
  }
}
