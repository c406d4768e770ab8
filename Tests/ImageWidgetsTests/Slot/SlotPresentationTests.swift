import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// The images of a slot in its target and by a custom presentation, as decided.
struct SlotPresentationTests {
  private let first = Image.solid(width: 1, height: 1)
  private let second = Image.solid(width: 2, height: 2)
  private let scene = SlotScene(image: nil, needed: .unknown, now: nil)
  private let custom = SlotOptions(showsImage: { _, _ in })

  private func response(_ image: Image) -> ImageResponse { ImageResponse(image: image, source: .memory) }

  private func shown(_ presentation: inout SlotPresentation) -> [Image?] {
    var images: [Image?] = []
    while case .show(let image, _)? = presentation.nextEffect() { images.append(image) }
    return images
  }

  private func presented(_ presentation: inout SlotPresentation) -> [Image?] {
    var images: [Image?] = []
    while case .present(_, let image, _)? = presentation.nextCall() { images.append(image) }
    return images
  }

  @Test func customPresentationClearsTheTargetOnce() {
    var presentation = SlotPresentation()

    presentation.show(response(first), custom, isVariant: false)
    #expect(shown(&presentation) == [nil])
    #expect(presented(&presentation) == [first])
    presentation.show(response(second), custom, isVariant: false)

    #expect(shown(&presentation) == [])
    #expect(presented(&presentation) == [second])
    #expect(presentation.image(in: scene) == second)
  }

  @Test func targetClearsThePreviousCustomPresentation() {
    var presentation = SlotPresentation()
    presentation.show(response(first), custom, isVariant: false)
    _ = (shown(&presentation), presented(&presentation))

    presentation.show(response(second), SlotOptions(), isVariant: false)

    #expect(shown(&presentation) == [second])
    #expect(presented(&presentation) == [nil])
    #expect(presented(&presentation) == [])
  }

  @Test func previewIsNoImageThatTheLoadHasFound() {
    var presentation = SlotPresentation()

    presentation.showPreview(first, SlotOptions(), in: scene)
    #expect(presentation.image(in: scene) == first)
    #expect(presentation.imageWithoutPreview(in: scene) == nil)

    presentation.show(response(second), SlotOptions(), isVariant: false)
    #expect(presentation.imageWithoutPreview(in: scene) == second)
  }

  @Test func laterDecisionReplacesAnEarlierOne() {
    var presentation = SlotPresentation()
    presentation.show(response(first), SlotOptions(), isVariant: false)

    presentation.show(response(second), SlotOptions(), isVariant: false)

    #expect(presentation.image(in: scene) == second)
    #expect(shown(&presentation) == [second])
  }

  @Test func clearDropsACallThatHasNotBeenMade() {
    var presentation = SlotPresentation()
    presentation.show(response(first), custom, isVariant: false)

    presentation.clear()

    #expect(shown(&presentation) == [nil])
    #expect(presented(&presentation) == [nil])
  }

  @Test func replacedCustomPresentationIsReturnedForItsRelease() {
    var presentation = SlotPresentation()
    presentation.show(response(first), custom, isVariant: false)
    _ = (shown(&presentation), presented(&presentation))

    presentation.show(response(second), SlotOptions(showsImage: { _, _ in }), isVariant: false)

    guard case .present(_, let image, let replaced)? = presentation.nextCall() else {
      Issue.record("no call")
      return
    }
    #expect(image == second)
    #expect(replaced != nil)
  }

  @Test func optionsThatLeaveTheImageToTheCompletionShowNothing() {
    var presentation = SlotPresentation()
    let options = SlotOptions(failureImage: second, setsImage: false)

    presentation.showPlaceholder(first, options, in: scene)
    presentation.show(response(first), options, isVariant: false)
    presentation.showFailure(first, options, in: scene)

    #expect(shown(&presentation) == [])
  }

  @Test func largerVariantDissolves() {
    var presentation = SlotPresentation()
    let options = SlotOptions(transition: Transition(kind: .slide(.left), duration: 1, curve: .linear))

    presentation.show(ImageResponse(image: first, source: .network), options, isVariant: true)

    guard case .show(_, let transition)? = presentation.nextEffect() else {
      Issue.record("no image")
      return
    }
    #expect(transition == .crossDissolve)
  }
}
