import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets
@testable import VitrineLoading

/// Images whose decoded pixels were on disk, as a slot decides about them.
struct SlotReadyPixelsTests {
  private let bench = SlotStateBench()

  /// Passes a response to a load: from disk, with decoded pixels or not.
  private func respond(to load: SlotLoad, isFromPixelCache: Bool) {
    var response = ImageResponse(image: bench.red, source: .disk)
    response.isFromPixelCache = isFromPixelCache
    bench.state.received(.success(response), of: load, isStale: false, in: bench.scene)
  }

  @Test("a frame waits for decoded pixels on a manual clock too, so that such an image is shown at once")
  func readyPixelsAreShownAtOnceOnAManualClock() throws {
    let load = try bench.load("1")

    respond(to: load, isFromPixelCache: true)

    #expect(bench.take().contains("show red"))
  }

  @Test func decodedImageFadesInOnAManualClock() throws {
    let load = try bench.load("1")

    respond(to: load, isFromPixelCache: false)

    #expect(bench.take().contains("show red animated"))
  }

  @Test(arguments: [true, false]) func imageOfADrawnSlotFadesIn(isFromPixelCache: Bool) throws {
    let load = try bench.load("1")
    bench.state.wasDrawn()

    respond(to: load, isFromPixelCache: isFromPixelCache)

    #expect(bench.take().contains("show red animated"))
  }

  @Test func finalImageDissolvesFromItsPreview() throws {
    let load = try bench.load("1")
    bench.state.received(preview: bench.green, of: load, in: bench.scene)
    _ = bench.take()

    respond(to: load, isFromPixelCache: true)

    #expect(bench.take().contains("show red animated"))
  }

  @Test func transitionForTheDiskIsUsed() throws {
    let load = try bench.load("1", SlotOptions(transitionsBySource: [.disk: .flip(.left)]))

    respond(to: load, isFromPixelCache: true)

    #expect(bench.take().contains("show red animated"))
  }

  @Test func optionsDecideByWaitAndSource() {
    let options = SlotOptions(transition: .fadeThrough, transitionsBySource: [.file: .slide(.up)])
    #expect(options.transition(for: .disk, hasWaited: false) == .none)
    #expect(options.transition(for: .network, hasWaited: false) == .none)
    #expect(options.transition(for: .memory, hasWaited: true) == .none)
    #expect(options.transition(for: .file, hasWaited: false) == .slide(.up))

    let always = SlotOptions(transition: .fadeThrough(1, when: .always))
    for source in ImageResponse.Source.allCases {
      #expect(always.transition(for: source, hasWaited: false) == .fadeThrough(1, when: .always))
    }
  }
}
