import Foundation
import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Captions and clocks over images.
struct CaptionTests {
  private final class Clock {
    var time = ClockTime(hour: 9, minute: 4, second: 50)
    var readings = 0

    func read() -> ClockTime {
      readings += 1
      return time
    }
  }

  private let clock = Clock()

  private func caption(_ text: String) -> CaptionView {
    let caption = CaptionView(frame: Rect(x: 0, y: 180, width: 400, height: 120))
    caption.insets = Insets(top: 56, left: 32, bottom: 24, right: 32)
    caption.text = text
    return caption
  }

  // MARK: Captions

  @Test func captionIsDrawnOverADarkGradient() throws {
    let test = TestWindow(caption("Lighthouse"))

    let veil = try #require(test.images.first)
    #expect(test.texts == ["Lighthouse"])
    #expect(veil.destination.origin == Point(x: 0, y: 180))
    #expect(veil.image.bitmap.color(x: 0, y: 0).alpha < 8)
    #expect(veil.image.bitmap.color(x: 0, y: 63).alpha > 150)
  }

  @Test(arguments: [120.0, 88, 70]) func whiteTextIsLegibleOnAWhiteImage(height: Double) throws {
    let caption = caption("Lighthouse")
    caption.frame = Rect(x: 0, y: 300 - height, width: 400, height: height)
    let test = TestWindow(caption)

    let label = try #require(caption.subviews.first?.frameInWindow)
    let gradient = try #require(test.images.first).destination
    let veil = Color.black.multiplyingAlpha(by: 0.6)
    let fill = try #require(test.fills(of: veil).first)
    #expect(gradient.maxY <= label.minY, "the gradient ends above the text")
    #expect(fill.minY == gradient.maxY && fill.maxY == 300)
    // White under the veil is gray (WCAG 2.2, "relative luminance" and "contrast ratio").
    let gray = (255 - Double(veil.alpha)) / 255
    let luminance = pow((gray + 0.055) / 1.055, 2.4)
    #expect(1.05 / (luminance + 0.05) > 4.5)
  }

  @Test func captionWithoutADistanceAboveIsDarkBehindTheWholeText() throws {
    let caption = caption("Lighthouse")
    caption.insets = Insets(top: 0, left: 32, bottom: 0, right: 32)
    let height = caption.sizeThatFits(Size(width: 400, height: 300)).height
    caption.frame = Rect(x: 0, y: 300 - height, width: 400, height: height)
    let test = TestWindow(caption)

    #expect(test.images.isEmpty)
    #expect(test.fills(of: Color.black.multiplyingAlpha(by: 0.6)) == [caption.frame])
  }

  @Test func gradientFollowsOtherInsetsAndAnotherFont() throws {
    let caption = caption("Lighthouse")
    let test = TestWindow(caption)
    let before = try #require(test.images.first).destination

    caption.insets.bottom = 40
    test.draw()
    let raised = try #require(test.images.first).destination
    caption.font = .bold(48)
    test.draw()

    #expect(raised.height == before.height - 16)
    #expect(try #require(test.images.first).destination.height < raised.height)
  }

  @Test func captionWithoutATextDrawsNothing() {
    let test = TestWindow(caption(""))

    #expect(test.texts.isEmpty)
    #expect(test.images.isEmpty)
  }

  @Test func trailingViewLiesAtTheRightAndTheTextBesideIt() {
    let caption = caption("A title that is much too long for the width of this window")
    let label = Label("12:00", font: .bold(24))
    caption.trailingView = label
    let test = TestWindow(caption)

    let text = caption.subviews.first { $0 !== label }
    #expect(label.frame.maxX == 400 - 32)
    #expect(text?.frame.minX == 32)
    #expect(text.map { $0.frame.maxX < label.frame.minX } == true)
    #expect(test.texts.contains("12:00"))
    #expect(test.texts.contains { $0.hasSuffix("\u{2026}") })
  }

  @Test func heightDoesNotDependOnTheText() {
    let size = Size(width: 400, height: 300)

    #expect(caption("").sizeThatFits(size) == caption("Lighthouse").sizeThatFits(size))
    #expect(caption("").sizeThatFits(size).width == 400)
  }

  @Test func touchesPassThroughACaption() {
    let caption = caption("Lighthouse")
    let test = TestWindow(caption)

    #expect(test.window.hitTest(Point(x: 50, y: 290)) === test.window)
  }

  // MARK: Clocks

  @Test func clockChangesAtTheBeginningOfEachMinute() {
    let label = ClockLabel { [clock] in clock.read() }
    label.frame = Rect(x: 0, y: 0, width: 100, height: 40)
    let test = TestWindow(label)
    #expect(test.texts == ["09:04"])
    #expect(test.window.nextDeadline == 10)

    clock.time = ClockTime(hour: 9, minute: 5)
    test.advance(by: 11)

    #expect(test.texts == ["09:05"])
    #expect(test.window.nextDeadline == 70)
  }

  @Test func clockThatIsReadTooEarlyIsReadAgain() {
    let label = ClockLabel { [clock] in clock.read() }
    clock.time = ClockTime(hour: 9, minute: 4, second: 59.999)
    let test = TestWindow(label)
    let readings = clock.readings

    test.advance(by: 1)

    #expect((5...11).contains(clock.readings - readings))
  }

  @Test func clockStopsOutsideOfAWindow() {
    let label = ClockLabel { [clock] in clock.read() }
    let test = TestWindow(label)

    label.removeFromSuperview()
    test.draw()

    #expect(test.window.nextDeadline == nil)
  }

  @Test func clockMayHaveAFormatOfItsOwn() {
    let label = ClockLabel(format: { "\($0.hour % 12) h" }) { ClockTime(hour: 15, minute: 1) }

    #expect(label.text == "3 h")
    #expect(label.accessibilityLabel == "3 h")
  }

  @Test(arguments: [(0, 0, "00:00"), (9, 5, "09:05"), (23, 59, "23:59")])
  func timeHasFourDigits(hour: Int, minute: Int, text: String) {
    #expect(ClockTime(hour: hour, minute: minute).text == text)
  }
}
