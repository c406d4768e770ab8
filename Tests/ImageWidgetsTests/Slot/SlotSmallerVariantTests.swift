import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// A smaller variant of an image in memory, which another slot has loaded, is shown until the image has loaded.
@Suite(.timeLimit(.minutes(5)))
struct SlotSmallerVariantTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private let small = Image.solid(width: 50, height: 50)

  private func largeView() throws -> ImageView {
    // A variant of a source of 1000 x 1000 pixels.
    let variant = Image(small.bitmap, format: .jpeg, sourceWidth: 1000, sourceHeight: 1000)
    var request = try ImageRequest("http://a.test/1")
    request.targetSize = DecodeTarget(width: 50, height: 50)
    bench.cache.insert(variant, for: request, additionalIdentifier: nil)
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 300, height: 300))
    bench.window.addSubview(view)
    return view
  }

  @Test func smallerVariantIsShownAtOnceAndReplaced() async throws {
    let view = try largeView()
    view.setImage(
      from: "http://a.test/1", placeholder: .solid(width: 1, height: 1), options: bench.options,
      completion: recorder.completion)
    #expect(view.image?.pixelWidth == 50)
    #expect(view.isLoadingImage)
    #expect(recorder.images.isEmpty)
    bench.run(until: 1)
    #expect(bench.images.count == 1, "there is no spinner over it")

    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(view.image?.pixelWidth == 300)
    #expect(recorder.images.count == 1)
  }

  @Test func smallerVariantStaysIfTheLoadFails() async throws {
    let view = try largeView()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).fail(.status(500))
    await recorder.wait()

    #expect(view.image?.pixelWidth == 50)
    #expect(throws: ImageError.self) { try recorder.results.first?.get() }
  }

  @Test func requestThatIgnoresCachesShowsThePlaceholder() throws {
    let view = try largeView()
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .reload
    view.setImage(from: request, options: bench.options)
    #expect(view.image == nil)
  }

  @Test func lookupOfTheVariantCountsAsNoLookup() throws {
    let view = try largeView()
    view.setImage(from: "http://a.test/other", options: bench.options)
    let misses = bench.cache.statistics.misses
    view.setImage(from: "http://a.test/1", options: bench.options)
    #expect(bench.cache.statistics.misses == 2 * misses)
    #expect(bench.cache.statistics.hits == 0)
  }

  @Test func slotThatLeavesImagesToItsCompletionShowsNothing() throws {
    let view = try largeView()
    var options = bench.options
    options.setsImage = false
    view.setImage(from: "http://a.test/1", options: options)
    #expect(view.image == nil)
  }
}
