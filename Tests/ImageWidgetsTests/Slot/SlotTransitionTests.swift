import Foundation
import Testing
import VitrineDiskCache
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The transitions of images by their source, and completions that wait for transitions.
@Suite(.timeLimit(.minutes(5)))
struct SlotTransitionTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private static let address = "http://a.test/1"

  private func remember(_ address: String = address) throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest(address), additionalIdentifier: nil)
  }

  @Test(
    "SD-W20 an image from the network starts a transition, also one for its source alone",
    arguments: [false, true])
  func imageFromTheNetworkStartsATransition(isForced: Bool) async throws {
    let view = bench.view()
    bench.run(until: 0.1)
    var options = bench.options
    if isForced {
      options.transition = .none
      options.transitionsBySource = [.network: .crossDissolve(0.2)]
    }

    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    #expect(!view.isInTransition)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.isInTransition)
    bench.run(until: 0.5)
    #expect(!view.isInTransition)
  }

  @Test("SD-W21 YY-B15 an image from disk starts the same transition as an image from the network")
  func imageFromDiskStartsTheSameTransitionAsFromTheNetwork() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/vitrine-slots-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bench = SlotBench(disk: DiskImageCache(directory: folder))
    var request = try ImageRequest(Self.address)
    request.cache = .diskOnly
    var sources: [ImageResponse.Source] = []
    var opacities: [[Double]] = []

    for _ in 0..<2 {
      let view = bench.view()
      bench.window.update(at: 0)
      let recorder = CompletionRecorder()
      view.setImage(from: request, options: bench.options, completion: recorder.completion)
      #expect(!view.isInTransition)
      if sources.isEmpty { try await bench.transfer(1).respond(with: SlotBench.red) }
      await recorder.wait()
      let response = try #require(try recorder.results.first?.get())
      #expect(await response.isStored())
      sources.append(response.source)

      #expect(view.isInTransition)
      let began = bench.window.now
      opacities.append(
        [0.05, 0.1, 0.3].map {
          bench.run(until: began + $0)
          return bench.images.first?.opacity ?? 0
        })
      #expect(!view.isInTransition)
      view.removeFromSuperview()
    }

    #expect(sources == [.network, .disk])
    #expect(opacities[0] == opacities[1])
    #expect(opacities[0][0] > 0 && opacities[0][0] < opacities[0][1])
    #expect(opacities[0][2] == 1)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test("SD-W27 an image from memory is shown without a transition")
  func imageFromMemoryIsShownWithoutTransition() throws {
    try remember()
    let view = bench.view()

    view.setImage(from: Self.address, options: bench.options)

    #expect(!view.isInTransition)
  }

  @Test func eachSourceMayHaveItsOwnTransition() {
    var options = SlotOptions(transition: .fadeThrough)
    #expect(options.transition(for: .memory) == .none)
    #expect(options.transition(for: .disk) == .fadeThrough)
    #expect(options.transition(for: .network) == .fadeThrough)
    #expect(options.transition(for: .file) == .fadeThrough)

    options.transitionsBySource = [.memory: .slide(.up), .disk: .flip(.left), .file: .none]
    #expect(options.transition(for: .memory) == .slide(.up))
    #expect(options.transition(for: .disk) == .flip(.left))
    #expect(options.transition(for: .network) == .fadeThrough)
    #expect(options.transition(for: .file) == .none)

    options = SlotOptions(transition: .fadeThrough(1, when: .always))
    for source in ImageResponse.Source.allCases {
      #expect(options.transition(for: source) == .fadeThrough(1, when: .always))
    }
  }

  @Test(arguments: [Transition.none, .flip(.left)])
  func transitionForTheDiskOverridesTheDefault(transition: Transition) async throws {
    let bench = SlotBench(disk: MemoryDataCache())
    var request = try ImageRequest(Self.address)
    request.cache = .diskOnly
    let first = bench.downloader.load(request)
    try await bench.transfer(1).respond(with: SlotBench.red)
    #expect(await (try first.response).isStored())
    let view = bench.view()
    bench.run(until: 0.1)
    var options = bench.options
    options.transitionsBySource = [.disk: transition]

    view.setImage(from: request, options: options, completion: recorder.completion)
    await recorder.wait()

    #expect(try recorder.results.first?.get().source == .disk)
    #expect(view.isInTransition == transition.isAnimated)
  }

  @Test func transitionForMemoryIsUsed() throws {
    try remember()
    let view = bench.view()
    var options = bench.options
    options.transitionsBySource = [.memory: .flip(.left)]

    view.setImage(from: Self.address, options: options)

    #expect(view.isInTransition)
  }

  @Test("SD-W17 a load cancelled in its transition is reported (deviates); the next image is shown at once")
  func loadAfterACancelDuringATransitionIsShownAtOnce() async throws {
    try remember("http://a.test/2")
    let view = bench.view()
    bench.run(until: 0.1)
    view.setImage(from: Self.address, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    bench.run(until: 0.15)
    #expect(view.isInTransition)

    view.cancelImageLoad()
    view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)

    await recorder.wait(for: 2)
    #expect(!view.isInTransition)
    #expect(bench.images.map(\.image) == [view.image])
  }

  /// The first image dissolves into the last image; the images between are not shown for a single frame.
  @Test func slotThatIsSetAThousandTimesShowsTheLastImage() throws {
    for index in 0..<1000 { try remember("http://a.test/\(index)") }
    let view = bench.view()
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious
    view.setImage(from: "http://a.test/0", options: options)
    bench.run(until: 0.1)
    let first = try #require(view.image)

    options.transition = .crossDissolve(0.5, when: .always)
    for index in 1..<1000 { view.setImage(from: "http://a.test/\(index)", options: options) }
    bench.window.update(at: 0.2)

    let last = try #require(view.image)
    for step in 0..<40 {
      bench.window.update(at: 0.2 + Double(step) / 60)
      #expect(bench.images.allSatisfy { $0.image == first || $0.image == last })
    }
    #expect(bench.images.map(\.image) == [last])
    #expect(!view.isInTransition)
  }

  /// The call removes the image of the other row, which does not reappear in a transition.
  @Test func reusedSlotNeverShowsTheImageOfTheOtherRow() throws {
    for row in 0..<2 { try remember("http://a.test/\(row)") }
    let view = bench.view()
    var options = bench.options
    options.transition = .slide(.left, when: .always)
    view.setImage(from: "http://a.test/0", options: options)
    bench.run(until: 0.1)
    let other = try #require(view.image)

    view.setImage(from: "http://a.test/missing", options: options)
    #expect(bench.images.isEmpty)
    view.setImage(from: "http://a.test/1", options: options)
    for _ in 0..<60 {
      bench.run(until: bench.window.now + 1.0 / 60)
      #expect(!bench.images.contains { $0.image == other })
    }
  }

  @Test func largerImageDissolvesInsteadOfSliding() async throws {
    let view = bench.view()
    bench.run(until: 0.1)
    var options = bench.options
    options.transition = Transition(kind: .slide(.left), duration: 0.2, curve: .linear)
    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()
    bench.run(until: 1)
    let small = try #require(view.image)

    view.frame.size = Size(width: 300, height: 300)
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { view.image != small }
    bench.window.update(at: 2)
    bench.window.update(at: 2.1)

    #expect(view.isInTransition)
    // A slide would have moved the images.
    #expect(bench.images.allSatisfy { $0.destination == view.frame })
  }

  @Test("SD-W28 a completion that waits for the transition is called at its end")
  func completionWaitsForTheEndOfTheTransition() async throws {
    let view = bench.view()
    bench.run(until: 0.1)
    var options = bench.options
    options.waitsForTransition = true

    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await until { view.isInTransition }
    bench.run(until: 0.2)
    await drainMainQueue(rounds: 100)
    #expect(recorder.results.isEmpty)
    bench.run(until: 0.4)

    await recorder.wait()
    #expect(recorder.images == [view.image])
  }

  nonisolated enum Interruption: CaseIterable, Sendable {
    case anotherImage, clear, cancel, remove, loseWindow
  }

  @Test(arguments: Interruption.allCases)
  func completionThatWaitsIsCalledOnceHoweverTheTransitionEnds(interruption: Interruption) async throws {
    var window: Window? = Window(size: Size(width: 200, height: 200))
    var view: ImageView? = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    if let view { window?.addSubview(view) }
    window?.update(at: 0)
    var options = bench.options
    options.waitsForTransition = true
    options.transition = .crossDissolve(100)
    view?.setImage(from: Self.address, options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await until { view?.isInTransition != false }
    window?.update(at: 1)

    switch interruption {
    case .anotherImage: view?.setImage(.solid(width: 2, height: 2), transition: .slide(.up))
    case .clear: view?.imageURL = nil
    case .cancel:
      view?.cancelImageLoad()
      view?.image = nil
    case .remove: view?.removeFromSuperview()
    case .loseWindow:
      view = nil
      window = nil
    }

    await recorder.wait()
    await drainMainQueue(rounds: 100)
    #expect(recorder.images.count == 1)
    #expect(recorder.results.count == 1)
  }

  @Test func completionOfAMemoryHitDoesNotWait() throws {
    try remember()
    var options = bench.options
    options.waitsForTransition = true

    bench.view().setImage(from: Self.address, options: options, completion: recorder.completion)

    #expect(recorder.images.count == 1)
  }
}
