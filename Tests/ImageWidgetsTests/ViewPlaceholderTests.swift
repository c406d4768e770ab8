import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The placeholder, the failure image and the previous image of a view.
@Suite(.timeLimit(.minutes(5)))
struct ViewPlaceholderTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test("AF-I3 YY-B16 the placeholder stays when the load fails, and the status is reported")
  func placeholderStaysWhenTheLoadFails() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: bench.options,
      completion: recorder.completion)
    try await bench.transfer(1).fail(.status(404))
    await recorder.wait()

    #expect(recorder.errors == [.status(404)])
    #expect(view.image === placeholder)
  }

  @Test func failureImageIsShownWhenTheLoadFails() async throws {
    let view = bench.view()
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(.emptyBody)
    await recorder.wait()

    #expect(view.image === options.failureImage)
  }

  @Test("AF-I6 AF-I7 SD-W24 YY-B8 a missing URL shows the placeholder and fails once, later")
  func missingURLShowsThePlaceholderAndFailsLater() async {
    bench.cache.keepsWeakReferences = true
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)

    view.setImage(
      from: nil, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    #expect(recorder.results.isEmpty)
    #expect(view.image === placeholder)
    await recorder.wait()
    view.setImage(from: "not a url", options: bench.options, completion: recorder.completion)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.invalidURL(""), .invalidURL("not a url")])
    #expect(bench.transport.transfers.isEmpty)
  }

  @Test("YY-B7 a load without a placeholder clears the image at once")
  func loadWithoutPlaceholderClearsTheImageAtOnce() async {
    let view = bench.view()
    view.image = .solid(width: 3, height: 3)

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(view.image == nil)
  }

  @Test("YY-B7 the policy keeps the previous image, with or without a placeholder", arguments: [true, false])
  func keepsPreviousPolicyKeepsTheImageUntilTheNewImageLoads(hasPlaceholder: Bool) async throws {
    let view = bench.view()
    let old = Image.solid(width: 3, height: 3)
    view.image = old
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(
      from: "http://a.test/1", placeholder: hasPlaceholder ? .solid(width: 1, height: 1) : nil,
      options: options, completion: recorder.completion)
    #expect(view.image === old)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
  }

  @Test(arguments: ["not a url", "cover.jpg", ""], [false, true])
  func keepsPreviousPolicyKeepsTheImageForAnInvalidURL(text: String, isLoading: Bool) async {
    let view = bench.view()
    let old = Image.solid(width: 3, height: 3)
    view.image = old
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious
    if isLoading { view.setImage(from: "http://a.test/1", options: options) }

    view.setImage(
      from: text, placeholder: .solid(width: 1, height: 1), options: options, completion: recorder.completion)
    #expect(view.image === old)
    await recorder.wait()

    #expect(recorder.errors == [.invalidURL(text)])
    #expect(view.image === old)
    #expect(view.imageURL == nil)
  }

  @Test func invalidURLWithoutAPreviousImageShowsThePlaceholder() {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(from: "not a url", placeholder: placeholder, options: options)
    #expect(view.image === placeholder)
    options.failureImage = .solid(width: 2, height: 2)
    view.setImage(from: "not a url", placeholder: placeholder, options: options)
    #expect(view.image === options.failureImage, "as after a failed load")
  }

  @Test func nilURLClearsTheImageDespiteKeepsPreviousPolicy() {
    let view = bench.view()
    view.image = .solid(width: 3, height: 3)
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(from: nil, options: options)
    #expect(view.image == nil)
  }

  @Test func onFailurePolicyShowsThePlaceholderOnlyAfterAFailure() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.placeholderPolicy = .onFailure

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(1).fail(.status(500))
    await recorder.wait()

    #expect(view.image === placeholder)
  }

  @Test func neverPolicyHidesThePlaceholderForAMissingURL() {
    let view = bench.view()
    var options = bench.options
    options.placeholderPolicy = .never

    view.setImage(from: nil, placeholder: .solid(width: 1, height: 1), options: options)

    #expect(view.image == nil)
  }

  @Test func newLoadReplacesTheFailureImage() async throws {
    let view = bench.view()
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(.status(503))
    await recorder.wait()
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image === recorder.images.first)
    #expect(view.pendingSlots == 0)
  }
}
