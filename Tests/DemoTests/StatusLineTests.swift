import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The line at the bottom, in a window of the test, where each character is 6 points wide.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StatusLineTests {
  private final class Source {
    var texts = ["Photos  ·  12 images: 12 from files  ·  3.0 MB", "Photos  ·  12 images", "Photos"]
  }

  private let source = Source()
  private let test = TestWindow(size: Size(width: 800, height: 32))
  private let line: StatusLine

  init() {
    line = StatusLine { [source] in source.texts }
    test.window.addSubview(line)
  }

  private func shown(inWidth width: Double) -> [String] {
    line.frame = Rect(x: 0, y: 0, width: width, height: 32)
    test.draw()
    return test.texts
  }

  @Test func lineShowsTheLongestTextThatFits() {
    #expect(shown(inWidth: 800) == [source.texts[0]])
    #expect(shown(inWidth: 240) == [source.texts[1]])
    #expect(shown(inWidth: 120) == [source.texts[2]])
    #expect(shown(inWidth: 240) == [source.texts[1]], "a wider line shows more again")
    #expect(shown(inWidth: 800) == [source.texts[0]])
  }

  @Test func textThatIsTooLongEvenWhenShortIsTruncated() throws {
    source.texts = ["A long name of a folder", "A long name"]
    line.scheduleUpdate()
    test.advance(by: 0.3)

    let text = try #require(shown(inWidth: 100).first)
    #expect(text.hasSuffix("…") && text.hasPrefix("A "), "\(text)")
    #expect(text.count < "A long name".count)
  }

  @Test func otherTextIsShownByTheNextUpdate() {
    #expect(shown(inWidth: 240) == [source.texts[1]])
    source.texts = ["Photos  ·  1 image"]

    line.scheduleUpdate()
    test.advance(by: 0.3)

    #expect(test.texts == ["Photos  ·  1 image"])
  }

  @Test func marginsAreNarrowInANarrowWindow() throws {
    _ = shown(inWidth: 320)
    #expect(line.subviews.first?.frame.minX == 8)
    #expect(line.subviews.last?.frame.maxX == 312)
    _ = shown(inWidth: 800)
    #expect(line.subviews.first?.frame.minX == 24)
    #expect(line.subviews.last?.frame.maxX == 776)
  }
}
