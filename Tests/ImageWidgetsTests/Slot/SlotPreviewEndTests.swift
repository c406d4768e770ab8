import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Previews of loads that fail or are cancelled, and of slots that request another image.
@Suite(.timeLimit(.minutes(5)))
struct SlotPreviewEndTests: PreviewSlots {
  let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private let placeholder = Image.solid(Color(hex: 0x333333), width: 4, height: 4)

  // MARK: Loads without a final image

  nonisolated enum Policy: CaseIterable, Sendable {
    case whileLoading, nothing, onFailure, keepsPrevious, failureImage
  }

  @Test("a preview is not left when the load fails", arguments: Policy.allCases)
  func previewIsRemovedWhenTheLoadFails(policy: Policy) async throws {
    let view = bench.view()
    let previous = Image.solid(width: 8, height: 8)
    let failure = Image.solid(width: 9, height: 9)
    view.image = previous
    bench.run(until: 1)
    var options = self.options
    switch policy {
    case .whileLoading, .nothing: break
    case .onFailure: options.placeholderPolicy = .onFailure
    case .keepsPrevious: options.placeholderPolicy = .keepsPrevious
    case .failureImage: options.failureImage = failure
    }
    view.setImage(
      from: try request(), placeholder: policy == .nothing ? nil : placeholder, options: options,
      completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    transfer.fail(.status(500))
    await recorder.wait()

    let expected: Image? =
      switch policy {
      case .whileLoading, .onFailure: placeholder
      case .nothing: nil
      case .keepsPrevious: previous
      case .failureImage: failure
      }
    #expect(view.image == expected)
    bench.run(until: 3)
    #expect(bench.images.map(\.image) == [expected].compactMap { $0 })
  }

  @Test func cancelledSlotShowsNoPreview() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    view.cancelImageLoad()
    #expect(view.image == placeholder)
    #expect(!view.isInTransition)
    await recorder.wait()
    #expect(recorder.errors == [.cancelled])
    #expect(view.image == placeholder)
  }

  @Test func loadCancelledByTheDownloaderShowsNoPreview() async throws {
    let view = bench.view()
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    try await send(0..<5000, of: try await bench.transfer(1)) { view.image }
    bench.downloader.cancelAll()
    await recorder.wait()
    #expect(view.image == placeholder)
  }

  @Test func imageSetByTheProgramStaysWhenTheLoadFails() async throws {
    let view = bench.view()
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    let own = Image.solid(width: 3, height: 3)
    view.image = own
    transfer.fail(.status(500))
    await recorder.wait()
    #expect(view.image == own)
  }

  // MARK: Reuse

  @Test(
    "AF-B9 a reused slot shows no preview of another row",
    arguments: [
      SlotOptions.PlaceholderPolicy.whileLoading, .keepsPrevious, .onFailure, .never,
    ])
  func reusedSlotShowsNoPreviewOfAnotherRow(policy: SlotOptions.PlaceholderPolicy) async throws {
    let view = bench.view()
    bench.run(until: 1)
    var options = self.options
    options.placeholderPolicy = policy
    view.setImage(from: try request("1"), options: options)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    bench.run(until: 2)

    view.setImage(from: try request("2"), options: options)
    #expect(view.image == nil)
    bench.clock.advance(by: 1)
    transfer.send(Array(Self.whole[5000..<8000]))
    for _ in 0..<30 {
      await Task.yield()
      bench.run(until: bench.window.now + 1.0 / 60)
      #expect(!seen.contains { $0.isPreview })
    }
  }
}
