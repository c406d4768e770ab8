import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets
@testable import VitrineLoading

/// Images of the pixel cache that a slot shows until the image is decoded: the first frame of an animation, or a smaller
/// variant.
@MainActor struct SlotFirstFrameOfAnimationTests {
  private let bench = SlotStateBench()
  /// An animation whose first frame has the size of `bench.red`.
  private let animation = Image(frames: [
    .init(bitmap: Image.solid(width: 100, height: 100).bitmap),
    .init(bitmap: Image.solid(width: 100, height: 100).bitmap),
  ])

  /// Shows the first frame of a load. Returns the words of the effects.
  private func showFirstFrame(of load: SlotLoad) -> [String] {
    bench.state.received(provisional: bench.red, of: load, in: bench.scene)
    return bench.take()
  }

  private func respond(
    to load: SlotLoad, from source: ImageResponse.Source = .disk,
    _ freshness: ImageResponse.Freshness = .fresh
  ) -> [String] {
    let response = ImageResponse(image: animation, source: source, freshness: freshness)
    bench.state.received(.success(response), of: load, isStale: false, in: bench.scene)
    return bench.take()
  }

  @Test func firstFrameIsShownAtOnceAndTheAnimationContinuesIt() throws {
    let load = try bench.load("1")

    let first = showFirstFrame(of: load)
    #expect(first.contains("show red") && first.contains("fill indicator"))
    #expect(bench.load === load && bench.results == [])
    bench.state.wasDrawn()

    let second = respond(to: load)
    #expect(second.contains("show another image") && !second.contains("show another image animated"))
    #expect(bench.target === animation && bench.results == ["1 loaded"])
  }

  @Test func animationThatIsDecodedBeforeItsFirstFrameIsDeliveredIsShownAtOnce() throws {
    let load = try bench.load("1")
    var response = ImageResponse(image: animation, source: .disk)
    response.hasStoredFirstFrame = true

    bench.state.received(.success(response), of: load, isStale: false, in: bench.scene)

    #expect(bench.take().contains("show another image"))
  }

  @Test func firstFrameOfADrawnSlotFadesInLikeAStillImage() throws {
    let load = try bench.load("1")
    bench.state.wasDrawn()

    #expect(showFirstFrame(of: load).contains("show red animated"))

    #expect(respond(to: load).contains("show another image"))
  }

  @Test func confirmedAnimationReplacesItsFirstFrame() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)

    #expect(respond(to: load, .revalidated).contains("show another image"))
    #expect(bench.target === animation)
  }

  // MARK: The stored image of a load that refreshes it

  private func storedImage(of load: SlotLoad) -> [String] {
    let response = ImageResponse(image: animation, source: .disk)
    bench.state.received(storedImage: response, of: load, in: bench.scene)
    return bench.take()
  }

  @Test func storedAnimationContinuesItsFirstFrameAndIsReplaced() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)
    bench.state.wasDrawn()

    #expect(storedImage(of: load) == ["show another image"])
    #expect(bench.target === animation && bench.results == [])

    bench.respond(bench.green, to: load)
    #expect(bench.take().contains("show green animated") && bench.results == ["1 loaded"])
  }

  @Test func storedImageDissolvesFromItsSmallerVariantAndIsConfirmed() throws {
    let load = try bench.load("1")
    bench.state.received(provisional: .solid(width: 10, height: 10), of: load, in: bench.scene)
    _ = bench.take()
    bench.state.wasDrawn()

    #expect(storedImage(of: load) == ["show another image animated"])

    #expect(!respond(to: load, .revalidated).contains { $0.hasPrefix("show") })
    #expect(bench.target === animation && bench.results == ["1 loaded"])
  }

  @Test("a shown image that the server has confirmed for another load stays as it is")
  func imageOfTheShownVersionStays() throws {
    let load = try bench.load("1")
    bench.red.version = 7
    bench.green.version = 7
    _ = showFirstFrame(of: load)

    bench.state.received(
      .success(ImageResponse(image: bench.green, source: .disk)), of: load, isStale: false, in: bench.scene)

    #expect(!bench.take().contains { $0.hasPrefix("show") })
    #expect(bench.target === bench.red && bench.results == ["1 loaded"])
  }

  @Test func loadOfALargerSizeContinuesNoFirstFrame() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)
    #expect(load.slotRequest.hasProvisionalImage && load.slotRequest.mayDetach)

    #expect(!load.slotRequest.forGrowth.hasProvisionalImage && !load.slotRequest.forGrowth.mayDetach)
    _ = storedImage(of: load)
    #expect(!load.slotRequest.hasProvisionalImage && load.slotRequest.hasImage)
  }

  @Test func secondStoredImageIsIgnored() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)
    _ = storedImage(of: load)

    #expect(storedImage(of: load) == [])
    #expect(showFirstFrame(of: load) == [])
  }

  @Test func imageDissolvesFromASmallerVariant() throws {
    let load = try bench.load("1")
    bench.state.received(provisional: .solid(width: 10, height: 10), of: load, in: bench.scene)
    #expect(bench.take().contains("show another image") && bench.results == [])
    bench.state.wasDrawn()

    #expect(respond(to: load).contains("show another image animated"))
    #expect(bench.target === animation && bench.results == ["1 loaded"])
  }

  @Test func otherImageOfTheServerDissolves() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)

    #expect(respond(to: load, from: .network).contains("show another image animated"))
  }

  @Test func failureKeepsTheFirstFrame() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)

    bench.fail(load, .offline)

    let effects = bench.take()
    #expect(!effects.contains { $0.hasPrefix("show") } && effects.contains("begin recovery"))
    #expect(bench.target === bench.red && bench.results == ["1 failed"])
  }

  @Test func replacedLoadShowsNoFirstFrame() throws {
    let first = try bench.load("1")
    let second = try bench.load("2")

    #expect(showFirstFrame(of: first) == [])
    #expect(showFirstFrame(of: second).contains("show red"))
  }

  @Test func secondFirstFrameAndPreviewsAreIgnored() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)

    bench.state.received(provisional: bench.green, of: load, in: bench.scene)
    bench.state.received(preview: bench.green, of: load, in: bench.scene)

    #expect(bench.take() == [] && bench.target === bench.red)
  }

  @Test func firstFrameAfterAPreviewIsIgnored() throws {
    let load = try bench.load("1")
    bench.state.received(preview: bench.green, of: load, in: bench.scene)
    _ = bench.take()

    #expect(showFirstFrame(of: load) == [])
  }

  @Test func slotThatSetsNoImageShowsNoFirstFrame() throws {
    let load = try bench.load("1", SlotOptions(setsImage: false))
    #expect(showFirstFrame(of: load) == [])
  }

  @Test func customPresentationReceivesBothImages() throws {
    let load = try bench.load("1", SlotOptions(showsImage: { _, _ in }))

    #expect(showFirstFrame(of: load).contains("present red"))
    #expect(respond(to: load).contains("present another image"))
  }

  @Test func loadThatContinuesBesideANewerOneKeepsItsResult() throws {
    let load = try bench.load("1")
    _ = showFirstFrame(of: load)

    _ = try bench.load("2", SlotOptions(cancelsPrevious: false))

    #expect(bench.runningLoads.contains { $0 === load })
    _ = respond(to: load)
    #expect(bench.results == ["1 loaded"])
  }
}
