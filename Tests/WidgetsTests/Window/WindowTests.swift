import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("View tree")
struct ViewTests {
  private let test = TestWindow(size: Size(width: 100, height: 100))

  private func view(_ x: Double, _ y: Double, _ width: Double = 10, _ height: Double = 10) -> View {
    let view = View(frame: Rect(x: x, y: y, width: width, height: height))
    test.window.addSubview(view)
    test.draw()
    return view
  }

  @Test func changeDirtiesOnlyTheView() {
    let view = view(20, 30)
    view.backgroundColor = .white
    test.draw()

    #expect(test.lastDirtyRects == [Rect(x: 20, y: 30, width: 10, height: 10)])
  }

  @Test func moveDirtiesTheOldAndTheNewFrame() {
    let view = view(0, 0)
    view.frame.origin = Point(x: 50, y: 50)
    test.draw()

    #expect(
      Set(test.lastDirtyRects) == [
        Rect(x: 0, y: 0, width: 10, height: 10), Rect(x: 50, y: 50, width: 10, height: 10),
      ])
  }

  @Test func invisibleViewsDirtyNothing() {
    let hidden = view(0, 0)
    hidden.isHidden = true
    let outside = view(200, 0)
    test.draw()

    hidden.frame.origin.x = 40
    hidden.backgroundColor = .white
    outside.backgroundColor = .white

    #expect(!test.window.isDirty)
  }

  @Test(arguments: ["move", "hide", "fade", "remove", "add", "clip", "unclip", "scroll"])
  func superviewChangeDirtiesSubviewsOutsideItsBounds(change: String) {
    let view = view(20, 20)
    let child = View(frame: Rect(x: 40, y: 5, width: 10, height: 10))
    let outside = Rect(x: 60, y: 25, width: 10, height: 10)
    view.addSubview(child)
    view.clipsToBounds = change == "unclip"
    if change == "add" { view.removeFromSuperview() }
    test.draw()

    switch change {
    case "move": view.frame.origin.y = 80
    case "hide": view.isHidden = true
    case "fade": view.alpha = 0.5
    case "remove": view.removeFromSuperview()
    case "add": test.window.addSubview(view)
    case "clip": view.clipsToBounds = true
    case "unclip": view.clipsToBounds = false
    default: view.boundsOrigin.y = 80
    }
    test.draw()

    #expect(test.lastDirtyRects.contains { $0.contains(outside) })
  }

  @Test func hidingAndShowingDirtyTheWindow() {
    let view = view(10, 10)
    view.isHidden = true
    #expect(test.window.isDirty)
    test.draw()
    view.isHidden = false
    #expect(test.window.isDirty)
    test.draw()
    view.alpha = 0
    #expect(test.window.isDirty)
  }

  @Test func partialRedrawOmitsViewsOutsideItsRectangle() {
    let view = view(10, 10)
    view.backgroundColor = .white

    let list = test.window.drawList(for: Rect(x: 50, y: 50, width: 10, height: 10))

    #expect(!list.commands.contains { if case .fill(_, .white, _) = $0 { true } else { false } })
  }

  @Test func layoutRequestedDuringLayoutRunsInTheSameFrame() {
    final class Parent: View {
      let child = Child()
      override func layoutSubviews() { child.frame = bounds }
    }
    final class Child: View {
      var seen = Size.zero
      override func layoutSubviews() { seen = bounds.size }
    }
    let parent = Parent()
    parent.addSubview(parent.child)
    test.window.addSubview(parent)
    parent.frame.size = Size(width: 30, height: 40)
    test.draw()

    #expect(parent.child.seen == Size(width: 30, height: 40))
    #expect(test.window.nextDeadline == nil)
  }

  @Test func layoutRequestedForASiblingDuringLayoutRunsInTheSameFrame() {
    final class Follower: View {
      var seen = Size.zero
      override func layoutSubviews() { seen = bounds.size }
    }
    final class Leader: View {
      weak var follower: View?
      override func layoutSubviews() { follower?.frame.size = bounds.size }
    }
    let (follower, leader) = (Follower(), Leader())
    leader.follower = follower
    test.window.addSubview(follower)
    test.window.addSubview(leader)
    leader.frame.size = Size(width: 30, height: 40)
    test.draw()

    #expect(follower.seen == Size(width: 30, height: 40))
    #expect(test.window.nextDeadline == nil)
  }

  @Test func windowIsLoadedWhenNoVisibleViewIsPending() {
    let view = view(10, 10)
    view.pendingSlots = 1
    #expect(!test.window.isLoaded)
    view.frame.origin.x = 500
    #expect(test.window.isLoaded)
  }

  @Test func loadingViewCountsOnlyWhereScrolledAndClippingSuperviewsShowIt() {
    let outer = view(10, 10, 50, 50)
    outer.clipsToBounds = true
    let inner = View()
    inner.frame = Rect(x: 20, y: 20, width: 10, height: 10)
    outer.addSubview(inner)
    let loading = View()
    loading.frame = Rect(x: 0, y: 100, width: 10, height: 10)
    loading.pendingSlots = 1
    inner.addSubview(loading)

    // At 120 in `outer`, which shows 0 to 50.
    #expect(test.window.isLoaded)
    outer.boundsOrigin.y = 71
    #expect(!test.window.isLoaded, "one row of the view is shown")
    outer.boundsOrigin.y = 70
    #expect(test.window.isLoaded)
    inner.boundsOrigin.y = 1
    #expect(!test.window.isLoaded)
    inner.clipsToBounds = true
    #expect(test.window.isLoaded)
    inner.isHidden = true
    inner.clipsToBounds = false
    #expect(test.window.isLoaded)
  }

  @Test func viewIsLoadingUntilEachLoadOfTheApplicationHasEnded() {
    let view = view(10, 10)
    view.beginLoading()
    view.beginLoading()
    #expect(view.isLoading)
    #expect(view.accessibilityStates == .busy)
    #expect(!test.window.isLoaded)

    view.endLoading()
    #expect(view.isLoading)
    #expect(!test.window.isLoaded)

    view.endLoading()
    #expect(!view.isLoading)
    #expect(view.accessibilityStates == [])
    #expect(test.window.isLoaded)
  }

  @Test func endLoadingWithoutBeginLoadingHasNoEffect() {
    let view = view(10, 10)
    view.endLoading()
    view.beginLoading()

    #expect(view.isLoading)
  }

  @Test func endWithoutABeginningLeavesTheLoadsOfSlots() {
    let view = view(10, 10)
    view.pendingSlots = 1

    view.endLoading()

    #expect(view.isLoading)
    #expect(!test.window.isLoaded)
    view.pendingSlots -= 1
    #expect(!view.isLoading)
    #expect(test.window.isLoaded)
  }

  @Test func attachmentReceivesTheEventsOfItsView() {
    final class Attachment: ViewAttachment {
      var events: [String] = []
      func boundsDidChange(of view: View) { events.append("bounds \(view.bounds.width)") }
      func didMoveToWindow(_ view: View) { events.append(view.window == nil ? "out" : "in") }
      func drawOverlay(of view: View, into list: inout DrawList) { list.fill(view.bounds, color: .white) }
    }
    let attachment = Attachment()
    let view = View()
    view.attachment = attachment
    view.frame.size = Size(width: 7, height: 7)
    test.window.addSubview(view)
    view.frame.origin.x = 5
    #expect(test.fills(of: .white) == [Rect(x: 5, y: 0, width: 7, height: 7)])
    view.removeFromSuperview()

    #expect(attachment.events == ["bounds 7.0", "in", "out"])
  }
}
