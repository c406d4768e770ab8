import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineTesting

/// Animated images from files, from an application's own decoder and from memory, and the memory that they take.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AnimationSourceTests {
  /// Returns an encoded animation of frames with the red values 0, 10, 20, …
  private static func encoded(
    _ format: ImageFormat, frameCount: Int = 5, width: Int = 8, height: Int = 8
  ) throws -> [UInt8] {
    let frames = (0..<frameCount).map { number in
      Image.Frame(
        bitmap: Bitmap(
          width: width, height: height, color: Color(red: UInt8(number * 10), green: 0, blue: 0)),
        duration: 0.1)
    }
    return try ImageCodecs().encode(frames: frames, as: format)
  }

  @Test("SD-A2 an animated image is read from a file, and 1@2x.gif has the scale 2")
  func animatedImageIsReadFromAFile() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "animation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = try Self.encoded(.gif)
    for (name, scale) in [("1.gif", 1.0), ("1@2x.gif", 2)] {
      let file = folder.appending(path: name)
      try Data(bytes).write(to: file)

      let image = try AssetImage.load(contentsOf: file.path)

      #expect(image.scale == scale && image.frameCount == 5 && image.format == .gif)
      #expect(image.size == Size(width: 8 / scale, height: 8 / scale))
      let frame = try #require(image.animation).makeDecoder().frame(3) { false }
      #expect(frame.color(x: 0, y: 0).red == 30)
    }
  }

  /// An application's decoder of frames, which draws them.
  private final class DrawnFrames: FrameDecoding {
    func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
      guard (0..<3).contains(index) else { throw .damaged("no frame \(index)") }
      return Bitmap(width: 8, height: 8, color: Color(red: 0, green: UInt8(index * 100), blue: 0))
    }
  }

  @Test("SD-A3 an animated image is made from an animated decoder, and a view plays it")
  func animatedImageIsMadeFromADecoder() throws {
    let first = try DrawnFrames().frame(0) { false }
    let animation = ImageAnimation(
      durations: [0.1, 0.2, 0.1], loopCount: 1, frameByteCount: first.byteCount, byteCount: 0
    ) { () throws(AnimationError) in DrawnFrames() }
    let image = Image(first, animation: animation, scale: 2)
    #expect(image.isAnimated && image.frameCount == 3 && image.loopCount == 1 && image.scale == 2)
    #expect(image.duration(ofFrame: 1) == 0.2)

    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    view.image = image
    test.window.addSubview(view)
    test.draw()
    test.advance(by: 0.2)
    #expect(view.animationPlayer?.frameIndex == 1 && view.isPlaying)
    test.advance(by: 1)
    #expect(view.animationPlayer?.frameIndex == 2 && !view.isPlaying)
  }

  @Test("SD-K3 an animated image is not decoded again: it is the same object")
  func animatedImageIsNotDecodedAgain() async throws {
    let world = PixelCacheWorld()
    let program = world.start(sending: try Self.encoded(.gif), usesPixels: false)
    let request = try PixelCacheWorld.request()

    let loaded = try await program.load(request).image
    let again = try await program.load(request).image

    #expect(loaded.isAnimated && again === loaded && again.animation === loaded.animation)
    #expect(program.downloader.cachedImage(for: request) === loaded)
    #expect(program.decoder.count == 1)
  }

  @Test("SD-A30 the memory cost is frames times width times height times 4 for a WebP of 16 frames")
  func memoryOfAnAnimationIsThatOfItsFrames() async throws {
    let body = try Self.encoded(.webp, frameCount: 16, width: 40, height: 30)
    let frameBytes = 40 * 30 * 4
    let ledger = MemoryLedger(budget: 16 << 20)
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: body) }
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: ImageCodecs(), cache: nil)
    var request = try ImageRequest("http://a.test/1.webp")
    request.animation = .preloaded
    let test = TestWindow(size: Size(width: 100, height: 100))
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 40, height: 30))
    test.window.addSubview(view)
    view.setImage(from: request, options: SlotOptions(downloader: downloader))
    try await until { view.image != nil }
    await downloader.drain()
    let image = try #require(view.image)
    let animation = try #require(image.animation)
    #expect(image.frameCount == 16 && (image.pixelWidth, image.pixelHeight) == (40, 30))
    #expect(image.cost == frameBytes + animation.byteCount, "the first frame, and the encoded image")
    #expect(ledger.usage.shown == image.cost)

    test.draw()
    test.advance(by: 1)
    try await until { ledger.usage.shown == 16 * frameBytes + animation.byteCount }

    view.image = nil
    test.advance(by: 1)
    try await until { ledger.usage.shown == image.cost }
  }
}
