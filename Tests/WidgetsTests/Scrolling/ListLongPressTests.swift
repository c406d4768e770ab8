import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("List view: long presses", .timeLimit(.minutes(5)))
struct ListLongPressTests {
  /// A cell with a button at its right end.
  private final class Cell: ListCell {
    let button = Button()

    required init(frame: Rect = .zero) {
      super.init(frame: frame)
      addSubview(button)
    }

    override func layoutSubviews() { button.frame = Rect(x: 150, y: 0, width: 50, height: 50) }
  }

  private final class Source: ListViewDataSource {
    var names = (0..<100).map { "\($0)" }

    func numberOfRows(in listView: ListView) -> Int { names.count }
    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell { listView.dequeueCell(Cell.self) }
  }

  private final class Calls {
    var pressed: [Int] = []
    var selected: [Int] = []
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let source = Source()
  private let calls = Calls()
  private let test: TestWindow
  /// A point of row 1.
  private let place = Point(x: 100, y: 75)

  init() {
    list.rowHeight = 50
    list.dataSource = source
    list.onSelect = { [calls] in calls.selected.append($0) }
    list.onLongPress = { [calls] in calls.pressed.append($0) }
    test = TestWindow(list, size: Size(width: 200, height: 200))
  }

  private func isHighlighted(_ row: Int) -> Bool? { list.cell(at: row)?.isHighlighted }

  @Test(arguments: [0, InputEvent.mouse])
  func restingFingerOrMouseIsALongPressOnceAndNoSelection(finger: Int64) {
    test.press(at: place, finger: finger)
    test.advance(by: 0.48)
    #expect(calls.pressed == [])
    #expect(isHighlighted(1) == true)
    test.advance(by: 0.05)
    #expect(calls.pressed == [1])
    #expect(isHighlighted(1) == false)
    test.advance(by: 1)
    test.release(finger: finger)
    test.advance(by: 1)

    #expect(calls.pressed == [1])
    #expect(calls.selected == [])
    #expect(list.selectedRow == nil)
  }

  @Test func fingerOfALongPressDoesNotScroll() {
    test.press(at: place)
    test.advance(by: 0.6)
    test.move(to: Point(x: 100, y: 20))
    test.release()
    test.advanceUntilIdle()

    #expect(list.contentOffset.y == 0)
    test.drag(from: Point(x: 100, y: 150), to: Point(x: 100, y: 50), duration: 0.1)
    #expect(list.contentOffset.y > 0)
  }

  @Test func tapAfterALongPressSelects() {
    test.tap(at: place, holding: 0.6)
    test.tap(at: place)

    #expect(calls.pressed == [1])
    #expect(calls.selected == [1])
  }

  @Test func shortPressSelects() {
    test.tap(at: place, holding: 0.4)
    test.advance(by: 1)

    #expect(calls.pressed == [])
    #expect(calls.selected == [1])
  }

  @Test func movementCancelsTheLongPress() {
    test.press(at: place)
    test.advance(by: 0.2)
    test.move(to: Point(x: 111, y: 75))
    test.advance(by: 1)
    test.release()

    #expect(calls.pressed == [])
    #expect(calls.selected == [1])
  }

  @Test func scrollCancelsTheLongPress() {
    test.press(at: place)
    test.advance(by: 0.2)
    test.wheel(at: place, steps: -1)
    test.advance(by: 1)
    test.release()

    #expect(list.contentOffset.y == 80)
    #expect(calls.pressed == [])
  }

  @Test func fingerThatStopsAScrollIsNoLongPress() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    test.press(at: place)
    test.advance(by: 1)

    #expect(list.isDragging)
    #expect(calls.pressed == [])
  }

  @Test func secondFingerCancelsTheLongPress() {
    test.press(at: place)
    test.press(at: Point(x: 50, y: 150), finger: 1)
    test.advance(by: 1)

    #expect(calls.pressed == [])
  }

  @Test func pressOnAControlInTheRowIsNone() {
    test.press(at: Point(x: 175, y: 75))
    test.advance(by: 1)

    #expect(calls.pressed == [])
    #expect((list.cell(at: 1) as? Cell)?.button.isHighlighted == true)
  }

  @Test func pressBesideTheRowsIsNone() {
    source.names = ["0"]
    list.reloadData()
    test.draw()
    test.press(at: place)
    test.advance(by: 1)

    #expect(calls.pressed == [])
  }

  @Test func removedRowIsNotPressed() {
    test.press(at: place)
    test.advance(by: 0.2)
    let new = source.names.filter { $0 != "1" }
    list.apply(ListChanges(from: source.names, to: new)) { [source] in source.names = new }
    test.advance(by: 1)

    #expect(calls.pressed == [])
  }

  @Test func hiddenListIsNotPressed() {
    test.press(at: place)
    test.advance(by: 0.2)
    list.isHidden = true
    test.advance(by: 1)

    #expect(calls.pressed == [])
  }

  @Test func liftAfterALateFrameIsALongPress() {
    test.press(at: place)
    test.window.now += 0.7
    test.release()
    test.advance(by: 1)

    #expect(calls.pressed == [1])
    #expect(calls.selected == [])
  }

  @Test func restingFingerOnAListWithoutHandlerSelects() {
    list.onLongPress = nil
    test.tap(at: place, holding: 1)

    #expect(calls.selected == [1])
  }

  @Test func keysPressTheSelectedRow() {
    test.window.focus(list)
    list.selectedRow = 2
    test.key(.enter, modifiers: .control)
    test.key(.enter, modifiers: .shift)
    test.key(.enter, modifiers: [.shift, .alt])

    #expect(calls.pressed == [2, 2])
    #expect(calls.selected == [])
  }

  @Test func handlerMayRemoveTheList() {
    list.onLongPress = { [list, calls] in
      calls.pressed.append($0)
      list.removeFromSuperview()
    }
    test.press(at: place)
    test.advance(by: 1)
    test.release()
    test.advance(by: 1)

    #expect(calls.pressed == [1])
    #expect(calls.selected == [])
  }
}
