import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Random, seeded sequences of operations, after which the invariants of slots must hold.
///
/// The long time limit is needed because each step may wait for the main actor behind all other tests.
@Suite(.timeLimit(.minutes(5)))
struct SlotStormTests {
  @Test func lastOfAThousandRequestsInOneFrameIsShown() async {
    let bench = SlotBench()
    let received = CompletionRecorder()
    let view = bench.view()
    let button = bench.button()
    bench.window.update(at: 0)

    for number in 1...1000 {
      let url = "http://a.test/\(number)"
      view.setImage(from: url, options: bench.options, completion: received.completion)
      view.setHighlightedImage(from: url, options: bench.options, completion: received.completion)
      button.setImage(from: url, for: .selected, options: bench.options, completion: received.completion)
    }
    #expect(view.pendingSlots == 2)
    #expect(button.pendingSlots == 1)
    #expect(bench.transport.running.map(\.request.url.absoluteString) == ["http://a.test/1000"])
    #expect(bench.images.isEmpty)
    bench.transport.running.first?.respond(with: SlotBench.red)
    await received.wait(for: 3000)

    #expect(received.images.count == 3)
    #expect(received.errors.allSatisfy { $0 == .cancelled })
    #expect(view.image != nil && view.highlightedImage != nil && button.image(for: .selected) != nil)
    #expect(view.pendingSlots + button.pendingSlots == 0)
    bench.run(until: 2)
    #expect(bench.images.map(\.image) == [view.image])
  }

  @Test func releasedViewsCancelAllTheirLoads() async {
    let bench = SlotBench()
    let received = CompletionRecorder()
    var view: ImageView? = bench.view()
    var button: Button? = bench.button()
    weak var watched: ImageView?
    watched = view
    view?.setImage(from: "http://a.test/1", options: bench.options, completion: received.completion)
    view?.setHighlightedImage(
      from: "http://a.test/2", options: bench.options, completion: received.completion)
    for (number, state) in [ControlState.normal, .selected, [.selected, .highlighted]].enumerated() {
      button?.setImage(
        from: "http://a.test/\(3 + number)", for: state, options: bench.options,
        completion: received.completion)
      button?.setBackgroundImage(
        from: "http://a.test/\(3 + number)", for: state, options: bench.options,
        completion: received.completion)
    }
    bench.run(until: 0.5)

    view?.removeFromSuperview()
    button?.removeFromSuperview()
    view = nil
    button = nil
    await received.wait(for: 8)

    #expect(watched == nil)
    #expect(received.errors.count == 8)
    #expect(bench.transport.running.isEmpty)
    #expect(bench.images.isEmpty)
    #expect(bench.window.isLoaded)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func randomStepsCallEachCompletionOnceAndShowTheLastRequest(seed: UInt64) async throws {
    let storm = Storm(seed: seed)

    for _ in 0..<1000 {
      storm.step()
      if storm.chance(20) { await Task.yield() }
    }
    try await storm.settle()

    #expect(storm.received.allSatisfy { $0 == 1 })
    for view in storm.views {
      #expect(view.pendingSlots == 0)
      #expect(!view.isLoadingImage)
    }
    #expect(storm.wrongImages == [])
    #expect(storm.lowestPending == 0)
  }
}

/// Twenty views that are given images, sizes, content modes and windows at random.
@MainActor private final class Storm {
  private let bench = SlotBench()
  private var random: SplitMix
  private let other = Window(size: Size(width: 400, height: 300), scale: 2)
  let views: [ImageView]
  /// The number of the image that each view requested last; nil for none, or after a cancel.
  private var wanted: [Int?]
  /// The number of calls of each completion.
  private(set) var received: [Int] = []
  private(set) var lowestPending = 0
  /// The transfers that have delivered half of their bytes.
  private var halves: Set<ObjectIdentifier> = []

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    views = (0..<20).map { ImageView(frame: Rect(x: Double($0) * 10, y: 0, width: 50, height: 50)) }
    wanted = views.map { _ in nil }
    for view in views { bench.window.addSubview(view) }
  }

  func chance(_ percent: Int) -> Bool { random.next(100) < percent }

  /// The image of each URL has its own width, which identifies the image.
  private static func width(_ number: Int) -> Int { 200 + number }

  func step() {
    let index = random.next(views.count)
    let view = views[index]
    switch random.next(24) {
    case 0...8: load(index)
    case 9:
      view.cancelImageLoad()
      wanted[index] = nil
    case 10:
      view.imageURL = nil
      wanted[index] = nil
    case 11:
      let side = Double(random.next(6)) * 40
      view.frame.size = Size(width: side, height: side)
    case 12: view.removeFromSuperview()
    case 13: (chance(50) ? other : bench.window).addSubview(view)
    case 14: view.contentMode = ContentMode.allCases[random.next(13)]
    case 15: bench.downloader.removeAllCachedImages()
    case 16:
      bench.window.update(at: bench.window.now + 0.05)
      bench.clock.advance(by: 0.5)
    case 17: chance(30) ? cancelAll() : cancelByItsTask(index)
    case 18: sendHalf()
    default: respondToOne()
    }
    lowestPending = min(lowestPending, views.map(\.pendingSlots).min() ?? 0)
  }

  private func load(_ index: Int) {
    let other = random.next(40)
    let number = chance(50) ? wanted[index] ?? other : other
    let call = received.count
    received.append(0)
    wanted[index] = number
    let policy: ImageRequest.CachePolicy = chance(10) ? .reload : chance(10) ? .refresh : .useCache
    guard var url = URLs.request(number, policy: policy) else { return }
    url.progressive = ImageRequest.Progressive.allCases[random.next(3)]
    var options = bench.options
    options.cancelsPrevious = chance(70)
    let view = views[index]
    let again = chance(5)
    view.setImage(from: url, options: options) { [self, weak view] _ in
      received[call] += 1
      if again, let view, view.isLoadingImage { view.setImage(from: view.imageURL, options: bench.options) }
    }
  }

  private func respondToOne() {
    let running = bench.transport.running
    guard !running.isEmpty else { return }
    respond(to: running[random.next(running.count)])
  }

  private func cancelAll() {
    bench.downloader.cancelAll()
    for index in views.indices where views[index].isLoadingImage { wanted[index] = nil }
  }

  private func cancelByItsTask(_ index: Int) {
    if views[index].isLoadingImage { wanted[index] = nil }
    views[index].loadOperation(forKey: "contents")?.cancel()
  }

  /// Sends half of a body, which is enough for a preview.
  private func sendHalf() {
    let running = bench.transport.running.filter { !halves.contains(ObjectIdentifier($0)) }
    guard !running.isEmpty else { return }
    let transfer = running[random.next(running.count)]
    halves.insert(ObjectIdentifier(transfer))
    let width = Self.width(Int(transfer.request.url.lastPathComponent) ?? 0)
    transfer.respond(expectedLength: 4000)
    transfer.send(Array(FakeDecoder.encodedImage(width: width, height: width, count: 4000)[..<2000]))
  }

  private func respond(to transfer: FakeTransfer) {
    guard !halves.contains(ObjectIdentifier(transfer)) else {
      transfer.send([UInt8](repeating: UInt8(ascii: " "), count: 2000))
      return transfer.finish()
    }
    let number = Int(transfer.request.url.lastPathComponent) ?? 0
    transfer.respond(with: FakeDecoder.encodedImage(width: Self.width(number), height: Self.width(number)))
  }

  /// Gives every view a size, and answers transfers until no view loads.
  func settle() async throws {
    for view in views {
      if view.frame.isEmpty { view.frame.size = Size(width: 50, height: 50) }
    }
    try await until {
      guard views.contains(where: \.isLoadingImage) || received.contains(0) else { return true }
      for transfer in bench.transport.running { respond(to: transfer) }
      return false
    }
  }

  /// The indices of views that show another image than they requested last.
  var wrongImages: [Int] {
    views.indices.filter { index in
      guard let number = wanted[index] else { return false }
      return views[index].image?.sourceWidth != Self.width(number)
    }
  }
}

private enum URLs {
  static func request(_ number: Int, policy: ImageRequest.CachePolicy) -> ImageRequest? {
    var request = try? ImageRequest("http://a.test/\(number)")
    request?.cachePolicy = policy
    return request
  }
}
