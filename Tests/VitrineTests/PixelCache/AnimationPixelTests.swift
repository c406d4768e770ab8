import Foundation
import Testing
import Vitrine
import VitrineTesting

/// Animated images on a second start, with the real codecs and a folder.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AnimationPixelTests {
  private typealias World = PixelCacheWorld
  private let world = World()

  /// Returns an encoded animation with more bytes than pixels of a small size have: noise, which does not compress well.
  private static func animation(_ format: ImageFormat) throws -> [UInt8] {
    let frames = (0..<3).map { number in
      Image.Frame(
        bitmap: Bitmap(width: 320, height: 240, format: .bgra) { x, y in
          Color(
            red: UInt8(truncatingIfNeeded: (x * y >> 3) * 40), green: UInt8(truncatingIfNeeded: number * 60),
            blue: UInt8(truncatingIfNeeded: (x &* 7919 ^ y &* 104_729) >> 3))
        }, duration: 0.1)
    }
    return try ImageCodecs().encode(frames: frames, as: format)
  }

  private func view(in window: Window) -> ImageView {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 30))
    window.addSubview(view)
    return view
  }

  @Test(
    "the first frame of a second start has the first frame of an animation, which then plays without a transition",
    arguments: [ImageFormat.gif, .png, .webp])
  func animationIsInTheFirstFrameOfASecondStart(format: ImageFormat) async throws {
    let body = try Self.animation(format)
    let made = try await world.start(sending: body).load(World.request(width: 40, height: 30))
    #expect(made.image.isAnimated && made.source == .network)

    let program = world.start(sending: [])
    let screen = try await TestScreen(size: Size(width: 100, height: 100))
    screen.host.waitForImages(of: program.downloader)
    screen.advance(by: 1)
    let view = view(in: screen.window)
    var results: [Result<ImageResponse, ImageError>] = []
    view.setImage(
      from: World.url, placeholder: Image.solid(width: 1, height: 1),
      options: SlotOptions(downloader: program.downloader)
    ) { results.append($0) }
    screen.advance(by: 0)

    let first = try #require(view.image)
    #expect((first.pixelWidth, first.pixelHeight) == (40, 30) && !view.isInTransition)
    #expect(first.pixelBytes == made.image.pixelBytes)

    try await until { !results.isEmpty }
    screen.advance(by: 0)
    #expect(view.image?.isAnimated == true && view.image?.frameCount == 3 && !view.isInTransition)
    #expect(view.image?.pixelBytes == first.pixelBytes && results.count == 1)
    #expect(view.isPlaying && view.animationPlayer?.frameIndex == 0)
    #expect(program.transport.transfers.isEmpty)
    await program.downloader.drain()
  }

  @Test func requestForTheFirstFrameIsServedByPixelsAlone() async throws {
    let body = try Self.animation(.gif)
    _ = try await world.start(sending: body).load(World.request(width: 40, height: 30))

    let program = world.start(sending: [])
    var first = try World.request(width: 40, height: 30)
    first.animation = .firstFrame
    let still = try await program.load(first)
    #expect(still.isFromPixelCache && !still.image.isAnimated && program.decoder.count == 0)

    let animated = try await program.load(World.request(width: 40, height: 30))
    #expect(animated.image.isAnimated && animated.source == .disk && program.decoder.count == 1)
    #expect(program.downloader.cachedImage(for: try World.request(width: 40, height: 30)) === animated.image)
  }

  @Test("pixels of a request for the first frame serve the first frame of the animation")
  func firstFrameAndAnimationSharePixels() async throws {
    let body = try Self.animation(.gif)
    var first = try World.request(width: 40, height: 30)
    first.animation = .firstFrame
    _ = try await world.start(sending: body).load(first)

    let program = world.start(sending: [])
    let animated = try await program.load(World.request(width: 40, height: 30))
    #expect(animated.image.isAnimated && program.decoder.count == 1)
    let again = world.start(sending: [])
    #expect(try await again.load(first).isFromPixelCache && again.decoder.count == 0)
  }
}
