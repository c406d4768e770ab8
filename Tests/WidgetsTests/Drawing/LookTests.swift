import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The draw commands of borders and shadows, and the regions that borders and shadows dirty.
@Suite("Borders and shadows")
struct LookTests {
  private let view = View(frame: Rect(x: 100, y: 100, width: 40, height: 30))
  private let test: TestWindow

  init() {
    view.backgroundColor = .white
    test = TestWindow(view)
  }

  private var commands: [DrawList.Command] { test.commandsOfViews }

  private func isDirty(_ point: Point) -> Bool {
    test.window.takeDirtyRects().contains { $0.contains(point) }
  }

  // MARK: Borders

  @Test func borderIsDrawnOverTheImageAndUnderTheSubviews() {
    let child = View(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    child.backgroundColor = .black
    view.addSubview(child)
    view.contents = makeImage()
    view.borderWidth = 2

    #expect(
      commands.map(\.word) == ["fill", "image", "border", "fill"])
    #expect(commands[2] == .border(view.frame, width: 2, color: .black, cornerRadius: 0))
  }

  @Test func opaqueRoundedBorderHidesTheEdgeOfTheFill() {
    view.cornerRadius = 6
    view.borderWidth = 1
    #expect(commands.map(\.word) == ["pushOutline", "fill", "popOutline", "border"])

    view.borderColor = .white.multiplyingAlpha(by: 0.5)
    #expect(commands.map(\.word) == ["fill", "border"])
    view.borderColor = .white
    view.alpha = 0.5
    #expect(commands.map(\.word) == ["fill", "border"])
  }

  @Test(arguments: [0, -1, .nan, -.infinity] as [Double])
  func borderWithoutWidthIsNotDrawn(width: Double) {
    view.cornerRadius = 6
    view.borderWidth = width

    #expect(commands.map(\.word) == ["fill"])
  }

  @Test func transparentBorderIsNotDrawn() {
    view.borderWidth = 2
    view.borderColor = .clear

    #expect(commands.map(\.word) == ["fill"])
  }

  @Test func visibleBorderChangeDirtiesTheView() {
    view.borderWidth = 2
    #expect(isDirty(Point(x: 101, y: 101)))
    view.borderWidth = 2
    #expect(!test.window.isDirty)
    view.borderColor = .white
    #expect(isDirty(Point(x: 101, y: 101)))
    view.borderWidth = 0
    _ = isDirty(.zero)
    view.borderColor = .black
    #expect(!test.window.isDirty)
  }

  // MARK: Shadows

  private let shadow = Shadow(color: .black, radius: 4, offset: Point(x: 0, y: 20))
  /// A point in the shadow, outside the view.
  private let below = Point(x: 120, y: 145)
  /// A point in the shadow after the view has moved 50 points to the right.
  private let farther = Point(x: 185, y: 145)

  @Test func shadowIsDrawnUnderTheBackground() {
    view.cornerRadius = 6
    view.shadow = shadow

    #expect(
      commands == [
        .shadow(shadow, of: view.frame, cornerRadius: 6, isHiddenInside: true),
        .fill(view.frame, color: .white, cornerRadius: 6),
      ])
  }

  @Test func onlyAnOpaqueBackgroundHidesTheShadow() {
    func isHidden() -> Bool? {
      for case .shadow(_, _, _, let isHidden) in commands { return isHidden }
      return nil
    }
    view.shadow = shadow
    #expect(isHidden() == true)
    view.alpha = 0.5
    #expect(isHidden() == false)
    view.alpha = 1
    view.backgroundColor = .white.multiplyingAlpha(by: 0.9)
    #expect(isHidden() == false)
    view.backgroundColor = nil
    #expect(isHidden() == false)
  }

  @Test func shadowIsNotClippedByItsView() {
    view.shadow = shadow
    view.clipsToBounds = true
    let parts = test.window.drawList(for: Rect(origin: below, size: Size(width: 1, height: 1))).commands

    #expect(parts.contains { $0.word == "shadow" })
    guard let thrown = commands.firstIndex(where: { $0.word == "shadow" }),
      let clip = commands.firstIndex(where: { $0.word == "pushClip" })
    else {
      Issue.record("\(commands)")
      return
    }
    #expect(thrown < clip)
  }

  @Test func shadowIsClippedByAClippingSuperview() {
    let parent = View(frame: Rect(x: 90, y: 90, width: 60, height: 45))
    test.window.addSubview(parent)
    parent.clipsToBounds = true
    view.frame.origin = Point(x: 10, y: 10)
    parent.addSubview(view)
    test.draw()

    view.shadow = shadow

    let dirty = test.window.takeDirtyRects()
    #expect(!dirty.isEmpty)
    #expect(dirty.allSatisfy { parent.frame.contains($0) })
    #expect(
      !test.window.drawList(for: Rect(origin: below, size: Size(width: 1, height: 1))).commands
        .contains { $0.word == "shadow" })
  }

  @Test(arguments: [false, true])
  func shadowChangesDirtyItsRegion(clips: Bool) {
    view.clipsToBounds = clips
    test.draw()
    let changes: [(String, Point, () -> Void)] = [
      ("shadow", below, { view.shadow = shadow }),
      ("corners", below, { view.cornerRadius = 8 }),
      ("alpha", below, { view.alpha = 0.5 }),
      ("hidden", below, { view.isHidden = true }),
      ("seen", below, { view.isHidden = false }),
      ("moved away", below, { view.frame.origin.x += 50 }),
      ("moved there", farther, { view.frame.origin.x += 0.5 }),
      ("size", farther, { view.frame.size.height += 1 }),
      ("removed", farther, { view.removeFromSuperview() }),
      ("added", farther, { test.window.addSubview(view) }),
      ("none", farther, { view.shadow = nil }),
    ]
    for (name, point, change) in changes {
      _ = test.window.takeDirtyRects()
      change()
      #expect(isDirty(point), "\(name)")
    }
    view.shadow = nil
    #expect(!test.window.isDirty)
  }

  @Test func superviewMoveDirtiesTheShadowOfASubview() {
    let parent = View(frame: Rect(x: 90, y: 90, width: 60, height: 45))
    test.window.addSubview(parent)
    view.frame.origin = Point(x: 10, y: 10)
    parent.addSubview(view)
    view.shadow = shadow
    _ = test.window.takeDirtyRects()

    parent.frame.origin.x += 200

    #expect(isDirty(below))
  }

  @Test(arguments: [
    Shadow(color: .clear), Shadow(offset: Point(x: .nan, y: 0)), Shadow(offset: Point(x: 0, y: .infinity)),
  ])
  func invisibleShadowIsNotDrawn(shadow: Shadow) {
    view.shadow = shadow

    #expect(commands.map(\.word) == ["fill"])
    view.frame.origin.x += 1
  }
}

extension DrawList.Command {
  nonisolated var word: String {
    switch self {
    case .fill: "fill"
    case .border: "border"
    case .shadow: "shadow"
    case .image: "image"
    case .dissolve: "dissolve"
    case .text: "text"
    case .pushClip: "pushClip"
    case .popClip: "popClip"
    case .pushOutline: "pushOutline"
    case .popOutline: "popOutline"
    case .pushGroup: "pushGroup"
    case .popGroup: "popGroup"
    }
  }
}
