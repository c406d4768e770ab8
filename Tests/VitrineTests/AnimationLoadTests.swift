import Foundation
import Testing
import Vitrine
import VitrineTesting

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
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    test.window.addSubview(view)
    view.setImage(from: ImageCacheWorld.url, options: SlotOptions(downloader: world.downloader))
    try await until { view.image?.isAnimated == true }
    test.draw()
    test.advance(by: 1)
    test.advance(by: 0.15)
    #expect(view.isPlaying && view.image?.frameCount == 5)
    #expect(view.animationPlayer.map { $0.frameIndex > 0 } == true)
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
}
