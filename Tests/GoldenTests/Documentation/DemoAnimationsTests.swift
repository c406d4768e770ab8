import Foundation
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

extension GoldenTests {
  /// The files of the demo's screen "Animations". `./run.sh pictures` writes them.
  struct DemoAnimationsTests {
    private static let folder = ExpectedImages.documentation.appending(path: "../../../../Assets/animations")
      .standardizedFileURL

    @Test(arguments: DemoAnimations.allCases) func fileHasTheFramesOfItsPicture(picture: DemoAnimations)
      throws
    {
      let (file, frames) = (Self.folder.appending(path: picture.file), picture.frames)
      if ProcessInfo.processInfo.environment["VITRINE_RECORD_GOLDEN"] != nil {
        try Data(ImageCodecs().encode(frames: frames, as: picture.format)).write(to: file)
      }
      let image = try ImageCodecs().decode([UInt8](Data(contentsOf: file)), options: .init())
      let animation = try #require(image.animation)
      #expect(animation.durations.allSatisfy { abs($0 - DemoAnimations.duration) < 1e-9 })
      #expect(image.loopCount == 0 && image.format == picture.format && animation.frameCount == frames.count)
      #expect(image.pixelWidth == DemoAnimations.width && image.pixelHeight == DemoAnimations.height)
    }
  }
}
