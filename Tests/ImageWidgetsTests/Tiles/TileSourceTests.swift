import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineImageWidgets
@testable import VitrineWidgets

/// The regions of the image that a slot shows.
@Suite(.timeLimit(.minutes(5)))
struct TileSourceTests {
  private let bench = SlotBench()
  private let regions = ImageDownloader(transports: [FakeTransport()], decoder: WholeAndRegions())

  private func view(_ downloader: ImageDownloader, _ request: ImageRequest) async throws -> ImageView {
    let view = bench.view()
    let transport = try #require(downloader.transports.first as? FakeTransport)
    view.setImage(from: request, options: SlotOptions(downloader: downloader))
    #expect(view.attachment?.tileSource(for: view) == nil, "not before the image is shown")
    try await transport.transfer(1).respond(with: SlotBench.red)
    try await until { view.image != nil }
    return view
  }

  @Test func shownImageHasASource() async throws {
    let view = try await view(regions, ImageRequest("http://a.test/1"))
    #expect(view.attachment?.tileSource(for: view) != nil)

    view.image = .solid(width: 1, height: 1)
    #expect(view.attachment?.tileSource(for: view) == nil, "an image of the application")
  }

  @Test func imageThatIsDecodedOnlyAsAWholeHasNone() async throws {
    let view = try await view(bench.downloader, ImageRequest("http://a.test/1"))
    #expect(view.attachment?.tileSource(for: view) == nil)
  }

  @Test func imageOfAFixedSizeHasNone() async throws {
    var request = try ImageRequest("http://a.test/1")
    request.targetSize = DecodeTarget(width: 10, height: 10)
    let view = try await view(regions, request)
    #expect(view.attachment?.tileSource(for: view) == nil)
  }

  @Test func failureToOpenGivesNoLayout() async throws {
    let view = try await view(regions, ImageRequest("http://a.test/1"))
    let source = try #require(view.attachment?.tileSource(for: view))
    var layouts: [RegionLayout?] = []
    source.open(for: try #require(view.image)) { layouts.append($0) }
    let transport = try #require(regions.transports.first as? FakeTransport)
    try await transport.transfer(2).respond(with: SlotBench.red)

    try await until { layouts.count == 1 }
    #expect(layouts == [nil])
    #expect(!source.isActive)
  }
}

/// A decoder that knows regions, but none of its images has any.
private nonisolated struct WholeAndRegions: ImageRegionDecoding {
  private let whole = FakeDecoder()

  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try whole.decode(data, options: options)
  }

  func memoryForRegions(of bytes: EncodedBytes) -> Int { 0 }

  func regionDecoder(
    for bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) -> any ImageRegionDecoder {
    throw .notSupported
  }
}
