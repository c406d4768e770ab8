import Testing
import VitrineGraphics

/// The size to which an image is decoded, and the images that satisfy a target.
@Suite struct DecodeTargetTests {
  private func output(_ target: DecodeTarget, _ width: Int, _ height: Int) -> [Int] {
    let size = target.outputSize(sourceWidth: width, sourceHeight: height)
    return [size.width, size.height]
  }

  private func image(_ width: Int, _ height: Int, of sourceWidth: Int, _ sourceHeight: Int) -> Image {
    let bitmap = Bitmap(width: width, height: height, format: .bgra, isOpaque: true) { _, _ in }
    return Image(bitmap, sourceWidth: sourceWidth, sourceHeight: sourceHeight)
  }

  @Test func fitStaysInsideTheBox() {
    let target = DecodeTarget(width: 100, height: 100, mode: .fit)

    #expect(output(target, 1600, 1200) == [100, 75])
    #expect(output(target, 1200, 1600) == [75, 100])
    #expect(output(target, 100, 100) == [100, 100])
  }

  @Test func fillCoversTheBox() {
    let target = DecodeTarget(width: 100, height: 100, mode: .fill)

    #expect(output(target, 1600, 1200) == [134, 100])
    #expect(output(target, 1200, 1600) == [100, 134])
  }

  @Test func fillIfSimilarCoversTheBoxWithImagesOfAlmostItsShape() {
    let target = DecodeTarget(width: 1280, height: 800, mode: .fillIfSimilar)

    #expect(output(target, 4000, 3000) == [1280, 960])
    #expect(output(target, 2800, 2500) == [1280, 1144], "0.7 times as wide as the box")
    #expect(output(target, 16000, 7000) == [1830, 800], "0.7 times as high as the box")
    #expect(target.fills(sourceWidth: 4000, sourceHeight: 3000))
  }

  @Test func fillIfSimilarFitsImagesOfAnotherShapeIntoTheBox() {
    let target = DecodeTarget(width: 1280, height: 800, mode: .fillIfSimilar)

    #expect(output(target, 16000, 1000) == [1280, 80])
    #expect(output(target, 3000, 4000) == [600, 800])
    #expect(output(target, 2799, 2500) == [896, 800])
    #expect(!target.fills(sourceWidth: 3000, sourceHeight: 4000))
    #expect(target.isSatisfied(by: image(1280, 80, of: 16000, 1000)))
    #expect(!target.isSatisfied(by: image(1280, 80, of: 1600, 1000)))
  }

  @Test(arguments: [63, 64, 65, 100]) func fillOverhangsTheBoxEquallyOnBothSides(side: Int) {
    for source in stride(from: 201, through: 1601, by: 7) {
      let size = output(DecodeTarget(width: side, height: side, mode: .fill), source, 200)

      #expect((size[0] - side) % 2 == 0 && size[1] == side)
      #expect(Double(size[0]) - Double(source * side) / 200 < 2)
    }
  }

  @Test(arguments: [DecodeTarget.Mode.fit, .fill, .fillIfSimilar])
  func outputIsNeverLargerThanTheSource(mode: DecodeTarget.Mode) {
    #expect(output(DecodeTarget(width: 500, height: 500, mode: mode), 30, 20) == [30, 20])
    #expect(output(DecodeTarget(width: .max, height: .max, mode: mode), 30, 20) == [30, 20])
    #expect(output(DecodeTarget(width: 10, height: 500, mode: .fill), 30, 20) == [30, 20])
  }

  @Test(arguments: [DecodeTarget.Mode.fit, .fill, .fillIfSimilar])
  func outputHasAtLeastOnePixelPerSide(mode: DecodeTarget.Mode) {
    #expect(output(DecodeTarget(width: 10, height: 10, mode: mode), 100_000, 1)[1] == 1)
    #expect(output(DecodeTarget(width: 1, height: 1, mode: mode), 1, 1) == [1, 1])
    #expect(output(DecodeTarget(width: 1, height: 1, mode: mode), 0, 0) == [1, 1])
    #expect(output(DecodeTarget(width: 1, height: 1, mode: mode), -5, 7) == [1, 1])
  }

  @Test func sidesBelowOneCountAsOne() {
    #expect(DecodeTarget(width: 0, height: -7) == DecodeTarget(width: 1, height: 1))
    var target = DecodeTarget(width: 5, height: 5)
    target.width = .min
    target.height = 0
    #expect(target == DecodeTarget(width: 1, height: 1))
  }

  @Test func oversizedSidesAreClampedToTheMaximum() {
    let target = DecodeTarget(width: .max, height: 65_536)

    #expect(target.width == target.height)
    #expect(target.width == 65_535)
  }

  @Test func fitStaysInsideAndFillCoversTheBoxForManySizes() {
    for source in 1...60 {
      for side in 1...60 {
        let fit = output(DecodeTarget(width: side, height: 37, mode: .fit), source * 7, source * 5)
        #expect(fit[0] <= side && fit[1] <= 37)
        let fill = output(DecodeTarget(width: side, height: 37, mode: .fill), source * 7, source * 5)
        #expect(fill[0] >= min(side, source * 7) && fill[1] >= min(37, source * 5))
      }
    }
  }

  @Test func fitRoundsToTheNearestPixel() {
    let target = DecodeTarget(width: 100, height: 100, mode: .fit)

    #expect(output(target, 300, 200) == [100, 67])
    #expect(output(target, 300, 199) == [100, 66])
  }

  /// The division of the sides is inexact, and a rounding error must not add a pixel.
  @Test func fillMatchesTheDecidingSideOfTheBoxExactly() {
    for height in 1...300 {
      for side in stride(from: 1, through: height, by: 3) {
        let size = output(DecodeTarget(width: side, height: side, mode: .fill), height * 2, height)

        #expect(size[1] == side, "\(height) rows in a box of \(side)")
      }
    }
  }

  @Test func decodedImageSatisfiesItsTargetAndSmallerTargets() {
    let decoded = image(133, 100, of: 1600, 1200)

    #expect(DecodeTarget(width: 100, height: 100).isSatisfied(by: decoded))
    #expect(DecodeTarget(width: 10, height: 10).isSatisfied(by: decoded))
    #expect(DecodeTarget(width: 133, height: 133, mode: .fit).isSatisfied(by: decoded))
    #expect(!DecodeTarget(width: 101, height: 101).isSatisfied(by: decoded))
  }

  @Test func fullSizeImageSatisfiesEveryTarget() {
    #expect(DecodeTarget(width: 9999, height: 9999).isSatisfied(by: image(16, 12, of: 16, 12)))
    #expect(!DecodeTarget(width: 9999, height: 9999).isSatisfied(by: image(16, 12, of: 17, 12)))
  }
}
