import Testing
import VitrineGraphics
import VitrineTesting
@testable import VitrineWidgets

/// With `MonospaceMeasuring`, a character of a 10-point font is 5 points wide and a line 12.5 points high.
@Suite("Text layout")
struct TextLayoutTests {
  private func lines(_ text: String, width: Double, maximum: Int = 0) -> [String] {
    TextLayout(
      text, font: .regular(10), width: width, maximumLines: maximum, measuring: MonospaceMeasuring()
    ).lines.map(\.text)
  }

  @Test func textThatFitsStaysOnOneLine() {
    #expect(lines("one two", width: 35) == ["one two"])
  }

  @Test func linesBreakBetweenWords() {
    #expect(lines("one two three", width: 36) == ["one two", "three"])
  }

  @Test func wordWiderThanTheLineIsBroken() {
    #expect(lines("abcdefgh ij", width: 15) == ["abc", "def", "gh", "ij"])
  }

  @Test func newlinesBreakLines() {
    #expect(lines("a\n\nb", width: 100) == ["a", "", "b"])
  }

  @Test func truncatedLastLineEndsWithAnEllipsis() {
    #expect(lines("one two three", width: 30, maximum: 1) == ["one t…"])
    #expect(lines("one two three four", width: 36, maximum: 2) == ["one two", "three…"])
  }

  @Test func spaceBeforeTheEllipsisIsRemoved() {
    #expect(lines("one two", width: 25, maximum: 1) == ["one…"])
  }

  @Test func omittedParagraphIsMarkedByAnEllipsis() {
    #expect(lines("one\ntwo", width: 100, maximum: 1) == ["one…"])
  }

  @Test func tinyWidthsDoNotLoopForever() {
    #expect(lines("abc", width: 0) == [])
    #expect(lines("abc", width: 1) == ["a", "b", "c"])
    #expect(lines("", width: 100) == [])
    #expect(!lines("   ", width: 10).isEmpty)
  }
}

@Suite("Label")
struct LabelTests {
  private func label(_ text: String, width: Double, height: Double) -> Label {
    let label = Label(text, font: .regular(10))
    label.frame = Rect(x: 0, y: 0, width: width, height: height)
    return label
  }

  private func textOrigin(in test: TestWindow) -> Point? {
    for case .text(_, _, _, let origin) in test.drawList.commands { return origin }
    return nil
  }

  @Test func textIsCenteredVertically() {
    let test = TestWindow(label("abcd", width: 100, height: 32.5))

    #expect(textOrigin(in: test) == Point(x: 0, y: 10))
  }

  @Test(arguments: [(TextAlignment.left, 0.0), (.center, 40), (.right, 80)])
  func alignmentPlacesTheLine(alignment: TextAlignment, x: Double) {
    let label = label("abcd", width: 100, height: 20)
    label.alignment = alignment
    let test = TestWindow(label)

    #expect(textOrigin(in: test)?.x == x)
  }

  @Test func lineCountIsLimitedByTheHeight() {
    let label = label("one two three four", width: 25, height: 30)
    label.numberOfLines = 0
    let test = TestWindow(label)

    #expect(test.texts == ["one", "two…"])
  }

  @Test func redrawingMeasuresNoText() {
    let measuring = CountingMeasuring()
    let test = TestWindow(textMeasuring: measuring)
    let label = label("one two three four five", width: 60, height: 40)
    label.numberOfLines = 2
    test.window.addSubview(label)
    test.draw()
    let count = measuring.count

    for _ in 0..<10 { _ = test.drawList }
    label.textColor = .black
    label.frame.origin.y = 20
    test.draw()

    #expect(count > 0)
    #expect(measuring.count == count)
  }

  @Test func resizingALabelWhoseTextFitsMeasuresNothing() {
    let measuring = CountingMeasuring()
    let test = TestWindow(textMeasuring: measuring)
    let label = label("one", width: 60, height: 20)
    test.window.addSubview(label)
    test.draw()
    let count = measuring.count

    label.frame.size = Size(width: 90, height: 50)
    label.frame.size.width = 20
    #expect(test.texts == ["one"])

    #expect(measuring.count == count)
  }

  @Test func changedTextAndWidthAreMeasuredAgain() {
    let label = label("one two", width: 100, height: 20)
    let test = TestWindow(label)

    label.frame.size.width = 25
    #expect(test.texts == ["one…"])

    label.text = "three"
    #expect(test.texts == ["three"])
  }

  @Test func settingTheSameTextDirtiesNothing() {
    let label = label("one", width: 100, height: 20)
    let test = TestWindow(label)

    label.text = "one"
    label.textColor = .white
    label.font = .regular(10)

    #expect(!test.window.isDirty)
  }

  @Test func sizeThatFitsWrapsTheText() {
    let label = label("one two three", width: 0, height: 0)
    label.numberOfLines = 0

    #expect(label.sizeThatFits(Size(width: 1000, height: 0)) == Size(width: 65, height: 13))
    #expect(label.sizeThatFits(Size(width: 36, height: 0)) == Size(width: 35, height: 25))
  }

  @Test func lineTallerThanTheLabelIsClipped() {
    let test = TestWindow(label("one", width: 100, height: 5))

    #expect(test.drawList.commands.contains(.pushClip(Rect(x: 0, y: 0, width: 100, height: 5))))
  }

  @Test func lineWiderThanTheLabelIsClipped() {
    let test = TestWindow(label("one", width: 2, height: 20))

    #expect(test.drawList.commands.contains(.pushClip(Rect(x: 0, y: 0, width: 2, height: 20))))
  }

  @Test func emptyLabelDrawsNothing() {
    let test = TestWindow(label("", width: 100, height: 20))

    #expect(test.texts == [])
  }
}
