import Testing
import Vitrine

@testable import VitrineDemo

/// The sizes of the rows of the list.
struct ImageRowTests {
  @Test(arguments: [
    (Size(width: 64, height: 64), ImageRow.small), (Size(width: 320, height: 240), .small),
    (Size(width: 447, height: 800), .small), (Size(width: 448, height: 288), .medium),
    (Size(width: 1280, height: 287), .small), (Size(width: 1280, height: 704), .medium),
    (Size(width: 1343, height: 768), .medium), (Size(width: 1344, height: 768), .large),
    (Size(width: 1344, height: 415), .medium), (Size(width: 1920, height: 984), .huge),
    (Size(width: 1920, height: 500), .large), (Size(width: .nan, height: .nan), .small),
  ])
  func rowsAreAsLargeAsTheListPermits(list: Size, row: ImageRow) {
    #expect(ImageRow.fitting(list) == row)
    #expect(ImageRow.ofHeight(row.height) == row)
  }

  @Test func rowOfAnUnknownHeightIsSmall() {
    #expect(ImageRow.ofHeight(0) == .small)
    #expect(ImageRow.ofHeight(.nan) == .small)
  }

  @Test func textsAreBesideTheImageAndCentered() {
    let frames = ImageRow.medium.frames(inWidth: 640)

    #expect(frames.image == Rect(x: 24, y: 12, width: 160, height: 120))
    #expect(frames.title == Rect(x: 208, y: 32, width: 408, height: 32))
    #expect(frames.detail == Rect(x: 208, y: 64, width: 408, height: 24))
    #expect(frames.note == Rect(x: 208, y: 88, width: 408, height: 24))
  }

  @Test func narrowRowHasNarrowMargins() {
    let frames = ImageRow.small.frames(inWidth: 320)

    #expect(frames.image == Rect(x: 12, y: 8, width: 120, height: 80))
    #expect(frames.title == Rect(x: 144, y: 17, width: 164, height: 24))
    #expect(frames.note == Rect(x: 144, y: 61, width: 164, height: 18))
  }

  @Test(arguments: [0.0, 1, 100, 156])
  func rowTooNarrowForTextsHasEmptyOnes(width: Double) {
    #expect(ImageRow.small.frames(inWidth: width).title.width == 0)
  }
}
