import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

/// The frames of the demo's animated files over a minute in which a program advances the time.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AnimationTimeTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Assets/animations")
    .standardizedFileURL.path
  private static let instants = 240

  private func image(_ name: String) throws -> Image {
    let bytes = try #require(FileManager.default.contents(atPath: "\(Self.folder)/\(name)"))
    return try ImageCodecs().decode(Array(bytes), options: .init())
  }

  /// Returns the frame that is shown a time after the first: the one before the sum of durations passes the time.
  private func expectedFrame(of durations: [Double], after seconds: Double) -> Int {
    var left = seconds
    while true {
      for (frame, duration) in durations.enumerated() {
        if left < duration { return frame }
        left -= duration
      }
    }
  }

  private func pixels(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }

  @Test(arguments: ["orbits.gif", "pendulum.gif", "lissajous.png", "waves.png", "rain.webp", "rings.webp"])
  func frameAtEachInstantOfAMinuteIsTheOneThatTheDurationsGive(name: String) throws {
    let image = try image(name)
    let animation = try #require(image.animation)
    let decoder = try animation.makeDecoder()
    let frames = try (0..<animation.frameCount).map { pixels(try decoder.frame($0) { false }) }
    let test = TestWindow(size: Size(width: 200, height: 200))
    let view = ImageView(frame: test.window.bounds)
    test.window.addSubview(view)
    view.image = image
    test.draw()
    let player = try #require(view.animationPlayer)
    var shown: Set<Int> = []

    for instant in 1...Self.instants {
      // The end of no frame: the durations are multiples of 0.01 s.
      test.advance(by: Double(instant) * 0.25137 - test.now)
      test.draw()
      let frame = expectedFrame(of: animation.durations, after: test.now)
      #expect(player.frameIndex == frame, "at \(test.now) s")
      let drawn = try #require(
        test.window.drawList(for: test.window.bounds).commands.lazy.compactMap {
          if case .image(let image) = $0 { image.image } else { nil }
        }.first)
      let isSame = pixels(drawn.bitmap) == frames[frame]
      #expect(isSame, "frame \(frame) at \(test.now) s")
      shown.insert(frame)
    }

    #expect(test.now > 59)
    #expect(shown.count > 12, "the instants fall on most frames")
  }
}
