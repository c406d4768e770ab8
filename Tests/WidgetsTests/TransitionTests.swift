import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Transitions of views that are changed, hidden, resized or removed before the transition ends.
@Suite(.timeLimit(.minutes(1)))
struct TransitionTests {
  /// The kinds of image that can change with a transition.
  nonisolated enum ImageRole: CaseIterable, Sendable {
    case contents, image, highlightedImage, buttonImage, buttonBackground

    @MainActor func view() -> View {
      let view: View =
        switch self {
        case .contents: View()
        case .image, .highlightedImage: ImageView()
        case .buttonImage, .buttonBackground: Button()
        }
      view.frame = Rect(x: 20, y: 10, width: 80, height: 60)
      (view as? ImageView)?.isHighlighted = self == .highlightedImage
      (view as? Button)?.imageSize = Size(width: 40, height: 40)
      return view
    }

    @MainActor func set(_ image: Image?, in view: View, _ transition: Transition) {
      switch self {
      case .contents: view.setContents(image, transition: transition)
      case .image: (view as? ImageView)?.setImage(image, transition: transition)
      case .highlightedImage: (view as? ImageView)?.setHighlightedImage(image, transition: transition)
      case .buttonImage: (view as? Button)?.setImage(image, for: .normal, transition: transition)
      case .buttonBackground:
        (view as? Button)?.setBackgroundImage(image, for: .normal, transition: transition)
      }
    }
  }

  nonisolated static let kinds: [Transition.Kind] =
    [.fadeThrough, .crossDissolve, .custom(CustomTransition(Cut()))]
    + Transition.Direction.allCases.flatMap { [.slide($0), .flip($0)] }

  private static func linear(_ kind: Transition.Kind, _ duration: Double = 1) -> Transition {
    Transition(kind: kind, duration: duration, curve: .linear)
  }

  /// Returns a view whose image has been drawn.
  private func window(showing image: Image) -> (ImageView, TestWindow) {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 40))
    let test = TestWindow(view)
    view.image = image
    test.draw()
    return (view, test)
  }

  nonisolated enum Underneath: CaseIterable, Sendable { case image, buttonImage, buttonBackground }

  /// An image that dissolves into the image of another state is replaced during the transition.
  @Test(arguments: Underneath.allCases, [true, false])
  func imageReplacedDuringItsTransitionDisappears(underneath: Underneath, isReplaced: Bool) {
    expectDisappearance(underneath: underneath, isReplaced: isReplaced, isUnderneathInTransition: false)
  }

  /// As above, but the image underneath had itself just been replaced with a transition.
  @Test(arguments: Underneath.allCases, [true, false])
  func imageBeforeTheReplacedImageDisappearsToo(underneath: Underneath, isReplaced: Bool) {
    expectDisappearance(underneath: underneath, isReplaced: isReplaced, isUnderneathInTransition: true)
  }

  private func expectDisappearance(underneath: Underneath, isReplaced: Bool, isUnderneathInTransition: Bool) {
    let (old, new) = (makeImage(), makeImage())
    let view = underneath == .image ? ImageRole.image.view() : ImageRole.buttonImage.view()
    (view as? ImageView)?.isHighlighted = true
    (view as? Button)?.isSelected = true
    let test = TestWindow(view)
    func set(_ image: Image?, isUnderneath: Bool, _ transition: Transition = .none) {
      let state: ControlState = isUnderneath ? .normal : .selected
      switch view {
      case let view as ImageView:
        isUnderneath
          ? view.setImage(image, transition: transition)
          : view.setHighlightedImage(image, transition: transition)
      case let button as Button:
        button.setImage(
          image, in: underneath == .buttonImage ? .image : .background, for: state, transition: transition)
      default: break
      }
    }
    set(old, isUnderneath: true)
    test.draw()
    let another = makeImage()
    if isUnderneathInTransition { set(another, isUnderneath: true, Self.linear(.crossDissolve)) }
    set(new, isUnderneath: false, Self.linear(.crossDissolve))
    test.advance(by: 0)
    test.advance(by: 0.5)
    #expect(test.images.contains { $0.image == old })

    set(isReplaced ? makeImage() : isUnderneathInTransition ? another : old, isUnderneath: true)

    #expect(view.isInTransition != isReplaced)
    #expect(test.images.contains { $0.image == old } != isReplaced)
    #expect(test.images.contains { $0.image == new })
  }

  @Test(arguments: ImageRole.allCases, kinds)
  func everyKindRunsInEveryViewAndEnds(role: ImageRole, kind: Transition.Kind) {
    let (old, new) = (makeImage(), makeImage())
    let view = role.view()
    let test = TestWindow(view)
    role.set(old, in: view, .none)
    test.draw()
    let before = test.images

    role.set(new, in: view, Self.linear(kind))
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

  @Test(arguments: ImageRole.allCases, kinds)
  func everyKindRunsFromAndToNoImage(role: ImageRole, kind: Transition.Kind) {
    let image = makeImage()
    let view = role.view()
    let test = TestWindow(view)

    role.set(image, in: view, Self.linear(kind))
    test.advance(by: 0.6)
    #expect(test.images.map(\.image) == [image])
    test.advanceUntilIdle()
    #expect(test.images.first?.opacity == 1)

    role.set(nil, in: view, Self.linear(kind))
    test.advance(by: 0.3)
    #expect(test.images.map(\.image) == [image])
    test.advanceUntilIdle()
    #expect(test.images.isEmpty)
  }

  /// A thousand images are set in one frame: the image on the screen dissolves into the last one.
  @Test(arguments: ImageRole.allCases)
  func imagesNeverShownAreSkipped(role: ImageRole) {
    let old = makeImage()
    let view = role.view()
    let test = TestWindow(view)
    role.set(old, in: view, .none)
    test.draw()

    let images = (0..<1000).map { _ in makeImage() }
    for image in images { role.set(image, in: view, Self.linear(.crossDissolve)) }
    test.advance(by: 0.5)

    #expect(test.images.map(\.image) == [old, images[999]])
    test.advance(by: 0.6)
    #expect(test.images.map(\.image) == [images[999]])
    #expect(test.window.nextDeadline == nil)
  }

  @Test func clearingTheImageForgetsTheOldImage() {
    let (row, other) = (makeImage(), makeImage())
    let (view, test) = window(showing: row)

    view.setImage(makeImage(), transition: Self.linear(.crossDissolve))
    view.image = nil
    view.setImage(other, transition: Self.linear(.crossDissolve))
    test.advance(by: 0.5)

    #expect(test.images.map(\.image) == [other])
  }

  @Test(arguments: kinds)
  func newImageMidwayReplacesTheRunningTransition(kind: Transition.Kind) {
    let (a, b, c) = (makeImage(), makeImage(), makeImage())
    let (view, test) = window(showing: a)
    view.setImage(b, transition: Self.linear(kind))
    test.advance(by: 0.7)

    view.setImage(c, transition: Self.linear(kind))
    test.advance(by: 0)
    test.draw()

    #expect(test.images.first?.image == b)
    for _ in 0..<20 {
      test.advance(by: 0.05)
      #expect(!test.images.contains { $0.image == a })
    }
    test.advanceUntilIdle()
    #expect(test.images.map(\.image) == [c])
  }

  @Test(arguments: kinds)
  func imageOfABarelyBegunTransitionIsSkipped(kind: Transition.Kind) {
    let (a, b, c) = (makeImage(), makeImage(), makeImage())
    let (view, test) = window(showing: a)
    view.setImage(b, transition: Self.linear(kind))
    test.advance(by: 0.1)

    view.setImage(c, transition: Self.linear(kind))
    for _ in 0..<70 {
      test.advance(by: 1.0 / 60)
      #expect(!test.images.contains { $0.image == b })
    }

    #expect(test.images.map(\.image) == [c])
  }

  @Test(arguments: ImageRole.allCases)
  func settingTheSameImageKeepsItsTransition(role: ImageRole) {
    let (old, new) = (makeImage(), makeImage())
    let view = role.view()
    let test = TestWindow(view)
    role.set(old, in: view, .none)
    test.draw()
    role.set(new, in: view, Self.linear(.crossDissolve))
    test.advance(by: 0.3)
    let before = test.images

    role.set(new, in: view, Self.linear(.slide(.left)))
    #expect(test.images == before)

    role.set(new, in: view, .none)
    #expect(test.images.map(\.image) == [new])
    #expect(!view.isInTransition)
  }

  @Test func restoringTheOldImageCancelsTheTransition() {
    let (a, b) = (makeImage(), makeImage())
    let (view, test) = window(showing: a)

    view.setImage(b, transition: .crossDissolve)
    view.setImage(a, transition: .crossDissolve)

    #expect(!view.isInTransition)
    test.draw()
    #expect(test.images.map(\.image) == [a])
    #expect(test.window.isIdle)
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
      role.set(new, in: view, Self.linear(.slide(.left), 100))
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

  @Test(arguments: kinds)
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

    view.setImage(makeImage(), transition: Self.linear(kind, 0.3))
    test.advance(by: 0.2)
    #expect(released != nil)
    test.advance(by: 0.2)

    #expect(released == nil)
  }

  @Test(arguments: kinds)
  func viewResizedMidwayContinuesInItsNewBounds(kind: Transition.Kind) {
    let (old, new) = (makeImage(), makeImage())
    let (view, test) = window(showing: old)
    view.setImage(new, transition: Self.linear(kind))

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

    button.setImage(large, for: .normal, transition: Self.linear(.crossDissolve))
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

    button.setImage(disabled, for: .disabled, transition: Self.linear(.fadeThrough))
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
    button.setImage(makeImage(), for: .normal, transition: Self.linear(.crossDissolve))
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

    view.setImage(new, transition: Self.linear(.custom(CustomTransition(Cut()))))
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
    view.setImage(new, transition: Self.linear(.custom(CustomTransition(Unbalanced(entered: entered)))))
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

/// Draws the new image over the old one, clipped to the transition's progress.
private nonisolated struct Cut: TransitionDrawing {
  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let old = scene.old { list.draw(old) }
    var part = scene.rect
    part.size.width *= scene.progress
    list.enter(origin: .zero, opacity: 1, clip: part)
    if let new = scene.new { list.draw(new) }
    list.leave()
  }
}
