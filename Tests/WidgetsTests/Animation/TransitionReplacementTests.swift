import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Images that are replaced before their transition ends.
@Suite(.timeLimit(.minutes(5)))
struct TransitionReplacementTests {
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
    if isUnderneathInTransition { set(another, isUnderneath: true, Transition.linear(.crossDissolve)) }
    set(new, isUnderneath: false, Transition.linear(.crossDissolve))
    test.advance(by: 0)
    test.advance(by: 0.5)
    #expect(test.images.contains { $0.image == old })

    set(isReplaced ? makeImage() : isUnderneathInTransition ? another : old, isUnderneath: true)

    #expect(view.isInTransition != isReplaced)
    #expect(test.images.contains { $0.image == old } != isReplaced)
    #expect(test.images.contains { $0.image == new })
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
    for image in images { role.set(image, in: view, Transition.linear(.crossDissolve)) }
    test.advance(by: 0.5)

    #expect(test.images.map(\.image) == [old, images[999]])
    test.advance(by: 0.6)
    #expect(test.images.map(\.image) == [images[999]])
    #expect(test.window.nextDeadline == nil)
  }

  @Test func clearingTheImageForgetsTheOldImage() {
    let (row, other) = (makeImage(), makeImage())
    let (view, test) = window(showing: row)

    view.setImage(makeImage(), transition: Transition.linear(.crossDissolve))
    view.image = nil
    view.setImage(other, transition: Transition.linear(.crossDissolve))
    test.advance(by: 0.5)

    #expect(test.images.map(\.image) == [other])
  }

  @Test(arguments: Transition.Kind.all)
  func newImageMidwayReplacesTheRunningTransition(kind: Transition.Kind) {
    let (a, b, c) = (makeImage(), makeImage(), makeImage())
    let (view, test) = window(showing: a)
    view.setImage(b, transition: Transition.linear(kind))
    test.advance(by: 0.7)

    view.setImage(c, transition: Transition.linear(kind))
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

  @Test(arguments: Transition.Kind.all)
  func imageOfABarelyBegunTransitionIsSkipped(kind: Transition.Kind) {
    let (a, b, c) = (makeImage(), makeImage(), makeImage())
    let (view, test) = window(showing: a)
    view.setImage(b, transition: Transition.linear(kind))
    test.advance(by: 0.1)

    view.setImage(c, transition: Transition.linear(kind))
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
    role.set(new, in: view, Transition.linear(.crossDissolve))
    test.advance(by: 0.3)
    let before = test.images

    role.set(new, in: view, Transition.linear(.slide(.left)))
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
}
