import Foundation
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineLoading

/// Animated images from the network to a view, with the real codecs.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AnimationLoadTests {
  private let world = ImageCacheWorld()

  /// Returns an encoded animation of frames with the red values 0, 40, 80, …
  private func animation(frameCount: Int = 5, format: ImageFormat = .gif, side: Int = 8) throws -> [UInt8] {
    let frames = (0..<frameCount).map { number in
      Image.Frame(
        bitmap: Bitmap(width: side, height: side, color: Color(red: UInt8(number * 40), green: 0, blue: 0)),
        duration: 0.1)
    }
    return try ImageCodecs().encode(frames: frames, as: format)
  }

  private func request(_ animation: ImageRequest.Animation = .automatic) throws -> ImageRequest {
    var request = try ImageRequest(ImageCacheWorld.url)
    request.animation = animation
    return request
  }

  @Test(
    "SD-A1 invalid data give no image; a GIF tells scale, format, loop count 0 and 5 frames, and gives frame 1"
  )
  func decodedGIFTellsItsProperties() throws {
    #expect(throws: ImageError.self) { try ImageCodecs().decode(Array("no image".utf8), options: .init()) }
    let image = try ImageCodecs().decode(try animation(), options: .init())
    #expect(image.scale == 1 && image.format == .gif && image.loopCount == 0 && image.frameCount == 5)
    let frame = try image.animation?.makeDecoder().frame(1) { false }
    let body = try animation()
    #expect(frame?.color(x: 0, y: 0).red == 40 && (image.animation?.byteCount ?? 0) >= body.count)
    #expect(image.duration(ofFrame: 4) == 0.1 && image.duration(ofFrame: 5) == 0)
  }

  @Test("SD-A31 a static JPEG is not animated, has its format, 1 frame and the loop count 0")
  func staticImageIsNotAnimated() throws {
    let image = try ImageCodecs().decode(try ImageCodecs().encode(.halves(), as: .jpeg), options: .init())
    #expect(!image.isAnimated && image.format == .jpeg && image.frameCount == 1 && image.loopCount == 0)
  }

  @Test(
    "SD-A16 a load into a view delivers an animated image, which the view plays, SD-A8 also of an animated PNG",
    arguments: [ImageFormat.gif, .png, .webp])
  func loadedImagePlays(format: ImageFormat) async throws {
    let body = try animation(format: format)
    world.transport.respondToAll { $0.respond(with: body) }
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = addView(side: 8, to: test)
    view.setImage(from: ImageCacheWorld.url, options: SlotOptions(downloader: world.downloader))
    try await until { view.image?.isAnimated == true }
    test.draw()
    test.advance(by: 1)
    test.advance(by: 0.15)
    #expect(view.isPlaying && view.image?.frameCount == 5)
    #expect(view.animationPlayer.map { $0.frameIndex > 0 } == true)
  }

  private func addView(side: Double, to test: TestWindow) -> ImageView {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: side, height: side))
    test.window.addSubview(view)
    return view
  }

  @Test(arguments: [ImageFormat.gif, .png, .webp])
  func grownViewPlaysOnAtTheSameFrame(format: ImageFormat) async throws {
    let body = try animation(format: format, side: 64)
    world.transport.respondToAll { $0.respond(with: body) }
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = addView(side: 16, to: test)
    view.setImage(from: ImageCacheWorld.url, options: SlotOptions(downloader: world.downloader))
    try await until { view.image?.isAnimated == true }
    test.advance(by: 1)
    view.seek(toFrame: 3)
    view.playbackRate = 0.5
    test.advance(by: 0.1)
    let (small, player) = (view.image, view.animationPlayer)

    view.frame.size = Size(width: 64, height: 64)
    try await until { view.image !== small }

    #expect(view.image.map { $0.pixelWidth > small?.pixelWidth ?? 0 } == true)
    #expect(view.animationPlayer === player && player?.frameIndex == 3 && !view.isInTransition)
    test.draw()
    #expect(test.images.first?.image.pixelWidth == 64)
    test.advance(by: 0.11)
    #expect(player?.frameIndex == 4 && player?.playbackRate == 0.5)
  }

  @Test func refreshedResponseStartsOverOnlyWithOtherBytes() async throws {
    let bodies = [try animation(), try animation(), try animation(frameCount: 4)]
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = addView(side: 8, to: test)
    var request = try request()
    request.cachePolicy = .refresh
    for (number, body) in bodies.enumerated() {
      let (shown, player) = (view.image, view.animationPlayer)
      view.setImage(from: request, options: SlotOptions(downloader: world.downloader))
      try await world.transport.transfer(number + 1).respond(with: body)
      try await until { view.image !== shown && view.image?.isAnimated == true }
      // The next request could join a load that is ending.
      await world.downloader.drain()
      #expect(number != 1 || view.animationPlayer === player && player?.frameIndex == 2)
      #expect(number != 2 || view.animationPlayer !== player && view.animationPlayer?.frameIndex == 0)
      view.playbackRate = 2
      view.pause()
      view.seek(toFrame: 2)
      test.draw()
      test.advance(by: 5)
      #expect(view.animationPlayer?.frameIndex == 2 && view.playbackRate == 2 && !view.isPlaying)
    }
  }

  @Test(
    "SD-C14 an animated image in memory is returned as it is; with first-frame-only a still, different instance, from memory"
  )
  func firstFrameComesFromTheAnimationInMemory() async throws {
    let body = try animation()
    world.transport.respondToAll { $0.respond(with: body) }
    let loaded = try await world.downloader.image(for: request())
    let again = try await world.downloader.image(for: request())
    #expect(again.image === loaded.image && again.source == .memory && again.image.isAnimated)

    let still = try await world.downloader.image(for: request(.firstFrame))
    #expect(still.source == .memory && !still.image.isAnimated && still.image !== loaded.image)
    #expect(still.image.bitmap.color(x: 0, y: 0) == loaded.image.bitmap.color(x: 0, y: 0))
    #expect(world.downloader.cachedImage(for: try request(.firstFrame))?.isAnimated == false)
    #expect(world.downloader.cachedImage(for: try request())?.isAnimated == true)
    #expect(world.transport.transfers.count == 1)
  }

  @Test("a first frame that was loaded first does not keep the animation from later requests")
  func animationIsInMemoryAfterItsFirstFrame() async throws {
    let body = try animation()
    world.transport.respondToAll { $0.respond(with: body) }
    let still = try await world.downloader.image(for: request(.firstFrame))
    let animated = try await world.downloader.image(for: request())
    #expect(!still.image.isAnimated && animated.image.isAnimated && animated.source == .memory)
  }

  @Test("SD-A18 a disk hit delivers an animated image, from disk")
  func diskHitIsAnimated() async throws {
    let body = try animation()
    world.transport.respondToAll { $0.respond(with: body) }
    let loaded = try await world.downloader.image(for: request())
    #expect(await loaded.isStored())
    world.downloader.removeCachedImage(for: ImageCacheWorld.url)
    let found = try await world.downloader.image(for: request())
    #expect(found.source == .disk && found.image.isAnimated && found.image.frameCount == 5)
  }

  @Test func choiceForFramesReachesTheAnimation() async throws {
    let body = try animation()
    world.transport.respondToAll { $0.respond(with: body) }
    for choice in [ImageRequest.Animation.preloaded, .streaming, .automatic] {
      var request = try ImageRequest("\(ImageCacheWorld.url)?\(choice)")
      request.animation = choice
      #expect(request.animation == choice)
      let image = try await world.downloader.image(for: request).image
      #expect("\(try #require(image.animation).storage)" == "\(choice)")
    }
  }

  /// A body that arrives in parts, and previews that are due whenever the test says so.
  private struct SlowLoad {
    let transport = FakeTransport()
    let clock = ManualLoadingClock()
    let downloader: ImageDownloader
    let body: [UInt8]

    init(_ body: [UInt8]) {
      var configuration = ImageDownloader.Configuration()
      configuration.environment.clock = clock
      configuration.retries = .none
      downloader = ImageDownloader(
        configuration: configuration, transports: [transport], decoder: ImageCodecs())
      self.body = body
    }

    /// Sends the next bytes when the preview of earlier bytes has ended: no preview begins while another one runs.
    func send(_ range: Range<Int>) async throws {
      try await until { !downloader.engine.isBusy }
      if range.lowerBound == 0 { transport.transfers[0].respond(expectedLength: body.count) }
      clock.advance(by: 10)
      transport.transfers[0].send(Array(body[range]))
    }

    func finish(from start: Int) {
      transport.transfers[0].send(Array(body[start...]))
      transport.transfers[0].finish()
    }
  }

  /// Returns an encoded animation of noise, the frames of which take about as many bytes each.
  private func noise(format: ImageFormat) throws -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let frames = (0..<10).map { number in
      Image.Frame(
        bitmap: Bitmap(width: 64, height: 64, format: .bgra) { _, _ in
          Color(red: UInt8(number * 20), green: .random(in: 0...255, using: &generator), blue: 0)
        }, duration: 0.1)
    }
    return try ImageCodecs().encode(frames: frames, as: format)
  }

  /// Requests an image with previews, without an indicator.
  private func setImage(
    of view: ImageView, from load: SlowLoad, placeholder: Image? = nil, completion: @escaping SlotCompletion
  ) throws {
    var request = try request()
    request.progressive = .scans
    var options = SlotOptions(downloader: load.downloader)
    options.indicator = .none
    view.setImage(from: request, placeholder: placeholder, options: options, completion: completion)
  }

  @Test(
    "SD-A17 a progressive animated load gives partial images and marks the view as progressive; the final image comes from the network",
    arguments: [ImageFormat.gif, .png, .webp])
  func progressiveLoadPlaysWhatHasArrived(format: ImageFormat) async throws {
    let load = SlowLoad(try noise(format: format))
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = addView(side: 64, to: test)
    var response: ImageResponse?
    try setImage(of: view, from: load) { response = try? $0.get() }
    test.draw()
    let step = load.body.count / 5
    var counts: [Int] = []
    var shown: [Int] = []
    for part in 0..<4 {
      let before = view.image
      try await load.send(part * step..<(part + 1) * step)
      try await until { view.image !== before }
      test.draw()
      test.advance(by: 1.5)
      view.animationPlayer?.frameHandler = { shown.append($0) }
      guard let image = view.image, image.isAnimated else { continue }
      counts.append(image.frameCount)
      #expect(image.isPreview && view.isProgressive && image.animation?.isComplete == false)
      #expect(view.animationPlayer?.frameIndex == image.frameCount - 1, "the last frame that has arrived")
      #expect(load.downloader.ledger.usage.total > 0)
    }
    #expect(counts.count >= 3 && counts == counts.sorted() && Set(counts).count == counts.count)
    #expect(shown == shown.sorted())
    let last = view.animationPlayer?.frameIndex ?? 0
    load.finish(from: 4 * step)
    try await until { response != nil }
    #expect(response?.source == .network && view.image === response?.image && view.image?.frameCount == 10)
    #expect(!view.isProgressive && view.image?.isPreview == false && !view.isInTransition)
    test.draw()
    #expect((view.animationPlayer?.frameIndex ?? 0) >= last, "playing goes on")
  }

  /// Decodes animations like `ImageCodecs`, and plays them once.
  private struct OnceDecoder: ImageDecoding {
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      let image = try ImageCodecs().decode(data, options: options)
      guard let animation = image.animation else { throw .notAnImage(signature: []) }
      let once = ImageAnimation(
        durations: animation.durations, loopCount: 1, frameByteCount: animation.frameByteCount,
        byteCount: animation.byteCount
      ) { () throws(AnimationError) in try animation.makeDecoder() }
      return Image(image.bitmap, animation: once)
    }
  }

  @Test("SD-A24 the animated decoder that was added last is tried first")
  func lastAddedDecoderOfAnimationsIsTriedFirst() throws {
    var decoder = ImageDecoderList([ImageCodecs()])
    #expect(try decoder.decode(try animation(), options: .init()).loopCount == 0)
    decoder.add(OnceDecoder())
    let image = try decoder.decode(try animation(), options: .init())
    #expect(image.loopCount == 1 && image.frameCount == 5)
    let still = try ImageCodecs().encode(.halves(), as: .jpeg)
    #expect(try decoder.decode(still, options: .init()).format == .jpeg)
  }

  @Test(arguments: [ImageFormat.gif, .png, .webp])
  func previewsOfAFirstFrameAreStill(format: ImageFormat) async throws {
    let load = SlowLoad(try noise(format: format))
    var request = try request(.firstFrame)
    request.progressive = .scans
    let task = load.downloader.load(request)
    request.animation = .automatic
    let other = load.downloader.load(request)
    let step = load.body.count / 5
    for part in 0..<4 {
      let before = other.preview
      try await load.send(part * step..<(part + 1) * step)
      try await until { other.preview !== before }
      #expect(task.preview?.isAnimated == false && task.preview?.isPreview == true)
    }
    #expect(other.preview?.isAnimated == true && load.transport.transfers.count == 1)
    load.finish(from: 4 * step)
    #expect(try await !task.response.image.isAnimated)
    #expect(try await other.response.image.isAnimated)
  }

  @Test(arguments: [ImageFormat.gif, .png, .webp])
  func framesOfAFailedLoadAreTakenBack(format: ImageFormat) async throws {
    let load = SlowLoad(try noise(format: format))
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = addView(side: 64, to: test)
    let placeholder = Image(Bitmap(width: 4, height: 4, color: .white))
    var result: Result<ImageResponse, ImageError>?
    try setImage(of: view, from: load, placeholder: placeholder) { result = $0 }
    test.draw()
    try await load.send(0..<load.body.count / 2)
    try await until { view.isProgressive }
    test.draw()
    test.advance(by: 1)
    load.transport.transfers[0].fail(.offline)
    try await until { result != nil }
    test.advance(by: 5)
    #expect(view.image === placeholder && !view.isProgressive && !view.isPlaying)
    #expect(test.window.nextDeadline == nil)
  }
}
