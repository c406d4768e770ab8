import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Images that a closure of the caller shows instead of the view (`showsImage`).
@Suite(.timeLimit(.minutes(5)))
struct CustomPresentationTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private let placeholder = Image.solid(width: 1, height: 1)
  private let presentation = Presentation()

  /// Records the images that the closure was given, in order.
  private final class Presentation {
    var given: [Image?] = []
    var image: Image? { given.last ?? nil }
  }

  private var options: SlotOptions {
    var options = bench.options
    let presentation = presentation
    options.showsImage = { _, image in presentation.given.append(image) }
    return options
  }

  @Test("SD-W11 a custom presentation receives the placeholder, then the image, before the completion")
  func closureReceivesPlaceholderThenImage() async throws {
    let view = bench.view()
    let (presentation, recorder) = (presentation, recorder)
    var givenAtTheEnd = 0

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options
    ) { result in
      givenAtTheEnd = presentation.given.count
      recorder.completion(result)
    }
    #expect(presentation.given == [placeholder])
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(presentation.given == [placeholder, recorder.images.first])
    #expect(givenAtTheEnd == 2)
    #expect(view.image == nil)
  }

  @Test("SD-W12 a cancelled load is not shown as a failure (deviates), and the next load succeeds")
  func cancelledLoadDoesNotShowThePlaceholderForFailures() async throws {
    try await loadAfterACancelledLoad(.onFailure, expecting: nil)
  }

  @Test("SD-W13 a cancelled load keeps the placeholder, and the next load succeeds")
  func cancelledLoadKeepsThePlaceholder() async throws {
    try await loadAfterACancelledLoad(options.placeholderPolicy, expecting: placeholder)
  }

  /// Cancels a load and then loads an image. `shown` is presented after the cancelled load and before the image.
  private func loadAfterACancelledLoad(
    _ policy: SlotOptions.PlaceholderPolicy, expecting shown: Image?
  ) async throws {
    let view = bench.view()
    var options = options
    options.placeholderPolicy = policy

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options,
      completion: recorder.completion)
    view.cancelImageLoad()
    await recorder.wait()
    #expect(presentation.given == [shown])
    view.setImage(
      from: "http://a.test/2", placeholder: placeholder, options: options,
      completion: recorder.completion)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(presentation.given == [shown, shown, recorder.images.first])
  }

  @Test func closureReceivesFailureImageAndPlaceholderOnFailure() async throws {
    let view = bench.view()
    var options = options
    options.placeholderPolicy = .onFailure
    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options,
      completion: recorder.completion)
    try await bench.transfer(1).fail(.status(500))
    await recorder.wait()
    #expect(presentation.given == [nil, placeholder])

    options.failureImage = .solid(width: 2, height: 2)
    view.setImage(
      from: "http://a.test/2", options: options, completion: recorder.completion)
    try await bench.transfer(2).fail(.status(500))
    await recorder.wait(for: 2)

    #expect(presentation.given == [nil, placeholder, nil, options.failureImage])
    #expect(view.image == nil)
  }

  @Test func imageFromMemoryComesWithoutPlaceholder() throws {
    let image = Image.solid(width: 100, height: 100)
    bench.cache.insert(image, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)

    bench.view().setImage(from: "http://a.test/1", placeholder: placeholder, options: options)

    #expect(presentation.given == [image])
  }

  @Test func reusedCellIsClearedInTheViewAndInTheClosure() async throws {
    let view = bench.view()
    let image = Image.solid(width: 100, height: 100)
    bench.cache.insert(image, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)

    view.setImage(from: "http://a.test/1", options: options)
    view.setImage(
      from: "http://a.test/2", options: bench.options)
    #expect(presentation.given == [image, nil])
    view.setImage(
      from: "http://a.test/1", options: bench.options)
    #expect(view.image == image)
    view.setImage(
      from: "http://a.test/2", options: options)
    #expect(view.image == nil)
    #expect(presentation.image == nil)
  }

  @Test func clearingTheSlotPassesNilToTheClosure() throws {
    let view = bench.view()
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)

    view.setImage(from: "http://a.test/1", options: options)
    view.imageURL = nil
    view.imageURL = nil
    #expect(presentation.given.count == 2)
    #expect(presentation.image == nil)
    view.setImage(from: nil, placeholder: placeholder, options: options)
    #expect(presentation.image == placeholder)
  }

  @Test func policyKeepsThePreviousImageInTheClosure() async throws {
    let view = bench.view()
    var options = options
    options.placeholderPolicy = .keepsPrevious
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)

    view.setImage(from: "http://a.test/1", options: options)
    view.setImage(
      from: "http://a.test/2", placeholder: placeholder, options: options,
      completion: recorder.completion)
    #expect(presentation.given.count == 1)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(presentation.given.count == 2)
    #expect(presentation.image == recorder.images.first)
  }
}
