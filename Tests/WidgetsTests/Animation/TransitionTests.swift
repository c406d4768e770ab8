import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Transitions of each kind, of views that are hidden, resized or removed before the transition ends.
@Suite(.timeLimit(.minutes(5)))
struct TransitionTests {
  @Test(arguments: ImageRole.allCases, Transition.Kind.all)
  func everyKindRunsInEveryViewAndEnds(role: ImageRole, kind: Transition.Kind) {
    let (old, new) = (makeImage(), makeImage())
    let view = role.view()
    let test = TestWindow(view)
    role.set(old, in: view, .none)
    test.draw()
    let before = test.images

    role.set(new, in: view, Transition.linear(kind))
    #expect(view.isInTransition)
    test.advance(by: 0)
    test.draw()
    #expect(test.images.first?.image == old)
    #expect(test.images.first?.destination == before.first?.destination)
    test.advance(by: 0.7)
    #expect(test.images.contains { $0.image == new })
    test.advance(by: 0.4)

    #expect(test.images.map(\.image) == [new])
    #expect(!view.isInTransition)
    #expect(test.window.isIdle)
    #expect(test.window.nextDeadline == nil)
  }

  @Test(arguments: ImageRole.allCases, Transition.Kind.all)
  func everyKindRunsFromAndToNoImage(role: ImageRole, kind: Transition.Kind) {
    let image = makeImage()
    let view = role.view()
    let test = TestWindow(view)

    role.set(image, in: view, Transition.linear(kind))
    test.advance(by: 0.6)
    #expect(test.images.map(\.image) == [image])
    test.advanceUntilIdle()
    #expect(test.images.first?.opacity == 1)

    role.set(nil, in: view, Transition.linear(kind))
    test.advance(by: 0.3)
    #expect(test.images.map(\.image) == [image])
    test.advanceUntilIdle()
    #expect(test.images.isEmpty)
  }

  /// An event during the transition, for the view or its superview.
  nonisolated enum Event: CaseIterable, Sendable {
    case hide, hideSuperview, fadeAway, remove, removeSuperview, leaveWithWindow
  }

  @Test(arguments: Event.allCases, ImageRole.allCases)
  func viewThatBecomesInvisibleEndsItsTransition(event: Event, role: ImageRole) {
    let superview = View(frame: Rect(x: 0, y: 0, width: 200, height: 100))
    let view = role.view()
    let new = makeImage()
    weak var released: Image?
    var test: TestWindow? = TestWindow(superview)
    superview.addSubview(view)
    do {
      let old = makeImage()
      released = old
      role.set(old, in: view, .none)
      test?.draw()
      role.set(new, in: view, Transition.linear(.slide(.left), 100))
    }
    test?.advance(by: 1)
    #expect(released != nil)

    switch event {
    case .hide: view.isHidden = true
    case .hideSuperview: superview.isHidden = true
    case .fadeAway: superview.alpha = 0
    case .remove: view.removeFromSuperview()
    case .removeSuperview: superview.removeFromSuperview()
    case .leaveWithWindow: test = nil
    }
    test?.advance(by: 0.1)

    #expect(test?.window.isIdle != false)
    #expect(test?.window.nextDeadline == nil)
    if event != .leaveWithWindow {
      #expect(!view.isInTransition)
      #expect(released == nil)
      superview.isHidden = false
      superview.alpha = 1
      view.isHidden = false
      test?.window.addSubview(superview)
      superview.addSubview(view)
      test?.draw()
      #expect(test?.images.map(\.image) == [new])
    }
  }

  @Test(arguments: Transition.Kind.all)
  func oldImageIsReleasedWhenTheTransitionEnds(kind: Transition.Kind) {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 40))
    let test = TestWindow(view)
    weak var released: Image?
    do {
      let old = makeImage()
      released = old
      view.image = old
    }
    test.draw()

    view.setImage(makeImage(), transition: Transition.linear(kind, 0.3))
    test.advance(by: 0.2)
    #expect(released != nil)
    test.advance(by: 0.2)

    #expect(released == nil)
  }

  @Test(arguments: Transition.Kind.all)
  func viewResizedMidwayContinuesInItsNewBounds(kind: Transition.Kind) {
    let (old, new) = (makeImage(), makeImage())
    let (view, test) = window(showing: old)
    view.setImage(new, transition: Transition.linear(kind))

    for (step, side) in [80, 10, 0, 60.0].enumerated() {
      test.advance(by: 0.15)
      view.frame.size = Size(width: side, height: side)
      test.draw()
      for image in test.images {
        #expect(image.destination.intersects(view.frame), "step \(step)")
      }
    }
    test.advanceUntilIdle()

    #expect(test.images.map(\.image) == [new])
    #expect(test.images.first?.destination == view.frame)
  }

  @Test func viewWithoutAWindowShowsItsImageAtOnce() {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 40))

    view.setImage(makeImage(), transition: .flip(.left))

    #expect(!view.isInTransition)
    #expect(TestWindow(view).window.isIdle)
  }

  @Test func oldImageOfAButtonKeepsItsFrameDuringATransition() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 120, height: 100))
    let (small, large) = (makeImage(20, 20), makeImage(60, 40))
    button.setImage(small, for: .normal)
    let test = TestWindow(button)
    let destination = test.images.first?.destination

    button.setImage(large, for: .normal, transition: Transition.linear(.crossDissolve))
    test.advance(by: 0.5)

    #expect(test.images.map(\.image) == [small, large])
    #expect(test.images.first?.destination == destination)
    #expect(test.images.last?.destination == Rect(x: 30, y: 30, width: 60, height: 40))
  }

  @Test func dimmedImageStaysDimmedDuringItsTransition() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 60, height: 60))
    let (normal, disabled) = (makeImage(), makeImage())
    button.setImage(normal, for: .normal)
    button.isEnabled = false
    let test = TestWindow(button)

    button.setImage(disabled, for: .disabled, transition: Transition.linear(.fadeThrough))
    test.advance(by: 0)
    test.draw()

    #expect(test.images.map(\.opacity) == [0.5])
    test.advanceUntilIdle()
    #expect(test.images.map(\.opacity) == [1])
  }

  @Test func focusChangeDoesNotEndATransition() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 60, height: 60))
    button.setImage(makeImage(), for: .normal)
    let test = TestWindow(button)
    button.setImage(makeImage(), for: .normal, transition: Transition.linear(.crossDissolve))
    test.advance(by: 0.5)

    test.window.focus(button)

    #expect(button.isInTransition)
  }

  @Test func customTransitionGetsItsProgressAndIsClipped() {
    let (old, new) = (makeImage(), makeImage())
    let view = ImageView(frame: Rect(x: 20, y: 10, width: 80, height: 60))
    let test = TestWindow(view)
    view.image = old
    test.draw()

    view.setImage(new, transition: Transition.linear(.custom(CustomTransition(Cut()))))
    test.advance(by: 0.25)

    // `Cut` shows the new image to the left of the progress.
    #expect(test.images.map(\.image) == [old, new])
    let clips = test.drawList.commands.compactMap { command -> Rect? in
      if case .pushClip(let clip) = command { clip } else { nil }
    }
    #expect(clips.first == view.frame)
    #expect(clips.last.map { abs($0.width - 20) < 2 } == true)
  }

  @Test(arguments: [-3, -1, 1, 3])
  func unbalancedCustomDrawingDoesNotAffectOtherViews(entered: Int) {
    let (new, sound) = (makeImage(), makeImage())
    let view = ImageView(frame: Rect(x: 20, y: 10, width: 80, height: 60))
    let other = ImageView(frame: Rect(x: 5, y: 100, width: 8, height: 8))
    let test = TestWindow(view)
    test.window.addSubview(other)
    other.image = sound
    view.setImage(new, transition: Transition.linear(.custom(CustomTransition(Unbalanced(entered: entered)))))
    test.advance(by: 0.25)

    #expect(test.images.map(\.image) == [new, sound])
    #expect(test.images.last?.destination == other.frame)
    #expect(test.images.last?.opacity == 1)
    let depths = test.drawList.commands.reduce(into: [0]) { depths, command in
      if case .pushClip = command { depths.append(depths[depths.count - 1] + 1) }
      if case .popClip = command { depths.append(depths[depths.count - 1] - 1) }
    }
    #expect(depths.last == 0)
  }
}

/// Makes unbalanced calls of `enter` and `leave`.
private nonisolated struct Unbalanced: TransitionDrawing {
  let entered: Int

  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let new = scene.new { list.draw(new) }
    for _ in 0..<max(0, entered) { list.enter(origin: Point(x: 7, y: 7), opacity: 0.5, clip: scene.rect) }
    for _ in 0..<max(0, -entered) { list.leave() }
  }
}
