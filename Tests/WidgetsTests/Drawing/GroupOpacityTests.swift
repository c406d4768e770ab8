import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// The draw commands of views that fade as a group.
@Suite("Group opacity")
struct GroupOpacityTests {
  private let view = View(frame: Rect(x: 100, y: 100, width: 40, height: 30))
  private let child = View(frame: Rect(x: 30, y: 20, width: 40, height: 30))
  private let test: TestWindow

  init() { test = TestWindow(white: view, with: child) }

  private var commands: [DrawList.Command] { test.commandsOfViews }

  @Test func groupContainsAllThatTheViewDraws() {
    view.alpha = 0.5
    view.groupsOpacity = true

    #expect(
      commands == [
        .pushGroup(Rect(x: 100, y: 100, width: 70, height: 50), opacity: 0.5),
        .fill(view.frame, color: .white, cornerRadius: 0),
        .fill(Rect(x: 130, y: 120, width: 40, height: 30), color: .black, cornerRadius: 0), .popGroup,
      ])
    view.shadow = Shadow()
    #expect(commands.map(\.word) == ["pushGroup", "shadow", "fill", "fill", "popGroup"])
  }

  @Test func viewsAreFadedOneByOneWithoutGroups() {
    view.alpha = 0.5

    #expect(commands.map(\.word) == ["fill", "fill"])
    #expect(test.fills(of: Color.white.multiplyingAlpha(by: 0.5)) == [view.frame])
  }

  @Test func opaqueAndTransparentViewsAreNoGroups() {
    view.groupsOpacity = true
    #expect(commands.map(\.word) == ["fill", "fill"])

    view.alpha = 0.005
    #expect(commands.isEmpty)
  }

  @Test func groupsNest() {
    view.alpha = 0.5
    view.groupsOpacity = true
    child.alpha = 0.25
    child.groupsOpacity = true
    child.addSubview(View(frame: Rect(x: 0, y: 0, width: 5, height: 5)))
    child.subviews[0].backgroundColor = .white

    #expect(
      commands.map(\.word) == ["pushGroup", "fill", "pushGroup", "fill", "fill", "popGroup", "popGroup"])
    #expect(commands[2] == .pushGroup(Rect(x: 130, y: 120, width: 40, height: 30), opacity: 0.25))
  }

  @Test func groupInATranslucentSuperviewIsFadedByBoth() {
    view.alpha = 0.5
    child.alpha = 0.5
    child.groupsOpacity = true
    child.addSubview(View(frame: Rect(x: 0, y: 0, width: 5, height: 5)))
    child.subviews[0].backgroundColor = .white

    #expect(commands[1] == .pushGroup(Rect(x: 130, y: 120, width: 40, height: 30), opacity: 0.25))
    #expect(commands[2] == .fill(Rect(x: 130, y: 120, width: 40, height: 30), color: .black, cornerRadius: 0))
  }

  @Test func viewWithASingleColorOrImageNeedsNoGroup() {
    child.removeFromSuperview()
    view.alpha = 0.5
    view.groupsOpacity = true
    #expect(commands == [.fill(view.frame, color: Color.white.multiplyingAlpha(by: 0.5), cornerRadius: 0)])

    view.backgroundColor = nil
    view.contents = makeImage()
    #expect(commands.map(\.word) == ["image"])
    #expect(test.images.map(\.opacity) == [0.5])

    view.backgroundColor = .white
    #expect(commands.map(\.word) == ["pushGroup", "fill", "image", "popGroup"])
    #expect(test.images.map(\.opacity) == [0.5])
  }

  @Test func groupThatDrawsNothingIsLeftOut() {
    view.alpha = 0.5
    view.groupsOpacity = true
    view.backgroundColor = nil
    child.isHidden = true

    #expect(commands.isEmpty)
  }

  @Test func unevenViewIsAGroupInEachPart() {
    view.alpha = 0.5
    view.groupsOpacity = true

    let parts = test.window.drawList(for: Rect(x: 100, y: 100, width: 5, height: 5)).commands

    #expect(parts.map(\.word) == ["fill", "pushGroup", "fill", "popGroup"])
  }

  @Test func alphaIsAnimatedAsAGroup() {
    view.animate(duration: 1, curve: .linear) { $0.alpha = 0.5 }
    test.draw()
    test.advance(by: 0.5)
    #expect(commands.map(\.word) == ["pushGroup", "fill", "fill", "popGroup"])

    test.advance(by: 0.6)

    #expect(view.alpha == 0.5)
    #expect(commands.map(\.word) == ["fill", "fill"])
  }

  @Test func changeOfGroupingRedrawsTheView() {
    view.alpha = 0.5
    test.draw()

    view.groupsOpacity = true

    #expect(
      test.window.takeDirtyRects().contains { $0.contains(Rect(x: 100, y: 100, width: 70, height: 50)) })
    view.groupsOpacity = true
    #expect(!test.window.isDirty)
  }
}
